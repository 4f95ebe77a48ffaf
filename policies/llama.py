"""One GGUF loaded in this process by llama.cpp (`xllamacpp`), shared by every player that has these weights.

In: a GGUF path, request fields as llama.cpp's server takes them. Out: the events of its answers, as plain Python values.
The server also listens on a random loopback port, which cannot be turned off; a random key locks it.
Threads follow the measurements in the design notes: one core is left to the rest, and no spinning barrier.
"""

from __future__ import annotations

import os
import secrets
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import xllamacpp  # type: ignore[import-untyped]

from data.errors import PolicyError
from policies.weights import sha256

SAMPLES = 8
"""Samples of one prompt that are decoded together; more are asked for in several requests."""
CONTEXT = 2048
"""Tokens of one sample: prompt and completion."""

Event = dict[str, Any]


class Model:
    """Weights in memory. Requests may come from any thread; each blocks until its samples are finished."""

    def __init__(self, path: Path) -> None:
        """Load `path`. Raises `PolicyError` when llama.cpp cannot."""
        self.digest = "sha256:" + sha256(path)
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_parallel = SAMPLES
        params.n_ctx = CONTEXT * SAMPLES
        params.verbosity = -1
        params.warmup = False
        params.ui = False
        params.ctx_shift = False
        params.cache_ram_mib = 512
        params.api_keys = [secrets.token_hex()]
        for cpu in (params.cpuparams, params.cpuparams_batch):
            cpu.n_threads = max(1, (os.cpu_count() or 1) - 1)
            cpu.poll = 0
        self.threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="llama")
        try:
            self._server = xllamacpp.Server(params)
        except Exception as fault:
            raise PolicyError(f"llama.cpp cannot load {path}: {fault}", hint="is it a GGUF file, whole?") from fault

    def stream(self, request: Event, each: Callable[[Event], bool]) -> None:
        """Send one plain-completion or chat request (told apart by `messages`) and pass every event of its answer
        to `each`, which returns True to stop there. A refusal arrives as an event with `error`.
        """
        handle = self._server.handle_chat_completions if "messages" in request else self._server.handle_completions
        handle(request | {"stream": True}, each)


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
