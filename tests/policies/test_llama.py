"""Which slot a request begins in, seen by a stand-in for llama.cpp's server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from policies.llama import HOMES, SAMPLES, Event, Model


class FakeServer:
    """Notes requests, and answers when it is let go."""

    def __init__(self) -> None:
        self.slots: list[int] = []
        self.running = self.most = 0
        self.lock = threading.Lock()
        self.go = threading.Event()
        self.go.set()

    def handle_completions(self, request: Event, each: Callable[[Event], bool]) -> None:
        with self.lock:
            self.slots.append(request["id_slot"])
            self.running += request["n"]
            self.most = max(self.most, self.running)
        assert self.go.wait(5)
        with self.lock:
            self.running -= request["n"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    server = FakeServer()
    monkeypatch.setattr("xllamacpp.Server", lambda params: server)
    return server


@pytest.fixture
def model(server: FakeServer, tmp_path: Path) -> Model:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF")
    return Model(path)


def ask(model: Model, begins: str, n: int = 1) -> None:
    model.stream({"n": n}, begins, lambda event: False)


def test_prompts_that_begin_alike_stay_in_one_slot(model: Model, server: FakeServer) -> None:
    for number in range(3):
        ask(model, f"Write a question. {number}")
        ask(model, f"Answer it. {number}", n=SAMPLES)
    generator, solver = server.slots[::2], server.slots[1::2]
    assert len(set(generator)) == len(set(solver)) == 1
    assert generator[0] != solver[0]


def test_requests_begin_above_the_slots_of_further_samples(model: Model, server: FakeServer) -> None:
    for number in range(4):
        ask(model, str(number))
    assert set(server.slots) == set(range(SAMPLES - 1, SAMPLES - 1 + HOMES))


def test_samples_under_way_never_exceed_the_slots(model: Model, server: FakeServer) -> None:
    server.go.clear()
    threads = [threading.Thread(target=ask, args=(model, "x", n)) for n in (SAMPLES, SAMPLES, 4, 4, 1)]
    for thread in threads:
        thread.start()
    server.go.set()
    for thread in threads:
        thread.join(timeout=5)
    assert len(server.slots) == 5
    assert server.most <= SAMPLES - 1 + HOMES
