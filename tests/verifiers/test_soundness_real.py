"""Check 7 on real human-made rows: no mutant of a gold survives; of their alternatives only blind ones are refused."""

from functools import cache
from typing import Any

import pytest

from benchmarks.bfcl import CATEGORIES, REAL, rows
from data.records import Draft
from solver.benches.bfcl import gold_calls, questions
from verifiers.verify import verify

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the real rows are not beside this checkout")

BLIND = {
    "simple_python_56": "include_description: both booleans",
    "simple_python_144": "detailed: both booleans",
    "simple_python_234": "region: every region",
    "simple_python_240": "full_term_only: both booleans",
    "simple_python_297": "returnAllPossibleKeys: both booleans",
    "simple_python_326": "include_player_stats: both booleans",
    "multiple_14": "monthly: both booleans",
    "parallel_178": "call 1 for Microsoft accepts Apple, which call 3 is for",
}


@cache
def with_alternatives() -> dict[str, Draft]:
    """The rows whose answers name further values, or values that may be left out."""
    found = {}
    for category in CATEGORIES:
        for row, possible in questions(REAL / f"BFCL_v4_{category}.json"):
            draft = rows()[row["id"]]
            menu: Any = draft.tools
            required = {tool["name"]: tool["parameters"].get("required", []) for tool in menu}
            calls, accept, may_omit = gold_calls(possible or [], required)
            if any(accept) or any(may_omit):
                found[row["id"]] = Draft(draft.messages, draft.tools, calls, accept, may_omit)
    return found


def test_no_mutant_of_a_real_gold_survives() -> None:
    for name in sorted(rows())[::5]:
        reasons = verify(rows()[name], checks=["soundness"]).reasons
        assert not [reason for reason in reasons if reason.check != "calls"], name


def test_of_real_alternatives_only_blind_ones_are_refused() -> None:
    tried = [*BLIND, *(name for name in sorted(with_alternatives())[::4] if name not in BLIND)]
    refused = {name for name in tried if "soundness" in {one.check for one in verify_all(name)}}
    assert refused == set(BLIND)


def verify_all(name: str) -> Any:
    return verify(with_alternatives()[name], checks=["soundness"], every=True).reasons
