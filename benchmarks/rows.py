"""Rows for the measurements of `verify`: API-shaped tasks, as many as wanted, streamed.

In: a kind and a number. Out: lines of JSONL in which no two questions are the same.

- `repeated`: real rows (BFCL, where it lies beside the checkout) over and over, each menu under another question;
- `distinct`: the same, with descriptions that make every tool of every row a new one: what an open generator writes;
- `catalogue`: scripted questions over menus of 2 to 8 tools of the shipped catalogue: tools repeat, menus hardly do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import count, cycle, islice
from typing import Any

from benchmarks import bfcl
from generator.briefs import BriefConfig, plan, proposes_all
from generator.catalogue import load_catalogue
from generator.oracle import oracle_parts

OPENINGS = ("Hello", "Good morning", "Please", "A favour", "One more thing", "For the report", "Next", "As agreed")
WHO = ("Ida", "Noah", "Mila", "Theo", "Vera", "Hugo", "Lena", "Otto", "Rosa", "Emil", "Nina", "Paul", "Jonas")
THINGS = ("album", "ladder", "candle", "pillow", "basket", "mirror", "carpet", "kettle", "wallet", "bucket", "lantern")


def lines(kind: str, number: int) -> Iterator[bytes]:
    """So many rows of a kind."""
    source = _catalogue() if kind == "catalogue" else cycle(templates())
    for place, (question, tools, calls) in zip(range(number), source, strict=False):
        row = {"id": f"row-{place}", "question": f"{opening(place)}: {question}", "tools": tools, "calls": calls}
        text = json.dumps(row, ensure_ascii=False)
        if kind == "distinct":
            text = text.replace('"description": "', f'"description": "({word(place)}) ')
        yield text.encode() + b"\n"


def opening(place: int) -> str:
    """Words that no other row begins with, and no figures."""
    return f"{OPENINGS[place % 8]}, {WHO[place // 8 % 13]}, about the {THINGS[place // 104 % 11]} {word(place)}"


def word(place: int) -> str:
    """A made-up word of its own for each number."""
    letters = ""
    for _ in range(5):
        place, left = divmod(place, 20)
        letters += "bcdfghjklmnpqrstvwxz"[left] + "aeiou"[left % 5]
    return letters


@cache
def templates() -> tuple[tuple[str, Any, Any], ...]:
    """Question, tools and calls of every row there is."""
    return tuple(_bfcl() if bfcl.REAL.is_dir() else islice(_catalogue(), 1000))


def _bfcl() -> Iterator[tuple[str, Any, Any]]:
    """The real rows of one question."""
    for draft in bfcl.rows().values():
        if len(draft.messages) == 1:
            yield draft.messages[0].content, draft.tools, draft.calls


def _catalogue() -> Iterator[tuple[str, Any, Any]]:
    """Scripted tasks over the shipped catalogue, without end."""
    config = BriefConfig(load_catalogue(), kinds={"single": 0.8, "parallel": 0.2}, counts=(2,))
    for index in count():
        brief = plan(config, index)
        if proposes_all(brief):
            (question,), tools, calls = oracle_parts(brief)
            yield question, tools, calls
