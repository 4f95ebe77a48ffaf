"""A local OpenAI-compatible server that misbehaves on demand: each request takes the next of its scripted answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Respond = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    server: FakeServer

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send(self.server.models_status, {"object": "list", "data": [{"id": name} for name in self.server.models]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.turn:
            self.server.bodies.append(body)
            self.server.keys.append(self.headers.get("Authorization"))
            respond = self.server.script.pop(0) if self.server.script else good
        respond(self)

    def send(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        self.send_raw(status, json.dumps(body).encode(), headers)

    def send_raw(self, status: int, data: bytes, headers: dict[str, str] | None = None, *, length: int = -1) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data) if length < 0 else length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class FakeServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: list[Respond], models: tuple[str, ...]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.models = models
        self.models_status = 200
        self.turn = threading.Lock()
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is part of the game."""


def answer(text: object = "yes", *, reason: str = "stop", usage: dict[str, int] | None = None) -> Respond:
    """A proper answer, in the form of the endpoint that was asked."""

    def respond(handler: Handler) -> None:
        chat = handler.path.endswith("/chat/completions")
        said = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        body: dict[str, object] = {"id": "x", "object": "x", "created": 0, "model": "m"}
        body["choices"] = [{"index": 0, "finish_reason": reason, **said}]
        if usage is not None:
            body["usage"] = usage
        handler.send(200, body)

    return respond


good = answer(usage={"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9})


def status(code: int, message: str = "no", **headers: str) -> Respond:
    """An error answer; header names with `_` for `-`."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.send(code, {"error": {"message": message}}, names)


def raw(data: bytes) -> Respond:
    """A 200 with these bytes."""
    return lambda handler: handler.send_raw(200, data)


def cut(handler: Handler) -> None:
    """Promise a body, send half of it, hang up."""
    handler.send_raw(200, b'{"choices": [', length=500)
    handler.close_connection = True


def silence(seconds: float) -> Respond:
    """Answer only after `seconds` (a hung server; the test's client has gone by then)."""

    def respond(handler: Handler) -> None:
        threading.Event().wait(seconds)
        good(handler)

    return respond


@contextmanager
def serve(*script: Respond, models: tuple[str, ...] = ("m",)) -> Iterator[FakeServer]:
    """A running server on a free loopback port, stopped at the end."""
    server = FakeServer(list(script), models)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
