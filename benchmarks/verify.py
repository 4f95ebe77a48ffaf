"""`sparring verify` beside a straightforward loop that makes the same checks, and its memory over many rows.

    python -m benchmarks.verify [--rows 20000] [--rounds 5] [--kinds repeated,distinct,catalogue]
    python -m benchmarks.verify --memory 1000000        peak memory over so many streamed rows, and over a tenth of them

Every figure comes from a process of its own (start included) that reads a file and writes to nowhere, in turns with the
others, so that what else the machine does hits all alike. Rows a second are of CPU time (a core of its own) and, in
brackets, of the clock. The cost of a check is what the process takes longer with it than without it, in one process,
in microseconds a row. Quote the ratios: machines differ. `benchmarks.rows` says what the rows are,
`benchmarks.straightforward` what the loop does, and what it leaves out. Five rules of those (exchanged and overused
values, a better tool, unasked and omitted arguments) have a run of ours without them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks import rows, straightforward
from verifiers.lines import read_line, verify_line
from verifiers.verify import CHECKS, verify

KINDS = ("repeated", "distinct", "catalogue")
COMMANDS = {
    "verify --workers 1": ("flows.cli", "verify", "--workers", "1"),
    "verify --workers 0": ("flows.cli", "verify", "--workers", "0"),
    "without five rules": ("benchmarks.without_senses", "verify", "--workers", "1"),
    "straightforward loop": ("benchmarks.straightforward",),
}


class Measured(NamedTuple):
    """One process: seconds of the clock, seconds of CPU (its workers' too), peak memory in MB."""

    seconds: float
    cpu: float
    megabytes: float


def run(command: Iterable[str], file: str, given: Iterable[bytes] = ()) -> Measured:
    """Run a module over a file, or over rows given on standard input."""
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", *command, file],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path.cwd())},
    )
    assert process.stdin is not None
    for row in given:
        process.stdin.write(row)
    process.stdin.close()
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {said.decode(errors='replace')}")
    return Measured(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def compare(kind: str, number: int, rounds: int) -> None:
    """Measure all commands in turns over one file of rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        with path.open("wb") as file:
            file.writelines(rows.lines(kind, number))
        print(f"\n{kind}: {number:,} rows of {path.stat().st_size / number:,.0f} bytes; {_repeats(path)}")
        measured: dict[str, list[Measured]] = {name: [] for name in COMMANDS}
        for _ in range(rounds):
            for name, command in COMMANDS.items():
                measured[name].append(run(command, str(path)))
    ours, loop = measured["verify --workers 1"], measured["straightforward loop"]
    for name, found in measured.items():
        busy, clock = (number / median(one[place] for one in found) for place in (1, 0))
        print(f"  {name:22} {busy:8,.0f} rows a CPU second ({clock:8,.0f} a second)")
    for title, compared in (("one core", ours), ("and without them", measured["without five rules"])):
        ratios = sorted(other.cpu / one.cpu for one, other in zip(compared, loop, strict=True))
        print(f"  {title:16} over the loop {median(ratios):5.1f} times (of CPU, {ratios[0]:.1f} to {ratios[-1]:.1f})")
    spread = sorted(
        one.seconds / other.seconds for one, other in zip(ours, measured["verify --workers 0"], strict=True)
    )
    print(f"  all {len(os.sched_getaffinity(0))} cores over one  {median(spread):4.1f} times (of the clock)")


def _repeats(path: Path) -> str:
    """How many rows hold a menu, or only tools, that stood before, and how many are solvable, to us and to the loop."""
    menus: set[str] = set()
    tools: set[str] = set()
    again = known = solvable = agreed = named = number = 0
    compiled: straightforward.Menus = {}
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            listed = [json.dumps(tool) for tool in json.loads(line)["tools"]]
            again += json.dumps(listed) in menus
            known += tools.issuperset(listed)
            menus.add(json.dumps(listed))
            tools.update(listed)
            ours, theirs = verify_line(line, number), straightforward.answer(line.decode(), compiled)
            solvable += ours["solvable"]
            agreed += ours["solvable"] is theirs["solvable"]
            named += ours["task_id"] == theirs["task_id"] and ours["solvable"]
    return (
        f"{again / number:.0%} with a menu and {known / number:.0%} with tools alone that stood before; "
        f"{solvable / number:.0%} solvable; {agreed / number:.1%} so to the loop, with {named / number:.1%} equal ids"
    )


def costs(kind: str, number: int, rounds: int) -> None:
    """What each part of a row costs, in one process."""
    given = list(rows.lines(kind, number))
    drafts: list[Any] = [read_line(line) for line in given]
    parts: dict[str, Callable[[], object]] = {"read the line": lambda: _each(read_line, given)}
    for place, check in enumerate(CHECKS, 1):
        wanted = frozenset(CHECKS[:place]) if place < len(CHECKS) else None  # by name, soundness tries mutants anywhere
        parts[check] = partial(_each, partial(verify, checks=wanted), drafts)
    parts["all of it"] = lambda: _each(lambda line: json.dumps(verify_line(line, 1)), given)
    taken: dict[str, list[float]] = {name: [] for name in parts}
    for _ in range(rounds):
        for name, part in parts.items():
            start = time.process_time()
            part()
            taken[name].append((time.process_time() - start) / number * 1e6)
    cost = {name: min(found) for name, found in taken.items()}
    before = 0.0
    said = [f"read the line {cost['read the line']:.1f}"]
    for check in CHECKS:
        said.append(f"{check} {max(0.0, cost[check] - before):.1f}")
        before = cost[check]
    said.append(f"task_id and answer {cost['all of it'] - before - cost['read the line']:.1f}")
    print(f"  us a row: {', '.join(said)}; all of it {cost['all of it']:.1f}")


def _each(part: Callable[[Any], object], items: Iterable[Any]) -> None:
    """Call it with each, keeping nothing: what is kept is looked through by the garbage collector."""
    for item in items:
        part(item)


def memory(kind: str, number: int) -> None:
    """Peak memory over `number` streamed rows, and over a tenth of them."""
    small, large = (
        run(COMMANDS["verify --workers 1"], "-", rows.lines(kind, count)) for count in (number // 10, number)
    )
    print(
        f"{kind}: peak memory {small.megabytes:,.0f} MB over {number // 10:,} rows, {large.megabytes:,.0f} MB over "
        f"{number:,}: {large.megabytes / small.megabytes:.2f} times ({number / large.seconds:,.0f} rows a second)"
    )


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--memory", type=int, default=0, metavar="ROWS")
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for kind in options.kinds.split(","):
        if options.memory:
            memory(kind, options.memory)
        else:
            compare(kind, options.rows, options.rounds)
            costs(kind, min(options.rows, 5_000), options.rounds)
    print(f"load at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
