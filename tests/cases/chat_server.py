"""A server of chat completions on this machine, which gives the answers that it is told to."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RAW = 0  # a status: the content is sent as it is, without a head
Answer = tuple[int, Mapping[str, str], bytes]


def completion(text, *, refusal=None, **more):
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return 200, {}, json.dumps({"choices": [{"message": message}], **more}).encode()


def error(status, message="", **headers):
    return status, headers, json.dumps({"error": {"message": message}}).encode() if message else b""


class Stub(ThreadingHTTPServer):
    """Gives its answers (or functions) in turn, the last one repeatedly; records requests."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer | Callable[[dict[str, Any]], Answer]] = []
        self.asked: list[tuple[str, Mapping[str, str], dict[str, Any]]] = []
        self.pause_seconds = 0.0  # between two bytes of an answer
        self.over = threading.Event()  # what hangs, hangs until then

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Stub

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(
            (self.path, {name.casefold(): value for name, value in self.headers.items()}, body)
        )
        answer = (
            self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
        )
        status, headers, content = answer(body) if callable(answer) else answer
        try:
            if status != RAW:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
            for piece in (
                [content[i : i + 1] for i in range(len(content))]
                if self.server.pause_seconds
                else [content]
            ):
                self.wfile.write(piece)
                time.sleep(self.server.pause_seconds)
        except OSError:  # the asker has gone
            self.close_connection = True

    do_GET = do_POST

    def log_message(self, *_):
        """Silent."""


@contextlib.contextmanager
def running_stub():
    """A server while inside."""
    with Stub() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.over.set()
        server.shutdown()
        thread.join()
