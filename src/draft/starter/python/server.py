"""A first server: answers `GET /` with `hello world`, with a thread for each connection."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open
    wbufsize = -1  # head and body leave together

    def do_GET(self):
        is_asked = self.path.split("?")[0] == "/"
        body = b"hello world" if is_asked else b"not found"
        self.send_response(200 if is_asked else 404)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 4096


Server((os.environ["HOST"], int(os.environ["PORT"])), Handler).serve_forever()
