"""Real tasks by people are mostly grounded, and corrupted copies of them are mostly refused (BFCL, four categories)."""

import copy
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from data.records import JsonObject, Message, Verdict
from verifiers.calls import check_calls
from verifiers.determinacy import determinacy_faults
from verifiers.grounding import check_grounding
from verifiers.menu import Menu, read_menu

SHARED = Path(__file__).parents[3] / "shared"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the real inputs are not beside the repository")
Row = tuple[str, Menu, tuple[JsonObject, ...], tuple[Message, ...]]


def plain(value: Any) -> Any:
    """The first acceptable value; inside objects each value is a list of acceptable ones, "" meaning left out."""
    if isinstance(value, dict):
        return {name: plain(inner[0]) for name, inner in value.items() if inner and inner[0] != ""}
    return [plain(item) for item in value] if isinstance(value, list) else value


@cache
def rows() -> tuple[Row, ...]:
    """Tasks with their gold: the first acceptable value of each argument that may not be left out."""
    return tuple(_rows())


def _rows() -> Iterator[Row]:
    folder = SHARED / "real" / "bfcl"
    for name in ("BFCL_v4_simple_python.json", "BFCL_v4_multiple.json", "BFCL_v4_parallel.json"):
        questions = (folder / name).read_text(encoding="utf-8").splitlines()
        answers = (folder / "possible_answer" / name).read_text(encoding="utf-8").splitlines()
        for question, answer in zip(map(json.loads, questions), map(json.loads, answers), strict=True):
            gold = [
                {"name": tool, "arguments": {key: plain(values[0]) for key, values in of.items() if "" not in values}}
                for call in answer["ground_truth"]
                for tool, of in call.items()
            ]
            menu = read_menu(question["function"])
            assert isinstance(menu, Menu)
            calls = check_calls(menu, gold)
            if not isinstance(calls, Verdict):
                turns = tuple(Message(turn["role"], turn["content"]) for turn in question["question"][0])
                yield question["id"], menu, calls, turns


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    elif not isinstance(value, bool) and path[1] == "arguments":
        yield path, value


def changed(kind: str, value: Any, pool: list[Any], dice: random.Random) -> Any:
    """Another value of its kind, or None where this kind of corruption does not apply."""
    if kind == "value":
        return dice.choice([other for other in pool if isinstance(other, str) is isinstance(value, str)])
    if kind == "sign":
        return None if isinstance(value, str) else -value
    places = [place for place, figure in enumerate(str(value)) if figure.isdecimal()]
    if not places:
        return None
    place = dice.choice(places)
    return type(value)(f"{str(value)[:place]}{dice.choice('123456789')}{str(value)[place + 1 :]}")


def test_most_real_tasks_are_grounded() -> None:
    said = [check_grounding(menu, calls, turns) is None for _, menu, calls, turns in rows()]
    assert len(said) > 750
    assert sum(said) / len(said) > 0.83


def test_real_tasks_are_determined() -> None:
    refused = {name for name, menu, calls, turns in rows() if next(determinacy_faults(menu, calls, turns), None)}
    assert refused == {"simple_python_297"}  # its question spells out the call


@pytest.mark.parametrize(("kind", "least"), [("value", 0.94), ("digit", 0.93), ("sign", 0.98)])
def test_corrupted_values_are_refused(kind: str, least: float) -> None:
    good = [row for row in rows() if not check_grounding(*row[1:])]
    pool = [value for _, _, calls, _ in good for _, value in leaves(list(calls))]
    refused: list[bool] = []
    for name, menu, calls, turns in good:
        dice = random.Random(f"{kind}:{name}")
        copied = copy.deepcopy(list(calls))
        for path, value in dice.sample(found := list(leaves(copied)), min(1, len(found))):
            other = changed(kind, value, pool, dice)
            if other is None or other == value or str(other).casefold() == str(value).casefold():
                continue
            place: Any = copied
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = other
            read = check_calls(menu, copied)
            refused.append(isinstance(read, Verdict) or check_grounding(menu, read, turns) is not None)
    assert len(refused) > 250
    assert sum(refused) / len(refused) > least
