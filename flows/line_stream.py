"""Lines judged as they come: read in what is there, answered in order, with flat memory.

In: a binary stream, and a judge of one line. Out: batches of `Printed`: the answers as text ready to be written. What
has come together is judged together, at most so many lines; nothing waits for a line that has not come yet.
Several workers get bounded batches, and before the stream is waited for, all that is under way is answered.
Not promised: the whole of a line of more than 64 MiB; what is cut is no JSON any more, and is answered as such.
"""

from __future__ import annotations

import json
import os
import select
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol, cast

from data.errors import SparringError, StoreError

if TYPE_CHECKING:  # one worker needs no pool
    from concurrent.futures import Future

Numbered = tuple[int, bytes]


class Stream(Protocol):
    """A binary stream; `read1` waits for something to come, and brings no more than that."""

    def read1(self, size: int = ..., /) -> bytes: ...


BATCH, FEW = 256, 8
"""Lines that a worker gets at once, and lines that are answered together without workers."""
MAX_LINE = 1 << 26
"""Bytes of a line that are read (64 MiB): a longer one is no row, and no file fills the memory."""
_CHUNK: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Judge:
    """What is done with a line; the parts travel to workers.

    `answer`: the fields to print. `name_bin`: where the summary counts it. `explain`: words for a rejected line.
    """

    answer: Callable[[bytes, int], dict[str, Any]]
    name_bin: Callable[[dict[str, Any]], str]
    explain: Callable[[bytes, dict[str, Any]], str] | None = None


@dataclass(frozen=True, slots=True)
class Printed:
    """Answers to some lines: one line of ASCII JSON each, what they count as, and explanations."""

    text: str
    bins: Counter[str]
    explained: tuple[str, ...] = ()


def opened(file: str, stack: ExitStack, standard: BinaryIO) -> Stream:
    """The stream of a file, or the standard one for `-`."""
    if file == "-":
        return cast(Stream, standard)
    try:
        return stack.enter_context(open(file, "rb"))
    except OSError as fault:
        raise StoreError(f"cannot read {file}: {fault.strerror}", hint="name a JSONL file, or - for stdin") from fault


def batches(stream: Stream, file: str, size: int) -> Iterator[tuple[Numbered, ...]]:
    """The lines that are not blank, with their numbers from 1, at most `size` together: those that are there."""
    for found in _lines(stream, file):
        for start in range(0, len(found), size):
            yield tuple(found[start : start + size])


def _lines(stream: Stream, file: str) -> Iterator[list[Numbered]]:
    """What each read brings; of a line whose end has not come, at most `MAX_LINE` bytes are held."""
    held: list[bytes] = []
    number = size = 0
    try:
        while chunk := stream.read1(_CHUNK):
            *ended, rest = chunk.split(b"\n")
            if ended and held:
                ended[0] = b"".join((*held, ended[0]))[:MAX_LINE]
                held, size = [], 0
            yield [(number + place, line) for place, line in enumerate(ended, 1) if line and not line.isspace()]
            number += len(ended)
            if rest and size < MAX_LINE:
                held.append(rest)
                size += len(rest)
    except OSError as fault:
        raise StoreError(f"reading {file} failed: {fault.strerror}", hint="what was read before is answered") from fault
    last = b"".join(held)[:MAX_LINE]
    if last.strip():
        yield [(number + 1, last)]


def judged(stream: Stream, file: str, judge: Judge, workers: int) -> Iterator[Printed]:
    """The answers to all lines, in order."""
    if workers == 1:
        for batch in batches(stream, file, FEW):
            yield judge_batch(judge, batch)
        return
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

    window: deque[Future[Printed]] = deque()
    try:
        with ProcessPoolExecutor(workers) as pool:
            for batch in _patient(batches(stream, file, BATCH), stream, window):
                if batch:
                    window.append(pool.submit(judge_batch, judge, batch))
                while window and (not batch or len(window) > 2 * workers):
                    yield window.popleft().result()
            while window:
                yield window.popleft().result()
    except BrokenProcessPool as fault:
        raise SparringError("a worker process died", hint="its memory ran out? try fewer --workers") from fault


def judge_batch(judge: Judge, batch: Iterable[Numbered]) -> Printed:
    """The answers to some lines."""
    bins: Counter[str] = Counter()
    lines: list[str] = []
    explained: list[str] = []
    for number, line in batch:
        answer = judge.answer(line, number)
        lines.append(json.dumps(answer))
        bins[judge.name_bin(answer)] += 1
        if judge.explain and answer.get("reasons"):
            explained.append(judge.explain(line, answer))
    lines.append("")
    return Printed("\n".join(lines), bins, tuple(explained))


def _patient(
    batches: Iterator[tuple[Numbered, ...]], stream: Stream, window: deque[Future[Printed]]
) -> Iterator[tuple[Numbered, ...]]:
    """The batches, and an empty one whenever work is under way and the stream would have to be waited for."""
    while True:
        if window and _would_wait(stream):
            yield ()
        batch = next(batches, None)
        if batch is None:
            return
        yield batch


def _would_wait(stream: Stream) -> bool:
    try:
        return not select.select([cast(Any, stream)], [], [], 0)[0]
    except (OSError, ValueError):  # no file of the system
        return False


def cores() -> int:
    """The cores this process may use, which in a container or under `taskset` are fewer than the machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
