"""The workloads of targets/README.md as a bare ASGI application, without a framework."""

import asyncio
import hashlib
import json
import os
from pathlib import Path

BODY_MAX = 1024 * 1024
FILE = Path(os.environ.get("ASSETS", "."), "one-file.js").read_bytes()  # without it there is no start


async def hello(_receive):
    return 200, b"text/plain", b"hello world"


async def file(_receive):
    return 200, b"text/javascript", FILE


async def wait(receive):
    await asyncio.sleep(0.010)
    return await hello(receive)


async def cpu(_receive):
    digest = b"orchestrate"
    for _ in range(1000):
        digest = hashlib.sha256(digest).digest()
    return 200, b"text/plain", digest.hex().encode()


async def increment(receive):
    body = await read(receive)
    if len(body) > BODY_MAX:
        return 413, b"text/plain", b"too large\n"
    try:
        value = json.loads(body)
        if isinstance(value["n"], bool):  # which Python would take for a number
            raise TypeError
        value["n"] += 1
        answer = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    except (ValueError, TypeError, KeyError, RecursionError):
        return 400, b"text/plain", b"expected a JSON object with a number n\n"
    return 200, b"application/json", answer


async def not_found(_receive):
    return 404, b"text/plain", b"not found\n"


async def read(receive):
    """The body, or its beginning if it is too large: the server drops the rest."""
    body = bytearray()
    more = True
    while more and len(body) <= BODY_MAX:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


ROUTES = {
    ("GET", "/"): hello,
    ("GET", "/file"): file,
    ("GET", "/wait"): wait,
    ("GET", "/cpu"): cpu,
    ("POST", "/json"): increment,
}


async def app(scope, receive, send):
    method = scope["method"]
    route = ROUTES.get(("GET" if method == "HEAD" else method, scope["path"]), not_found)
    status, content_type, body = await route(receive)
    headers = [(b"content-type", content_type), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
