"""`sparring verify` and `sparring score`: JSONL through the verifiers (CONTRACT, JSONL in and out).

In: a file or standard input. Out: one answer for each line that is not blank, in order, flushed as it is done; a
summary on standard error. Exit 0 whatever the verdicts, 1 when reading or writing failed, 2 for wrong usage.
Memory is flat: lines are read, judged and forgotten; several workers get them in bounded batches.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from typing import IO, Annotated, Any

import typer

from data.errors import SparringError, StoreError, UsageError
from verifiers.lines import HARNESSES, score_line, verify_line
from verifiers.verify import CHECKS

Numbered = tuple[int, bytes]
Judge = Callable[[bytes, int], dict[str, Any]]
BATCH = 64
MAX_LINE = 1 << 26
"""Bytes of a line that are read (64 MiB): a longer one is no row, and no file fills the memory."""
FileArgument = Annotated[str, typer.Argument(metavar="FILE|-", help="JSONL, or - for standard input")]
WorkersOption = Annotated[int, typer.Option(min=0, help="processes; 0: one for each core")]


def register(app: typer.Typer) -> None:
    """Add both commands to the application."""
    app.command("verify")(verify)
    app.command("score")(score)


def verify(
    file: FileArgument,
    checks: Annotated[str, typer.Option(help=f"only these, by commas: {', '.join(CHECKS)}")] = "",
    every: Annotated[bool, typer.Option("--all", help="the first failure of every check")] = False,
    workers: WorkersOption = 1,
    explain: Annotated[bool, typer.Option(help="rejected rows in words, on standard error")] = False,
) -> None:
    """Prove tasks or completions solvable, line by line."""
    wanted = frozenset(filter(None, (part.strip() for part in checks.split(",")))) if checks else None
    if unknown := sorted((wanted or frozenset()) - set(CHECKS)):
        raise UsageError(f"no check is called {', '.join(unknown)}", hint=f"there are: {', '.join(CHECKS)}")
    judge = partial(verify_line, checks=wanted, every=every)
    _run(file, judge, workers, _verdict_bin, _explain if explain else None)


def score(
    file: FileArgument,
    harness: Annotated[str, typer.Option(help=f"of rows that name none: {', '.join(HARNESSES)}")] = "tags",
    workers: WorkersOption = 1,
) -> None:
    """Score a solver's completions against the gold calls, line by line."""
    if harness not in HARNESSES:
        raise UsageError(f"there is no harness {harness!r}", hint=f"there are: {', '.join(HARNESSES)}")
    _run(file, partial(score_line, harness=harness), workers, lambda answer: str(answer["outcome"]), None)


def _run(
    file: str,
    judge: Judge,
    workers: int,
    name_bin: Callable[[dict[str, Any]], str],
    explain: Callable[[dict[str, Any], bytes], str] | None,
) -> None:
    """Judge every line of `file`, print the answers, sum up."""
    bins: Counter[str] = Counter()
    start = time.monotonic()
    with ExitStack() as stack:
        stream = _opened(file, stack)
        for line, answer in judged(numbered(stream, file), judge, workers or _cores()):
            bins[name_bin(answer)] += 1
            _print(answer)
            if explain and answer.get("reasons"):
                print(explain(answer, line), file=sys.stderr)
    seconds = time.monotonic() - start
    print(f"{bins.total()} rows in {seconds:.1f} s: {_summary(bins)}", file=sys.stderr)


def _cores() -> int:
    """The cores this process may use, which in a container or under `taskset` are fewer than the machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _opened(file: str, stack: ExitStack) -> IO[bytes]:
    if file == "-":
        return sys.stdin.buffer
    try:
        return stack.enter_context(open(file, "rb"))
    except OSError as fault:
        raise StoreError(f"cannot read {file}: {fault.strerror}", hint="name a JSONL file, or - for stdin") from fault


def numbered(stream: IO[bytes], file: str) -> Iterator[Numbered]:
    """The lines that are not blank, with their numbers from 1; of an endless line the first `MAX_LINE` bytes."""
    number = 0
    try:
        while line := stream.readline(MAX_LINE):
            number += 1
            rest = line
            while len(rest) == MAX_LINE and not rest.endswith(b"\n"):
                rest = stream.readline(MAX_LINE)
            if line.strip():
                yield number, line
    except OSError as fault:
        raise StoreError(f"reading {file} failed: {fault.strerror}", hint="what was read before is answered") from fault


def judged(lines: Iterable[Numbered], judge: Judge, workers: int) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Each line with its answer, in order; at most a few batches for each worker are under way."""
    if workers == 1:
        for number, line in lines:
            yield line, judge(line, number)
        return
    window: deque[tuple[tuple[Numbered, ...], Future[list[dict[str, Any]]]]] = deque()
    try:
        with ProcessPoolExecutor(workers) as pool:
            for batch in batches(lines, BATCH):
                window.append((batch, pool.submit(_judge_batch, judge, batch)))
                if len(window) > 2 * workers:
                    yield from _answers(*window.popleft())
            while window:
                yield from _answers(*window.popleft())
    except BrokenProcessPool as fault:
        raise SparringError("a worker process died", hint="its memory ran out? try fewer --workers") from fault


def batches(lines: Iterable[Numbered], size: int) -> Iterator[tuple[Numbered, ...]]:
    """Lines in tuples of `size`; the last may be shorter."""
    held: list[Numbered] = []
    for line in lines:
        held.append(line)
        if len(held) == size:
            yield tuple(held)
            held = []
    if held:
        yield tuple(held)


def _judge_batch(judge: Judge, batch: tuple[Numbered, ...]) -> list[dict[str, Any]]:
    return [judge(line, number) for number, line in batch]


def _answers(
    batch: tuple[Numbered, ...], future: Future[list[dict[str, Any]]]
) -> Iterator[tuple[bytes, dict[str, Any]]]:
    for (_, line), answer in zip(batch, future.result(), strict=True):
        yield line, answer


def _print(answer: dict[str, Any]) -> None:
    """One line of ASCII JSON, flushed. A reader that went away ends the run quietly, as for any Unix filter."""
    try:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as fault:
        raise StoreError(
            f"writing the answers failed: {fault.strerror}", hint="free space, or write elsewhere"
        ) from fault


def _verdict_bin(answer: dict[str, Any]) -> str:
    if answer["solvable"]:
        return "solvable"
    first = answer["reasons"][0]
    return f"{first['check']}/{first['code']}"


def _summary(bins: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in bins.most_common()) or "nothing"


def _explain(answer: dict[str, Any], line: bytes) -> str:
    """A rejection in words: what failed, what was expected and found, and where it looked."""
    reasons = "\n".join(f"  {one['check']}/{one['code']}: {one['detail']}" for one in answer["reasons"])
    return f"{json.dumps(answer['id'])} is rejected\n{reasons}\n  looked in: {_looked_in(line)}"


def _looked_in(line: bytes) -> str:
    """The text of the row that values were looked for in, cut and as ASCII."""
    try:
        row = json.loads(line)
        text = row.get("completion") or row.get("question") or [turn["content"] for turn in row["messages"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        text = line[:400].decode("utf-8", "replace")
    return json.dumps(text)[:400]
