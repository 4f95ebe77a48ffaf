"""Run attacks in this process under a deny-all audit hook, and say what came out, as JSON on standard output.

`python -m tests.attacks.attack_run attacks FIRST SEEDS`, `bombs FIRST SEEDS`, `cases`, or `fuzz FIRST COUNT`.
After a warm-up on honest tasks nothing may be opened, started, connected, imported, compiled or evaluated any more:
the hook refuses every audited event but a few that only look, and keeps its name. The one process of ours that a check
may start, the algebra worker with its fixed command, is let through.
"""

from __future__ import annotations

import faulthandler
import heapq
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.attacks.attack_answers import ANSWER_FAMILIES
from tests.attacks.attack_base import TASKS, Attack
from tests.attacks.attack_bombs import bombs
from tests.attacks.attack_drafts import DRAFT_FAMILIES
from tests.attacks.attack_fuzz import fuzz, fuzzed
from verifiers.lines import score_line, verify_line

CASES = Path(__file__).with_name("cases")
HANG_SECONDS = 60
_LOOKS = frozenset(("object.__getattr__", "object.__setattr__", "sys._getframe", "builtins.id", "gc.get_objects"))
_WARM = (
    "Seven people, 5 km, 2x + 1, sqrt(8), March 5, 2026 at 7:30 pm, a dozen euros, half past seven in Germany, "
    "today is 2026-03-02, next Friday, \u00bd, 漢字, 5\u00b2, caf\u00e9, 20 %"
)


class Touched(BaseException):
    """An attack reached for the machine. Not an `Exception`, so that no checker can swallow it."""


def deny(touches: list[str]) -> None:
    """Refuse from here on whatever is audited, and note it."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _LOOKS or (event == "open" and isinstance(arguments[0], int)):
            return
        if event == "subprocess.Popen" and "algebra_worker.py" in str(arguments[1]):
            return
        touches.append(f"{event} {str(arguments)[:200]}")
        raise Touched(event)

    sys.addaudithook(hook)


def attacks(first: int, seeds: int) -> Iterator[Attack]:
    """Families x tasks x seeds."""
    for seed in range(first, first + seeds):
        for task in TASKS:
            for family in (*ANSWER_FAMILIES, *DRAFT_FAMILIES):
                yield from family(Random(f"{seed}:{task.name}:{family.__name__}"), task)


def cases() -> Iterator[Attack]:
    """The corpus: rows as in the shared tables."""
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            expected = {key: (value,) for key, value in row.pop("expected").items()}
            kind = f"{row.pop('kind')}: {row.pop('why')}"
            yield Attack(kind, "score" if path.stem == "score" else "verify", row, expected)


def outcome(attack: Attack) -> str:
    """What is wrong with what comes out; nothing when all is right."""
    found = (score_line if attack.verb == "score" else verify_line)(attack.line, 1)
    reasons = found.get("reasons")
    seen = {**found, **(reasons[0] if reasons else {})}
    for key, fits in attack.expected.items():
        value = round(seen[key], 12) if key == "reward" else seen.get(key)
        if not any(value == fit and type(value) is type(fit) for fit in fits):
            return f"{key} {value!r}, not {fits!r}: {str(found)[:300]}"
    if attack.verb == "score" and attack.expected.get("correct") == (False,) and seen["reward"] >= 1:
        return f"reward {seen['reward']}"
    return "" if "checker" not in (seen.get("check"), seen.get("outcome")) else str(found)[:300]


def warm() -> None:
    """What is made or read once on first use is made before the doors close."""
    for task in TASKS:
        for row in (task.row, task.row | {"question": f"{task.question} {_WARM}"}):
            verify_line(json.dumps(row).encode(), 1)
        score_line(json.dumps({**task.row, "completion": ""}).encode(), 1)
    tool = {
        "name": "f",
        "parameters": {"x": {"type": "str"}, "n": {"type": "float"}, "p": {"type": "str", "pattern": "a"}},
    }
    for value in ("DE", "EUR", "x + 1 + x", "2026-03-06", "19:30", "zz", 7, 2.83, 3000):
        name = "x" if isinstance(value, str) else "n"
        row = {"question": _WARM, "tools": [tool], "calls": [{"name": "f", "arguments": {name: value}}]}
        verify_line(json.dumps(row).encode(), 1)


def run(work: Iterator[Any], judge: Any) -> dict[str, Any]:
    """Judge each piece of work; `judge` gives (kind, what is wrong)."""
    touches: list[str] = []
    deny(touches)
    count, wrong = 0, []
    slowest: list[tuple[float, str]] = []
    kinds: Counter[str] = Counter()
    for piece in work:
        if count % 64 == 0:
            faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        start = time.process_time()
        try:
            kind, fault = judge(piece)
        except (Exception, Touched) as raised:
            kind, fault = getattr(piece, "kind", str(piece)), f"{type(raised).__name__}: {str(raised)[:200]}"
        seconds = time.process_time() - start
        count, kinds[kind] = count + 1, kinds[kind] + 1
        heapq.heappush(slowest, (round(seconds, 3), kind))
        if len(slowest) > 8:
            heapq.heappop(slowest)
        if fault:
            wrong.append(f"{kind}: {fault}")
    faulthandler.cancel_dump_traceback_later()
    told = {"count": count, "kinds": len(kinds), "wrong": len(wrong), "touches": touches[:20], "faults": wrong[:60]}
    return told | {"slowest": sorted(slowest, reverse=True)}


def _one(attack: Attack) -> tuple[str, str]:
    return attack.kind, outcome(attack)


def main(what: str, first: int = 0, number: int = 1) -> None:
    warm()
    if what == "fuzz":
        told = run(iter(range(first, first + number)), fuzz)
    elif what == "bombs":
        told = run((one for seed in range(first, first + number) for one in bombs(Random(f"{seed}"))), _one)
    else:
        told = run(iter(list(cases())) if what == "cases" else attacks(first, number), _one)
    print(json.dumps(told))


if __name__ == "__main__":
    assert fuzzed(0)
    main(sys.argv[1], *map(int, sys.argv[2:]))
