"""No answer other than an accepted one reaches 1.0 (issue 3, check 7), and every accepted one does.

What is accepted is said here a second time, slowly and as RULES A2-A8 read: some one-to-one match of the calls in which
each pair is equal. `judge` finds it by an assignment over graded pairs; here every permutation is tried.
"""

import itertools
import unicodedata
from datetime import datetime
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from data.records import Draft, Message
from verifiers.answer import judge, reference
from verifiers.calls import check_calls
from verifiers.menu import Menu, read_menu
from verifiers.mutant import Gold
from verifiers.mutants import mutants
from verifiers.verify import verify

PLACE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "zoom": {"type": "integer", "default": 1}},
    "required": ["city"],
}
TOOLS: list[Any] = [
    {
        "name": "book",
        "description": "",
        "parameters": {
            "type": "object",
            "properties": {
                "who": {"type": "string"},
                "seats": {"type": "number"},
                "unit": {"type": "string", "enum": ["c", "f"], "default": "c"},
                "quiet": {"type": "boolean"},
                "note": {"type": ["string", "null"], "default": None},
                "at": {"type": "string", "format": "date-time"},
                "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
                "stops": {"type": "array", "items": {"type": "integer"}},
                "place": PLACE,
            },
        },
    },
    {"name": "find", "description": "", "parameters": {"type": "object", "properties": {"who": {"type": "string"}}}},
    {"name": "ping", "description": "", "parameters": {}},
]
_menu = read_menu(TOOLS)
assert isinstance(_menu, Menu)
MENU = _menu
SCHEMAS: dict[str, Any] = {str(tool["name"]): tool["parameters"] for tool in MENU.tools}
ABSENT = object()

POOLS: dict[str, list[Any]] = {
    "who": ["Ada", " Ada", "Bob", "ada", "é", "e\u0301"],
    "seats": [0, 1, 1.0, 2, 1e-13, 0.1, 0.1 + 1e-12, 10**20, 10**20 + 1],
    "unit": ["c", "f"],
    "quiet": [True, False],
    "note": [None, "x"],
    "at": ["2026-03-05T12:00:00Z", "2026-03-05T13:00:00+01:00", "2026-03-05T12:00:00", "2026-03-06T12:00:00Z"],
    "tags": [[], ["a"], ["a", "b"], ["b", "a"]],
    "stops": [[], [1], [1, 2], [2, 1], [1.0]],
    "place": [{"city": "Rome"}, {"city": "Rome", "zoom": 1}, {"city": "Rome", "zoom": 2}, {"city": "Oslo"}],
}


