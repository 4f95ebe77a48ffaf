"""One GGUF loaded in this process by llama.cpp (`xllamacpp`), shared by every player that has these weights.

In: a GGUF path, requests as llama.cpp's server takes them. Out: the events of its answers, as plain Python values.
Measured on two cores, reading a prompt costs as much a token as writing: what counts is to read nothing twice. The `n`
samples of a request share one reading, and a request begins in the slot whose last prompt began alike; its further
samples run in slots of their own and evict no such beginning. One core is left to the rest, without a spinning
barrier. The server also listens on a random loopback port, which cannot be turned off; a random key locks it.
"""

from __future__ import annotations

import os
import secrets
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from os.path import commonprefix
from pathlib import Path
from typing import Any

import xllamacpp  # type: ignore[import-untyped]

from data.errors import PolicyError
from policies.weights import sha256

SAMPLES = 8
"""Samples of one prompt that are decoded together; more are asked for in several requests."""
HOMES = 2
"""Requests under way at once, each beginning in a slot that remembers its last prompt."""
CONTEXT = 12_288
"""Tokens of all samples under way together."""

Event = dict[str, Any]


class Model:
    """Weights in memory. Requests may come from any thread, best from `threads`; each blocks until it is answered."""

    def __init__(self, path: Path) -> None:
        """Load `path`. Raises `PolicyError` when llama.cpp cannot."""
        self.digest = "sha256:" + sha256(path)
        self.threads = ThreadPoolExecutor(max_workers=HOMES, thread_name_prefix="llama")
        self._free = threading.Condition()
        self._spare = SAMPLES - 1
        # llama.cpp fills the lowest slots with a request's further samples: the highest are the homes.
        self._homes = {SAMPLES - 1 + home: "" for home in range(HOMES)}
        try:
            self._server = xllamacpp.Server(_params(path))
        except Exception as fault:
            raise PolicyError(f"llama.cpp cannot load {path}: {fault}", hint="is it a GGUF file, and whole?") from fault

    def stream(self, request: Event, begins: str, each: Callable[[Event], bool]) -> None:
        """Send one plain-completion or chat request (told apart by `messages`) of at most `SAMPLES` samples and pass
        every event of its answer to `each`, which returns True to stop there. A refusal arrives as an event with
        `error`. `begins` is the prompt's text, by which a slot is chosen.
        """
        handle = self._server.handle_chat_completions if "messages" in request else self._server.handle_completions
        with self._home(begins, int(request["n"]) - 1) as home:
            handle(request | {"stream": True, "id_slot": home}, each)

    @contextmanager
    def _home(self, begins: str, more: int) -> Iterator[int]:
        """A free slot that begins alike, while `more` further slots are spare too."""
        with self._free:
            self._free.wait_for(lambda: self._homes and self._spare >= more)
            # Of equals the longest unused one: dictionaries keep the order in which homes came back.
            home = max(self._homes, key=lambda slot: len(commonprefix((self._homes[slot], begins))))  # noqa: RUF071 - texts, not paths
            del self._homes[home]
            self._spare -= more
        try:
            yield home
        finally:
            with self._free:
                self._homes[home] = begins
                self._spare += more
                self._free.notify_all()


def _params(path: Path) -> Any:
    """Settings of the in-process server; silent."""
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_parallel = SAMPLES - 1 + HOMES
    params.n_ctx = CONTEXT
    params.kv_unified = True
    params.cache_ram_mib = 512
    params.ctx_shift = False
    params.warmup = False
    params.verbosity = -1
    params.ui = False
    params.api_keys = [secrets.token_hex()]
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = max(1, (os.cpu_count() or 1) - 1)
        cpu.poll = 0
    return params


_loaded: weakref.WeakValueDictionary[tuple[Path, int], Model] = weakref.WeakValueDictionary()
_loading = threading.Lock()


def load(path: Path) -> Model:
    """The model at `path`, loaded once for as long as somebody holds it."""
    key = (path.resolve(), path.stat().st_mtime_ns)
    with _loading:
        model = _loaded.get(key)
        if model is None:
            model = _loaded[key] = Model(path)
        return model
