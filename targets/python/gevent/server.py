"""The workloads of targets/README.md as a WSGI application on gevent's own server, pywsgi."""

import hashlib
import json
import os
import socket
from pathlib import Path

import gevent
from gevent.pywsgi import WSGIServer

BODY_MAX = 1024 * 1024
FILE = Path(os.environ.get("ASSETS", "."), "one-file.js").read_bytes()  # without it there is no start


def hello(_environ):
    return "200 OK", "text/plain", b"hello world"


def file(_environ):
    return "200 OK", "text/javascript", FILE


def wait(environ):
    gevent.sleep(0.010)
    return hello(environ)


def cpu(_environ):
    digest = b"orchestrate"
    for _ in range(1000):
        digest = hashlib.sha256(digest).digest()
    return "200 OK", "text/plain", digest.hex().encode()


def increment(environ):
    body = environ["wsgi.input"].read(BODY_MAX + 1)
    if len(body) > BODY_MAX:
        return "413 Content Too Large", "text/plain", b"too large\n"
    try:
        value = json.loads(body)
        if isinstance(value["n"], bool):  # which Python would take for a number
            raise TypeError
        value["n"] += 1
        answer = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    except (ValueError, TypeError, KeyError, RecursionError):
        return "400 Bad Request", "text/plain", b"expected a JSON object with a number n\n"
    return "200 OK", "application/json", answer


def not_found(_environ):
    return "404 Not Found", "text/plain", b"not found\n"


ROUTES = {
    ("GET", "/"): hello,
    ("GET", "/file"): file,
    ("GET", "/wait"): wait,
    ("GET", "/cpu"): cpu,
    ("POST", "/json"): increment,
}


def application(environ, start_response):
    method = environ["REQUEST_METHOD"]
    route = ROUTES.get(("GET" if method == "HEAD" else method, environ["PATH_INFO"]), not_found)
    status, content_type, body = route(environ)
    headers = [("Content-Type", content_type), ("Content-Length", str(len(body)))]
    if environ.get("HTTP_CONNECTION", "").lower() == "close":
        headers.append(("Connection", "close"))
    start_response(status, headers)
    return [] if method == "HEAD" else [body]


def main():
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080")))
    server = WSGIServer(address, application, backlog=4096, log=None)
    server.start()
    # pywsgi sends head and body apart. Without this (which connections inherit) each body would wait 40 ms for the client's ACK.
    server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server.serve_forever()


main()
