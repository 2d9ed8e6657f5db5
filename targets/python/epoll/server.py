"""`hello` on select.epoll, by hand: one thread, non-blocking sockets, no parsing. Each `\\r\\n\\r\\n` gets the same answer."""

import os
import socket
from select import EPOLLIN, EPOLLOUT, epoll

END = b"\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nhello world"
RECEIVE = 64 * 1024


class Connection:
    """Either all is sent, and it waits for requests; or something is unsent, and until that is gone nothing more is read."""

    __slots__ = ("socket", "rest", "unsent")

    def __init__(self, sock):
        self.socket = sock
        self.rest = b""  # may be the beginning of an END
        self.unsent = b""

    def receive(self):
        """Reads once and answers what ended in it. False when the client has closed."""
        data = self.socket.recv(RECEIVE)
        if not data:
            return False
        data = self.rest + data
        heads = data.count(END)
        if heads:
            self.rest = data[data.rindex(END) + 4 :][-3:]
            self.unsent = ANSWER * heads
            self.send()
        else:
            self.rest = data[-3:]
        return True

    def send(self):
        self.unsent = self.unsent[self.socket.send(self.unsent) :]


def accept_all(listener, poll, connections):
    while True:
        try:
            sock, _address = listener.accept()
        except OSError:  # nobody waits any more (or no file is left: epoll calls again)
            return
        sock.setblocking(False)
        connections[sock.fileno()] = Connection(sock)
        poll.register(sock, EPOLLIN)


def attend(fd, poll, connections):
    """Does what the connection is ready for. False when it has ended."""
    connection = connections[fd]
    was_unsent = connection.unsent
    try:
        if was_unsent:
            connection.send()
        elif not connection.receive():
            return False
    except BlockingIOError:
        pass
    except OSError:
        return False
    if bool(connection.unsent) != bool(was_unsent):
        poll.modify(fd, EPOLLOUT if connection.unsent else EPOLLIN)
    return True


def main():
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080")))
    listener = socket.create_server(address, backlog=4096)
    listener.setblocking(False)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # which connections inherit
    listening = listener.fileno()
    poll = epoll()
    poll.register(listening, EPOLLIN)
    connections = {}
    while True:
        for fd, _events in poll.poll():
            if fd == listening:
                accept_all(listener, poll, connections)
            elif not attend(fd, poll, connections):
                connections.pop(fd).socket.close()


main()
