"""The probe: 288 shipped tasks over 48 tools that no shipped catalogue has, in two halves without a common tool.

In: `promotion`, `final`, or nothing for both. Out: a `Bench` whose categories are the kinds of task. Decisions between
rounds may look at the promotion half; the final half is for what is reported at the end, and no decision sees it.
The file is frozen: `benchmarks/make_probe.py` made it, and every task of it passes `verify`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from data.errors import UsageError
from data.records import Message
from solver.benches.base import Bench, Item, bench, item, json_rows

FILE = Path(__file__).with_name("probe.jsonl")
HALVES = ("promotion", "final")


def read(half: str = "") -> Bench:
    """The probe, or one half of it. Raises `UsageError` for a half that is none."""
    if half and half not in HALVES:
        raise UsageError(f"the probe has no half {half!r}", hint=f"--bench probe, or probe={' or probe='.join(HALVES)}")
    return bench(f"probe={half}" if half else "probe", [FILE], _items(half))


def _items(half: str) -> Iterator[tuple[str, Item | str]]:
    for row in json_rows(FILE):
        if half in ("", row["half"]):
            turns = [Message("user", row["question"])]
            yield row["id"], item(row["id"], row["kind"], turns, row["tools"], row["calls"])
