"""The Berkeley Function-Calling Leaderboard in its own format, single-turn categories.

In: `BFCL_v<n>_<category>.json` (one JSON object a line in spite of the name), or a folder of them; the answers lie in
`possible_answer/` beside it under the same name. Out: a `Bench`. A possible answer lists acceptable values for each
parameter: the first becomes the gold, the others `accept`, and `""` says that it may be left out. The irrelevance
categories have no answers: no call is right.
Not promised: BFCL's own checker, which folds case and punctuation of texts; ours does not.
Source: the `possible_answer` files and `ast_checker` of bfcl-eval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

from data.errors import UsageError
from data.records import Json, Message
from solver.benches.base import Bench, Item, bench, item, json_rows

CATEGORIES = (
    *("simple_python", "simple", "multiple", "parallel", "parallel_multiple", "irrelevance"),
    *("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple", "live_irrelevance"),
)
MOST_VARIANTS = 64
"""Values made of one nested alternative, at most."""
_FILE = re.compile(r"BFCL_v[0-9]+_(.+)\.json")


class Golds(NamedTuple):
    """A possible answer as gold calls with alternatives (RULES A7)."""

    calls: list[dict[str, Any]]
    accept: list[dict[str, list[Json]]]
    may_omit: list[list[str]]


def read(path: Path) -> Bench:
    """The benchmark at `path`. Raises `UsageError` for files of another kind, or without their answers."""
    files = sorted(one for one in path.glob("BFCL_v*_*.json") if category_of(one)) if path.is_dir() else [path]
    for file in files:
        if not category_of(file):
            raise UsageError(
                f"{file.name} is no single-turn category of BFCL",
                hint=f"BFCL_v4_<category>.json, of {', '.join(CATEGORIES)}",
            )
    answers = [answers_of(file) for file in files]
    rows = (row for file in files for row in _items(file))
    try:
        return bench("bfcl", [*files, *(one for one in answers if one)], rows)
    except (KeyError, TypeError, AttributeError, IndexError) as fault:
        raise UsageError(
            f"{path} is not BFCL's format: {type(fault).__name__}: {fault}", hint="give the files as published"
        ) from None


def category_of(file: Path) -> str:
    """The category that a file is named after, or nothing."""
    found = _FILE.fullmatch(file.name)
    return found[1] if found and found[1] in CATEGORIES else ""


def answers_of(file: Path) -> Path | None:
    """Where the answers lie; None for a category in which no call is right."""
    return None if "irrelevance" in category_of(file) else file.parent / "possible_answer" / file.name


def questions(file: Path) -> Iterator[tuple[dict[str, Any], list[Any] | None]]:
    """Each row of a file with its possible answer; None: no call is right."""
    place = answers_of(file)
    golds = {row["id"]: row["ground_truth"] for row in json_rows(place)} if place else {}
    for row in json_rows(file):
        if place and row["id"] not in golds:
            raise UsageError(f"{place} has no answer to {row['id']}", hint="take both files from one release")
        yield row, golds.get(row["id"])


def _items(file: Path) -> Iterator[tuple[str, Item | str]]:
    category = category_of(file)
    for row, possible in questions(file):
        turns = [Message(turn["role"], turn["content"]) for turn in row["question"][0]]
        required = {tool["name"]: tool["parameters"].get("required", []) for tool in row["function"]}
        golds = gold_calls(possible or [], required)
        yield row["id"], item(row["id"], category, turns, row["function"], *golds)


def gold_calls(possible: list[Any], required: Mapping[str, list[str]]) -> Golds:
    """A possible answer as gold calls: every named parameter with its first value, the rest as alternatives."""
    golds = Golds([], [], [])
    for name, given in (pair for call in possible for pair in call.items()):
        values = {key: [one for value in some if value != "" for one in variants(value)] for key, some in given.items()}
        values = {key: some for key, some in values.items() if some}
        golds.calls.append({"name": name, "arguments": {key: some[0] for key, some in values.items()}})
        golds.accept.append({key: some[1:] for key, some in values.items() if some[1:]})
        golds.may_omit.append([key for key in values if "" in given[key] and key not in required.get(name, [])])
    return golds


def variants(value: Any) -> list[Any]:
    """The values that one acceptable value stands for: inside an object each key lists its own alternatives."""
    if isinstance(value, dict):
        ways = [_ways(inner) for inner in value.values()]
        made = islice(product(*ways), MOST_VARIANTS)
        return [{key: part for key, part in zip(value, parts, strict=True) if part is not _LEFT_OUT} for parts in made]
    if isinstance(value, list):
        return [list(parts) for parts in islice(product(*map(variants, value)), MOST_VARIANTS)]
    return [value]


_LEFT_OUT: Any = object()


def _ways(inner: Any) -> list[Any]:
    """What may stand under one key of an object."""
    listed = inner if isinstance(inner, list) else [inner]
    return [way for one in listed or [""] for way in ([_LEFT_OUT] if one == "" else variants(one))]
