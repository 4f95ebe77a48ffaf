"""Attacks on the verifier and the harness come out as their construction says, and touch nothing (issue 3, item 6).

They run in a child process, for its audit hook can never be taken off. `ATTACK_SEEDS` and `FUZZ_COUNT` make them more;
`python -m benchmarks.fuzz` reports the slowest.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.attack_run import CASES, attacks

ROOT = Path(__file__).parents[2]
SEEDS = int(os.environ.get("ATTACK_SEEDS", "1"))
FUZZ = int(os.environ.get("FUZZ_COUNT", "4000"))


def run(*arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.attacks.attack_run", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("what", [("cases",), ("attacks", 0, SEEDS), ("bombs", 0, SEEDS), ("fuzz", 0, FUZZ)], ids=str)
def test_every_attack_comes_out_right_and_touches_nothing(what: tuple[object, ...]) -> None:
    told = run(*what)
    assert told["count"]
    assert (told["faults"], told["touches"]) == ([], [])


def test_one_seed_makes_at_least_5000_attacks_of_150_kinds() -> None:
    kinds = Counter(attack.kind for attack in attacks(0, 1))
    assert kinds.total() >= 5_000
    assert len(kinds) >= 150


@pytest.mark.parametrize("what", ["open", "socket", "subprocess", "import", "eval"])
def test_the_hook_refuses_what_touches_the_machine(what: str) -> None:
    reach = {
        "open": "open('/dev/null')",
        "socket": "__import__('socket').socket()",
        "subprocess": "__import__('os').system('true')",
        "import": "__import__('this')",
        "eval": "eval('1')",
    }[what]
    probe = (
        f"import os, socket\nfrom tests.attacks.attack_run import Touched, deny\ndeny(seen := [])\ntry:\n    {reach}\n"
    )
    probe += "except Touched:\n    os.write(1, b'refused')\n"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "refused", done.stderr[-2000:]


def test_the_corpus_names_for_each_row_its_kind_and_what_it_stands_for() -> None:
    rows = [
        json.loads(line) for path in CASES.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert len({row["id"] for row in rows}) == len(rows) >= 150
    assert all(row["kind"] and row["why"] and row["expected"] for row in rows)
