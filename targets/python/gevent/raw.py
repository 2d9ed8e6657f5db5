"""gevent's StreamServer, a greenlet for each connection, without parsing. Each `\\r\\n\\r\\n` gets the same answer."""

import os
import socket

from gevent.server import StreamServer

END = b"\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nhello world"


def serve(connection, _address):
    rest = b""  # may be the beginning of an END
    try:
        while data := connection.recv(64 * 1024):
            data = rest + data
            heads = data.count(END)
            if heads:
                data = data[data.rindex(END) + 4 :]
                connection.sendall(ANSWER * heads)
            rest = data[-3:]
    except ConnectionError:  # the client has gone
        pass


address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080")))
server = StreamServer(address, serve, backlog=4096)
server.start()
server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # which connections inherit
server.serve_forever()
