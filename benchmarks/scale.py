"""How the flow grows with its budget: seconds, memory, task runs and Prefect's database, on the scripted engine.

    python -m benchmarks.scale [--sizes 10000 100000] [--engine scripted:latency=2] [--runner threads]

Each size is a run of its own in a folder of its own, with a Prefect server of its own, asked for a third of its
candidates as tasks, so that most of the budget is used. Seconds are of the whole command, and beside them those of
processors in the run's process, which a busy machine changes less; memory is the peak of the
run's process alone; the engine is busy while a request to it is under way, whatever else goes on (of steps in this
process: not with a cluster). A slope is the exponent of growth between two sizes: 1 grows as the budget does, 0 not.
Quote ratios and slopes, not single seconds: machines are noisy.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from math import log
from pathlib import Path
from typing import Any, NamedTuple

RUN = "from benchmarks.scale import recorded; recorded()"
BUSY = "SPARRING_BENCH_BUSY"


class Measured(NamedTuple):
    """One run. `asked` are the candidates used, `cpu` and `busy` are seconds, `peak` and `database` MB."""

    asked: int
    seconds: float
    cpu: float
    busy: float
    peak: float
    task_runs: int
    database: float

    def line(self) -> str:
        return (
            f"{self.asked:>9,} candidates {self.seconds:8.1f} s {self.cpu:7.1f} s of processors "
            f"{self.peak:7.0f} MB at the peak {self.task_runs:6,} task runs {self.database:7.1f} MB of database"
            f"{f'   {self.seconds / self.busy:.3f} of busy time' if self.busy else ''}"
        )


class Busy:
    """How long at least one request was under way; all requests of a process are on one loop."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._under_way = 0
        self._since = 0.0

    def watch(self, draw: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., Coroutine[Any, Any, None]]:
        """`draw`, watched."""

        async def watched(*arguments: Any) -> None:
            if not self._under_way:
                self._since = time.monotonic()
            self._under_way += 1
            try:
                await draw(*arguments)
            finally:
                self._under_way -= 1
                if not self._under_way:
                    self.seconds += time.monotonic() - self._since

        return watched


def recorded() -> None:
    """The command line, with the engine watched; its busy seconds go to the file that `BUSY` names."""
    from flows.cli import main as sparring
    from policies.scripted import ScriptedPolicy

    busy = Busy()
    ScriptedPolicy.draw = busy.watch(ScriptedPolicy.draw)  # type: ignore[method-assign]
    try:
        sparring()
    finally:
        Path(os.environ[BUSY]).write_text(str(busy.seconds))


def asking(folder: Path, budget: int) -> list[str]:
    """The words of a run in a folder of its own, asked for a third of its candidates as tasks."""
    words = ["run", "--tasks", str(max(1, budget // 3)), "--budget", str(budget), "--seed", "1"]
    return [*words, "--store", f"{folder}/sets", "--workdir", f"{folder}/work"]


def environment(folder: Path) -> dict[str, str]:
    """What such a run is started with: this code, and a Prefect server of its own."""
    kept = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    return kept | {"PYTHONPATH": str(Path.cwd()), "PREFECT_HOME": f"{folder}/prefect"}


def measure(budget: int, engine: str, runner: str) -> Measured:
    """Run the flow once over this many candidates at most."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        start = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, *asking(folder, budget), "--json", "--engine", engine, "--runner", runner],
            stdout=subprocess.PIPE,
            stderr=(folder / "log").open("wb"),
            cwd=folder,
            env=environment(folder) | {BUSY: f"{folder}/busy"},
        )
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        if process.returncode not in (0, 1) or b'"published"' not in said:
            raise SystemExit(f"the run ended with {process.returncode}: {(folder / 'log').read_text()[-2000:]}")
        manifest = json.loads((Path(json.loads(said)["published"]) / "manifest.json").read_bytes())
        asked = sum(row["count"] for row in manifest["ledger"])
        busy = float((folder / "busy").read_text())
        cpu = usage.ru_utime + usage.ru_stime
        return Measured(asked, seconds, cpu, busy, usage.ru_maxrss / 1024, *database(folder / "prefect"))


def database(home: Path) -> tuple[int, float]:
    """Task runs in a Prefect database, and its MB on disk."""
    with closing(sqlite3.connect(home / "prefect.db")) as opened:
        (count,) = opened.execute("select count(*) from task_run").fetchone()
    return int(count), sum(path.stat().st_size for path in home.glob("prefect.db*")) / 1e6


def slopes(one: Measured, other: Measured) -> str:
    """The exponents of growth from one size to another."""
    grown = log(other.asked / one.asked)
    parts = [
        f"{name} {log(getattr(other, name) / getattr(one, name)) / grown:.2f}"
        for name in ("seconds", "cpu", "peak", "task_runs", "database")
    ]
    return f"slopes from {one.asked:,} to {other.asked:,}: {', '.join(parts)}; memory x{other.peak / one.peak:.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each size and say how it grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--engine", default="scripted")
    parser.add_argument("--runner", default="threads")
    options = parser.parse_args(arguments)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    done: list[Measured] = []
    for size in options.sizes:
        done.append(measure(size, options.engine, options.runner))
        print(done[-1].line(), flush=True)
        if len(done) > 1:
            print(slopes(done[-2], done[-1]), flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
