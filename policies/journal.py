"""Completions written down the moment they finish, so that a killed run loses none and asks for none twice.

In: an engine and the path of a JSONL file. Out: an engine that answers from the file what the file has. An entry counts
for the same engine's digest, prompt, sampling settings and sample index, and for nothing else. Failed completions are
not written: the next run tries them again. A kill loses nothing that finished; a power cut may lose the samples of
the prompts that were under way. One writer at a time.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from data.errors import StoreError
from policies.engine import Engine, Keep
from policies.protocol import Completion, Prompt, SamplingParams


class JournalledPolicy(Engine):
    """`inner`, with a memory on disk."""

    def __init__(self, inner: Engine, path: Path) -> None:
        """Read the journal at `path`, if there is one; a last line torn by a kill is dropped. Raises `StoreError`."""
        self._inner = inner
        self._path = path
        self._known: dict[tuple[str, int], Completion] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._known = _read(path)
        except OSError as fault:
            raise _unusable(path, fault) from fault

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def digest(self) -> str:
        return self._inner.digest

    async def check(self) -> None:
        await self._inner.check()

    async def close(self) -> None:
        await self._inner.close()

    async def draw(self, prompt: Prompt, indices: Sequence[int], params: SamplingParams, keep: Keep) -> None:
        request = _request(self.digest, prompt, params)

        def record(completion: Completion) -> None:
            if completion.finish_reason != "error":
                self._append(request, completion)
            keep(completion)

        missing = []
        for index in indices:
            if (request, index) in self._known:
                keep(self._known[request, index])
            else:
                missing.append(index)
        if missing:
            await self._inner.draw(prompt, missing, params, record)
            await asyncio.to_thread(self._sync)

    def _append(self, request: str, completion: Completion) -> None:
        """One line in one write; the kernel has it even if we are killed."""
        line = json.dumps({"request": request, "completion": asdict(completion)}).encode() + b"\n"
        try:
            with self._path.open("ab", buffering=0) as file:
                end = file.tell()
                if file.write(line) < len(line):  # The disk is full: leave no half a line for the next one to follow.
                    file.truncate(end)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as fault:
            raise _unusable(self._path, fault) from fault
        self._known[request, completion.index] = completion

    def _sync(self) -> None:
        try:
            with self._path.open("ab") as file:
                os.fsync(file.fileno())
        except OSError as fault:
            raise _unusable(self._path, fault) from fault


def _unusable(path: Path, fault: OSError) -> StoreError:
    return StoreError(
        f"the journal {path} cannot be used: {fault.strerror}",
        hint="free space there or mend its rights, then repeat the same command: what is in it is not asked for again",
    )


def _request(engine: str, prompt: Prompt, params: SamplingParams) -> str:
    """What an entry belongs to: weights, the whole prompt and the settings, but not the oracle."""
    asked = asdict(replace(prompt, oracle=None)), asdict(params)
    return hashlib.sha256(json.dumps([engine, *asked], sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> dict[tuple[str, int], Completion]:
    """What a journal holds. A torn end is cut off the file, so that the next line begins on its own."""
    if not path.exists():
        return {}
    whole, newline, torn = path.read_bytes().rpartition(b"\n")
    if torn:
        os.truncate(path, len(whole) + len(newline))
    known: dict[tuple[str, int], Completion] = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            entry = json.loads(line)
            completion = Completion(**entry["completion"])
            known[entry["request"], completion.index] = completion
        except (ValueError, KeyError, TypeError) as fault:
            raise StoreError(
                f"line {number} of the journal {path} is damaged: {fault}",
                hint="delete the file; what is in it will be sampled again",
            ) from fault
    return known
