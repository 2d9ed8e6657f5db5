"""A server as one write-up published it, with its faults, which the README lists. An argument is answered instead of the file."""

import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

if len(sys.argv) > 1:
    TEXT = sys.argv[1]
else:
    with open(os.path.join(os.environ.get("ASSETS", "."), "one-file.js"), encoding="utf-8", newline="") as file:
        TEXT = file.read()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript")
        self.end_headers()
        self.wfile.write(TEXT.encode("utf-8"))


HTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080"))), Handler).serve_forever()
