"""`hello` and `file` on http.server of the standard library: one connection at a time, or each in a thread of its own."""

import os
import socket
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import ThreadingMixIn

BODY_MAX = 1024 * 1024
FILE = Path(os.environ.get("ASSETS", "."), "one-file.js").read_bytes()  # without it there is no start


class Handler(BaseHTTPRequestHandler):
    default_request_version = "HTTP/1.0"  # else the 400 to a malformed request line has no status line
    wbufsize = 16 * 1024  # so that a small answer goes out in one piece
    disable_nagle_algorithm = True

    def do_GET(self):
        path = self.path.partition("?")[0]
        if not self.skip_body():
            return
        if path == "/":
            self.send(200, "text/plain", b"hello world")
        elif path == "/file":
            self.send(200, "text/javascript", FILE)
        else:
            self.send(404, "text/plain", b"not found\n")

    do_HEAD = do_GET

    def __getattr__(self, name):
        """All other methods, which the base class looks for as do_POST and so on."""
        if name.startswith("do_"):
            return self.not_found
        raise AttributeError(name)

    def not_found(self):
        if self.skip_body():
            self.send(404, "text/plain", b"not found\n")

    def skip_body(self):
        """Reads a body that nobody wants. False when it was refused."""
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers:
            self.send_error(501)
        elif not length.isdecimal():
            self.send_error(400)
        elif int(length) > BODY_MAX:
            self.send_error(413)
        else:
            self.rfile.read(int(length))
            return True
        return False

    def send(self, status, content_type, body):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        elif self.request_version == "HTTP/1.0":
            self.send_header("Connection", "keep-alive")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(HTTPServer):
    request_queue_size = 4096

    def shutdown_request(self, request):
        """Reads what came behind the last request, lest a reset overtake the answer, and closes."""
        try:
            request.shutdown(socket.SHUT_WR)
            for _ in range(64):
                if not request.recv(64 * 1024, socket.MSG_DONTWAIT):
                    break
        except OSError:  # there is nothing more, or nobody
            pass
        self.close_request(request)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # that a client has gone is no error
            super().handle_error(request, client_address)


class ThreadingServer(ThreadingMixIn, Server):
    """As the standard library makes its ThreadingHTTPServer."""

    daemon_threads = True


def main():
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080")))
    if os.environ.get("SERVER") == "threading":
        Handler.protocol_version = "HTTP/1.1"
        server = ThreadingServer(address, Handler)
    else:
        server = Server(address, Handler)
    server.serve_forever()


main()
