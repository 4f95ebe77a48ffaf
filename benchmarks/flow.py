"""The whole flow with the scripted engine: candidates a second, and peak memory at two sizes.

    python -m benchmarks.flow [--small 10000] [--large 100000]

Each size is a run of its own (`sparring run --engine scripted`) in a folder of its own, asked for a third of its
candidates as tasks, so that most of the budget is used. Seconds include start-up and a Prefect server of our own;
memory is the peak of the run's process alone. Quote the ratio and the rate, not single figures: machines are noisy.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple


class Measured(NamedTuple):
    """One run: candidates, wall seconds, peak resident memory in MB."""

    candidates: int
    seconds: float
    megabytes: float

    def line(self) -> str:
        return (
            f"{self.candidates:>9,} candidates {self.seconds:8.1f} s {self.candidates / self.seconds:8.0f} a second "
            f"{self.megabytes:8.0f} MB at the peak"
        )


def measure(candidates: int) -> Measured:
    """Run the flow once over this many candidates."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "flows.cli", "run", "--engine", "scripted", "--json"]
        command += ["--tasks", str(candidates // 3), "--budget", str(candidates), "--seed", "1"]
        command += ["--store", f"{folder}/sets", "--workdir", f"{folder}/work"]
        start = time.monotonic()
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(Path.cwd()), "PREFECT_HOME": f"{folder}/prefect"},
        )
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1) or not json.loads(said)["published"]:
            raise SystemExit(f"the run ended with {process.returncode}: {said!r}")
        return Measured(candidates, time.monotonic() - start, usage.ru_maxrss / 1024)


def main() -> None:
    """Measure both sizes and print their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=100_000)
    options = parser.parse_args()
    small = measure(options.small)
    print(small.line(), flush=True)
    large = measure(options.large)
    print(large.line())
    print(f"peak memory at {large.candidates:,} over {small.candidates:,}: {large.megabytes / small.megabytes:.2f}")


if __name__ == "__main__":
    main()