def same_value(a: Any, b: Any, schema: Any) -> bool:
    """RULES A2-A5 for two values without references."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        one, other = Fraction(a), Fraction(b)
        if one.denominator == other.denominator == 1:
            return one == other
        return abs(one - other) <= max(Fraction(1, 10**9) * max(abs(one), abs(other)), Fraction(1, 10**12))
    if isinstance(a, str) and isinstance(b, str):
        if schema.get("format") == "date-time":
            first, second = datetime.fromisoformat(a), datetime.fromisoformat(b)
            return (first.tzinfo is None) == (second.tzinfo is None) and first == second
        return unicodedata.normalize("NFC", a).strip() == unicodedata.normalize("NFC", b).strip()
    if isinstance(a, list) and isinstance(b, list):
        item = schema["items"]
        if schema.get("uniqueItems"):
            return all(any(same_value(x, y, item) for y in b) for x in a) and all(
                any(same_value(x, y, item) for x in a) for y in b
            )
        return len(a) == len(b) and all(same_value(x, y, item) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return all(
            same_value(completed(a, name, schema), completed(b, name, schema), schema["properties"][name])
            if ABSENT not in (completed(a, name, schema), completed(b, name, schema))
            else completed(a, name, schema) is completed(b, name, schema)
            for name in {*a, *b}
        )
    return False


def completed(value: dict[str, Any], name: str, schema: Any) -> Any:
    """RULES A2: what stands there, or the declared default, or nothing."""
    return value.get(name, schema["properties"][name].get("default", ABSENT))


class Oracle:
    """RULES A6-A8, with calls by their place from 0."""

    def __init__(self, gold: list[Any], answer: list[Any], accept: list[Any], may_omit: list[Any]) -> None:
        self.gold, self.answer, self.accept, self.may_omit = gold, answer, accept, may_omit

    def accepted(self) -> bool:
        places = range(len(self.gold))
        return len(self.gold) == len(self.answer) and any(
            all(self.same_call(i, order[i]) for i in places) for order in itertools.permutations(places)
        )

    def same_call(self, i: int, j: int) -> bool:
        mine, theirs = self.gold[i], self.answer[j]
        if mine["name"] != theirs["name"]:
            return False
        schema, a, b = SCHEMAS[mine["name"]], mine["arguments"], theirs["arguments"]
        for name in {*a, *b}:
            if name in self.may_omit[i] and name not in b:
                continue
            found = completed(b, name, schema)
            values = [completed(a, name, schema), *self.accept[i].get(name, [])]
            if not any(self.same_argument(value, found, schema["properties"][name], j) for value in values):
                return False
        return True

    def same_argument(self, a: Any, b: Any, schema: Any, j: int) -> bool:
        if a is ABSENT or b is ABSENT:
            return a is b
        one, other = reference(a), reference(b)
        if one is None and other is None:
            return same_value(a, b, schema)
        if one is None or other is None or one[1] != other[1]:
            return False
        return 0 < other[0] <= j and self.same_call(one[0] - 1, other[0] - 1)


def references(most: int) -> st.SearchStrategy[str]:
    return st.builds("$var_{}{}".format, st.integers(1, most), st.sampled_from([".id", ".name"]))


@st.composite
def calls(draw: st.DrawFn, place: int, most: int) -> dict[str, Any]:
    """A call at a place (from 0) that may refer to the first `most` ones."""
    name = draw(st.sampled_from(["book", "find", "find", "ping"]))
    declared = sorted(SCHEMAS[name].get("properties", {}))
    names = draw(st.lists(st.sampled_from(declared), unique=True, max_size=3)) if declared else []
    values = {name: st.sampled_from(POOLS[name]) for name in names}
    if most:
        values = {name: st.one_of(values[name], references(most)) for name in names}
    return {"name": name, "arguments": {name: draw(values[name]) for name in names}}


@st.composite
def golds(draw: st.DrawFn) -> list[dict[str, Any]]:
    return [draw(calls(place, place)) for place in range(draw(st.integers(1, 4)))]


@st.composite
def answers(draw: st.DrawFn, gold: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Near the gold: its calls in any order with references that follow, then up to two edits; or anything at all."""
    order = draw(st.permutations(range(len(gold))))
    answer = []
    for place in order:
        arguments = {}
        for name, value in gold[place]["arguments"].items():
            target = reference(value)
            arguments[name] = f"$var_{order.index(target[0] - 1) + 1}{target[1]}" if target else value
        answer.append({"name": gold[place]["name"], "arguments": arguments})
    for _ in range(draw(st.integers(0, 2))):
        edit = draw(st.sampled_from(["value", "drop", "add", "omit", "copy", "tool"]))
        place = draw(st.integers(0, len(answer) - 1)) if answer else 0
        if edit == "add" or not answer:
            answer.insert(place, draw(calls(place, 4)))
            continue
        call = {"name": answer[place]["name"], "arguments": dict(answer[place]["arguments"])}
        declared = sorted(SCHEMAS[call["name"]].get("properties", {}))
        if edit == "drop":
            del answer[place]
            continue
        if edit == "copy":
            call = answer[draw(st.integers(0, len(answer) - 1))]
        elif edit == "tool":
            call = {"name": draw(st.sampled_from(["find", "ping"])), "arguments": {}}
        elif declared:
            name = draw(st.sampled_from(declared))
            call["arguments"].pop(name, None)
            if edit == "value":
                call["arguments"][name] = draw(st.one_of(st.sampled_from(POOLS[name]), references(4)))
        answer[place] = call
    return answer


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    gold = draw(golds())
    accept: list[Any] = [{} for _ in gold]
    may_omit: list[Any] = [[] for _ in gold]
    if draw(st.booleans()):
        for place, call in enumerate(gold):
            for name in call["arguments"]:
                if draw(st.booleans()):
                    accept[place][name] = draw(st.lists(st.sampled_from(POOLS[name]), max_size=2))
                if draw(st.booleans()):
                    may_omit[place].append(name)
    return gold, draw(answers(gold)), accept, may_omit


@settings(max_examples=600, deadline=None)
@given(cases())
def test_an_answer_reaches_1_if_and_only_if_the_rules_accept_it(case: tuple[Any, Any, Any, Any]) -> None:
    gold, answer, accept, may_omit = case
    judged = judge(MENU.tools, gold, answer, accept, may_omit)
    assert (judged.reward == 1.0) == judged.correct == Oracle(gold, answer, accept, may_omit).accepted()


@settings(max_examples=150, deadline=None)
@given(golds(), st.sampled_from(["Book for Ada and Bob at 12:00 in Rome, 2 seats, quiet.", "1 or 2 or 10 for Ida"]))
def test_no_mutant_is_an_accepted_answer_and_none_reaches_1(gold: list[Any], question: str) -> None:
    read = check_calls(MENU, gold)
    if not isinstance(read, tuple):
        return
    nothing: tuple[list[Any], list[Any]] = ([{}] * len(gold), [()] * len(gold))
    for mutant in mutants(Gold(MENU, read, (Message("user", question),), *nothing)):
        assert not Oracle(gold, list(mutant.calls), *nothing).accepted(), mutant
        assert judge(MENU.tools, gold, mutant.calls).reward < 1.0, mutant


@settings(max_examples=100, deadline=None)
@given(cases())
def test_alternatives_however_absurd_end_in_a_verdict_of_the_task(case: tuple[Any, Any, Any, Any]) -> None:
    gold, _, accept, may_omit = case
    draft = Draft((Message("user", "Book 2 seats for Ada or Bob in Rome."),), TOOLS, gold, accept, may_omit)
    assert {reason.check for reason in verify(draft, checks=["soundness"]).reasons} <= {"calls", "soundness"}
