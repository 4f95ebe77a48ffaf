"""`sparring verify` and `sparring score`: JSONL through the verifiers (CONTRACT, JSONL in and out).

In: a file or standard input. Out: one answer for each line that is not blank, in order, flushed as what has come is
done (`line_stream`); a summary on standard error. Exit 0 whatever the verdicts, 1 when reading or writing failed, 2 for
wrong usage.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections import Counter
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any

import typer

from data.errors import StoreError, UsageError
from flows.explain import explain_row, say
from flows.line_stream import Judge, cores, judged, opened
from verifiers.formats import FORMATS
from verifiers.lines import score_line, verify_line
from verifiers.verify import CHECKS

FileArgument = Annotated[str, typer.Argument(metavar="FILE|-", help="JSONL, or - for standard input")]
WorkersOption = Annotated[int, typer.Option(min=0, help="processes; 0: one for each core")]


def register(app: typer.Typer) -> None:
    """Add both commands to the application."""
    app.command("verify")(verify)
    app.command("score")(score)


def verify(
    file: FileArgument,
    checks: Annotated[str, typer.Option(help=f"only these, by commas: {', '.join(CHECKS)}")] = "",
    every: Annotated[bool, typer.Option("--all", help="every failure of every check")] = False,
    workers: WorkersOption = 1,
    explain: Annotated[bool, typer.Option(help="rejected rows in words, on standard error")] = False,
) -> None:
    """Prove tasks or completions solvable, line by line."""
    wanted = frozenset(filter(None, (part.strip() for part in checks.split(",")))) if checks else None
    if unknown := sorted((wanted or frozenset()) - set(CHECKS)):
        raise UsageError(f"no check is called {', '.join(unknown)}", hint=f"there are: {', '.join(CHECKS)}")
    answer = partial(verify_line, checks=wanted, every=every)
    _run(file, Judge(answer, _verdict_bin, explain_row if explain else None), workers)


def score(
    file: FileArgument,
    harness: Annotated[str, typer.Option(help=f"of rows that name none: {', '.join(FORMATS)}")] = "tags",
    workers: WorkersOption = 1,
) -> None:
    """Score a solver's completions against the gold calls, line by line."""
    if harness not in FORMATS:
        raise UsageError(f"there is no harness {harness!r}", hint=f"there are: {', '.join(FORMATS)}")
    _run(file, Judge(partial(score_line, harness=harness), _outcome_bin), workers)


def _run(file: str, judge: Judge, workers: int) -> None:
    """Judge every line of `file`, print the answers, sum up."""
    gc.freeze()  # what was imported stays to the end: nobody need look through it, least of all when we leave
    bins: Counter[str] = Counter()
    start = time.monotonic()
    with ExitStack() as stack:
        stream = opened(file, stack, sys.stdin.buffer)
        for printed in judged(stream, file, judge, workers or cores()):
            bins.update(printed.bins)
            _print(printed.text)
            say(printed.explained)
    seconds = time.monotonic() - start
    print(f"{bins.total()} rows in {seconds:.1f} s: {_summary(bins)}", file=sys.stderr)


def _print(text: str) -> None:
    """Write and flush. A reader that went away ends the run quietly, as for any Unix filter."""
    try:
        sys.stdout.write(text)
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


def _outcome_bin(answer: dict[str, Any]) -> str:
    return str(answer["outcome"])


def _summary(bins: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in bins.most_common()) or "nothing"
