"""Attacks, bombs and fuzzed inputs in number, under the deny-all audit hook: what came out wrong, what was slow.

    python -m benchmarks.fuzz [--attacks SEEDS] [--bombs SEEDS] [--fuzz COUNT]

In: how many (a seed of attacks is about 5,500 of them, a seed of bombs 130). Out: a line for each, and exit code 1 when
anything came out wrong, touched the machine, or took more than a second of processor time.
Not promised: coverage by feedback; the inputs are the same in every run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

LIMIT_SECONDS = 1.0


def run(what: str, number: int) -> dict[str, Any]:
    """What `tests.attacks.attack_run` says of the first `number` seeds or inputs."""
    command = [sys.executable, "-m", "tests.attacks.attack_run", what, "0", str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attacks", type=int, default=2)
    parser.add_argument("--bombs", type=int, default=4)
    parser.add_argument("--fuzz", type=int, default=100_000)
    bad = 0
    for what, number in vars(parser.parse_args()).items():
        told = run(what, number)
        slowest, kind = told["slowest"][0]
        print(
            f"{what}: {told['count']:,} of {told['kinds']} kinds, {told['wrong']} wrong, "
            f"{len(told['touches'])} touches, slowest {slowest:.3f} s ({kind})",
            flush=True,
        )
        for line in (*told["faults"], *told["touches"]):
            print(f"  {line}")
        bad += told["wrong"] + len(told["touches"]) + (slowest > LIMIT_SECONDS)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
