"""The workloads of targets/README.md on a bare asyncio.Protocol: no framework, one process, HTTP/1 read by hand."""

import asyncio
import hashlib
import json
import os
import re
import time
from email.utils import formatdate
from pathlib import Path

HEAD_MAX = 16 * 1024
BODY_MAX = 1024 * 1024

REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([^\x00-\x20\x7f]+) HTTP/1\.([01])")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00\r\n]*)")
BEGINNING = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: |\Z)|\r\Z")

REASONS = {
    200: b"OK",
    400: b"Bad Request",
    404: b"Not Found",
    413: b"Content Too Large",
    431: b"Request Header Fields Too Large",
    501: b"Not Implemented",
}


class Refused(Exception):
    """A request that cannot be read on from: it is answered with this status, and the connection ends."""


class Head:
    """What matters of a request line and its fields."""

    __slots__ = ("method", "path", "minor", "keep", "length", "expects")

    def __init__(self, text: bytes):
        lines = text.split(b"\r\n")
        line = REQUEST_LINE.fullmatch(lines[0])
        if not line:
            raise Refused(400)
        self.method = line[1]
        self.path = line[2].partition(b"?")[0]
        self.minor = line[3]
        self.length = 0
        self.expects = False  # to be told to go on before it sends its body
        options = set()
        lengths = set()
        for at in range(1, len(lines)):
            field = FIELD.fullmatch(lines[at])
            if not field:
                raise Refused(400)
            name = field[1].lower()
            if name == b"connection":
                options.update(option.strip() for option in field[2].lower().split(b","))
            elif name == b"content-length":
                lengths.add(field[2].strip())
            elif name == b"transfer-encoding":
                raise Refused(501)
            elif name == b"expect":
                self.expects = field[2].strip().lower() == b"100-continue" and self.minor == b"1"
        if lengths:
            (length, *others) = lengths
            if others or not length.isdigit():
                raise Refused(400)
            if len(length) > 18 or int(length) > BODY_MAX:
                raise Refused(413)
            self.length = int(length)
        self.keep = b"close" not in options and (self.minor == b"1" or b"keep-alive" in options)


class Server(asyncio.Protocol):
    """One connection. Requests are answered one after the other, in the order in which they came."""

    def __init__(self):
        self.buffer = bytearray()
        self.head = None  # read, its body still to come
        self.holds = 0  # reasons to take no further request yet: an answer is under way, the client reads too slowly
        self.ended = False  # the last answer is written

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        if self.ended:
            return
        self.buffer += data
        if self.holds:
            self.transport.pause_reading()
        else:
            self.take()

    def hold(self):
        self.holds += 1

    def release(self):
        self.holds -= 1
        if not self.holds:
            self.transport.resume_reading()
            self.take()

    pause_writing = hold
    resume_writing = release

    def take(self):
        """Answers the whole requests that are in the buffer."""
        try:
            while self.buffer and not self.holds and not self.ended:
                head = self.head or self.take_head()
                if head is None:
                    return
                if len(self.buffer) < head.length:
                    if head.expects:
                        self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                        head.expects = False
                    self.head = head
                    return
                self.head = None
                body = bytes(self.buffer[: head.length])
                del self.buffer[: head.length]
                ROUTES.get((head.method, head.path), Server.not_found)(self, head, body)
        except Refused as refused:
            self.refuse(refused.args[0])

    def take_head(self):
        buffer = self.buffer
        while buffer.startswith(b"\r\n"):  # empty lines before a request are passed over (RFC 9112, 2.2)
            del buffer[:2]
        end = buffer.find(b"\r\n\r\n", 0, HEAD_MAX)
        if end < 0:
            if len(buffer) >= HEAD_MAX:
                raise Refused(431)
            if buffer and not BEGINNING.match(buffer):
                raise Refused(400)
            return None
        head = Head(bytes(buffer[:end]))
        del buffer[: end + 4]
        return head

    def hello(self, head, _body):
        self.send(head, 200, b"text/plain", b"hello world")

    def file(self, head, _body):
        self.send(head, 200, b"text/javascript", FILE)

    def wait(self, head, body):
        self.hold()
        asyncio.get_running_loop().call_later(0.010, self.waited, head, body)

    def waited(self, head, body):
        if not self.transport.is_closing():
            self.hello(head, body)
            self.release()

    def cpu(self, head, _body):
        digest = b"orchestrate"
        for _ in range(1000):
            digest = hashlib.sha256(digest).digest()
        self.send(head, 200, b"text/plain", digest.hex().encode())

    def increment(self, head, body):
        try:
            value = json.loads(body)
            if isinstance(value["n"], bool):  # which Python would take for a number
                raise TypeError
            value["n"] += 1
            answer = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
        except (ValueError, TypeError, KeyError, RecursionError):
            self.send(head, 400, b"text/plain", b"expected a JSON object with a number n\n")
        else:
            self.send(head, 200, b"application/json", answer)

    def not_found(self, head, _body):
        self.send(head, 404, b"text/plain", b"not found\n")

    def send(self, head, status, content_type, body):
        connection = b""
        if not head.keep:
            connection = b"Connection: close\r\n"
        elif head.minor == b"0":
            connection = b"Connection: keep-alive\r\n"
        fields = b"HTTP/1.1 %d %b\r\nDate: %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n%b\r\n" % (
            status, REASONS[status], now(), content_type, len(body), connection
        )
        if head.method == b"HEAD":
            body = b""
        # A large body is not copied behind its fields.
        if len(body) > 4096:
            self.transport.write(fields)
            self.transport.write(body)
        else:
            self.transport.write(fields + body)
        if not head.keep:
            self.ended = True
            self.transport.close()

    def refuse(self, status):
        """Answers and stops writing; what the client still sends is read and dropped, lest a reset overtake the answer."""
        self.ended = True
        reason = REASONS[status]
        self.transport.write(
            b"HTTP/1.1 %d %b\r\nDate: %b\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b\n"
            % (status, reason, now(), len(reason) + 1, reason)
        )
        self.transport.write_eof()


FILE = Path(os.environ.get("ASSETS", "."), "one-file.js").read_bytes()  # without it there is no start

ROUTES = {
    (b"GET", b"/"): Server.hello,
    (b"HEAD", b"/"): Server.hello,
    (b"GET", b"/file"): Server.file,
    (b"HEAD", b"/file"): Server.file,
    (b"GET", b"/wait"): Server.wait,
    (b"HEAD", b"/wait"): Server.wait,
    (b"GET", b"/cpu"): Server.cpu,
    (b"HEAD", b"/cpu"): Server.cpu,
    (b"POST", b"/json"): Server.increment,
}

date_second = 0
date_text = b""


def now():
    """The Date field, written anew once a second."""
    global date_second, date_text
    second = int(time.time())
    if second != date_second:
        date_second = second
        date_text = formatdate(second, usegmt=True).encode()
    return date_text


async def main():
    host = os.environ.get("HOST", "127.0.0.1")
    port = int(os.environ.get("PORT", "8080"))
    server = await asyncio.get_running_loop().create_server(Server, host, port, backlog=4096)
    await server.serve_forever()


asyncio.run(main())
