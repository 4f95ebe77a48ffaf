"""Arms of an evolution on one budget, seed by seed.

    python -m benchmarks.evolution.play RUNS [--arm separate] [--seed 0] [--steps 12] [--bfcl simple_python.json]

In: a folder for the runs. Out: a line of `results.jsonl` for each arm and seed that is done: every round's figures and
decisions, and what the final halves said of the base and of the last players, item by item. A run is one `sparring
evolve` in a folder of its own; started again, it goes on where it was, and what has a line under this budget is not run
again, so runs may be spread over days. Arms: `separate` weights, `shared` weights, `no-difficulty` in the reward.
Not promised: the same figures from the same seed, which hang on what the server batches.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from loguru import logger

from policies.training.job import read_lines

RESULTS = Path(__file__).with_name("results.jsonl")
ROOT = Path(__file__).resolve().parents[2]
ARMS = {"separate": (), "shared": ("--weights", "shared"), "no-difficulty": ("--no-difficulty",)}
SEEDS = (0, 1, 2)


def lines() -> list[dict[str, Any]]:
    """What was run so far."""
    return list(read_lines(RESULTS)) if RESULTS.exists() else []


def budget(options: argparse.Namespace) -> dict[str, Any]:
    """What makes runs comparable: all that they may spend, and what they are measured on."""
    benches = ["bfcl simple_python"] if options.bfcl else []
    kept = ("rounds", "steps", "tasks", "budget", "answers")
    return {**{name: getattr(options, name) for name in kept}, "benches": ["probe=final", *benches]}


def play(options: argparse.Namespace, arm: str, seed: int) -> dict[str, Any]:
    """One evolution from the base, to its end. Raises `CalledProcessError` if it comes to no result."""
    folder = options.folder.absolute() / f"{arm}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        *(sys.executable, "-m", "flows.cli", "evolve", "--name", arm, "--seed", str(seed), *ARMS[arm]),
        *("--no-grammar", "--json"),
        *("--rounds", str(options.rounds), "--steps", str(options.steps), "--tasks", str(options.tasks)),
        *("--budget", str(options.budget), "--seeds", str(options.answers)),
        *("--store", str(folder / "sets"), "--workdir", str(folder / "work")),
        *(("--bench", f"bfcl={options.bfcl.absolute()}") if options.bfcl else ()),
    ]
    began = time.monotonic()
    with (folder / "log").open("ab") as log:
        ended = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=log, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
    spent = time.monotonic() - began
    if not ended.stdout:  # Not by the code: an alarm of the last round ends with 1, too.
        raise subprocess.CalledProcessError(ended.returncode, command)
    whole = json.loads(ended.stdout)
    return {"arm": arm, "seed": seed, "budget": budget(options), "seconds": round(spent), **whole}


def main() -> None:
    """Run what has no line yet, seed by seed, and every arm of a seed before the next."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arm", action="append", choices=ARMS)
    parser.add_argument("--seed", action="append", type=int)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=12, help="training steps of each player in each round")
    parser.add_argument("--tasks", type=int, default=32)
    parser.add_argument("--budget", type=int, default=160, help="candidates of a round")
    parser.add_argument("--answers", type=int, default=3, help="to each item of a probe")
    parser.add_argument("--bfcl", type=Path, help="BFCL_v4_simple_python.json, with possible_answer/ beside it")
    options = parser.parse_args()
    for seed in options.seed or SEEDS:
        for arm in options.arm or ARMS:
            if any((one["arm"], one["seed"], one["budget"]) == (arm, seed, budget(options)) for one in lines()):
                continue
            logger.info("{}, seed {}", arm, seed)
            done = play(options, arm, seed)
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(done, sort_keys=True) + "\n")
            logger.info("{}, seed {}: {} s", arm, seed, done["seconds"])


if __name__ == "__main__":
    main()
