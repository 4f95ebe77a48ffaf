"""Mutants: each kind is made of what the task offers, is valid, differs from the gold, and comes within a budget."""

from typing import Any

import pytest

from data.records import Message
from verifiers.calls import check_calls
from verifiers.menu import Menu, read_menu
from verifiers.mutant import Gold, Mutant
from verifiers.mutants import MAX_MUTANTS, MAX_PER_PLACE, mutants
from verifiers.plausible import Hints, others

TOOLS: list[Any] = [
    {
        "name": "book",
        "description": "Book a table.",
        "parameters": {
            "type": "object",
            "properties": {
                "place": {"type": "string"},
                "guests": {"type": "integer", "minimum": 1, "maximum": 12},
                "area": {"type": "string", "enum": ["inside", "terrace", "bar"], "default": "inside"},
                "day": {"type": "string", "format": "date"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "wish": {"type": "object", "properties": {"seat": {"type": "string"}, "quiet": {"type": "boolean"}}},
            },
            "required": ["place"],
        },
    },
    {"name": "find", "description": "Find a place.", "parameters": {"place": {"type": "string"}}},
    {
        "name": "cancel",
        "description": "Cancel.",
        "parameters": {"place": {"type": "string"}, "code": {"type": "integer"}},
    },
]
QUESTION = 'Book "Chez Nous" for 4 on 2026-03-05, or ask Bistro Bleu.'


def gold(*calls: tuple[str, dict[str, Any]], question: str = QUESTION, tools: Any = TOOLS, **given: Any) -> Gold:
    menu = read_menu(tools)
    assert isinstance(menu, Menu)
    read = check_calls(menu, [{"name": name, "arguments": arguments} for name, arguments in calls])
    assert isinstance(read, tuple), read
    nothing: Any = {"accept": [{} for _ in calls], "may_omit": [[] for _ in calls]}
    return Gold(menu, read, (Message("user", question),), **{**nothing, **given})


def of(kind: str, *calls: tuple[str, dict[str, Any]], **given: Any) -> list[Mutant]:
    return [mutant for mutant in mutants(gold(*calls, **given)) if mutant.kind == kind]


def arguments(found: list[Mutant]) -> list[Any]:
    return [[call["arguments"] for call in mutant.calls] for mutant in found]


BOOK = ("book", {"place": "Chez Nous", "guests": 4})


def test_the_empty_answer_is_one() -> None:
    assert [mutant.calls for mutant in of("empty", BOOK)] == [()]


def test_a_call_is_left_out_with_those_that_depend_on_it_and_references_follow() -> None:
    found = of(
        "drop", ("find", {"place": "Bistro Bleu"}), ("find", {"place": "Chez Nous"}), ("book", {"place": "$var_2.name"})
    )
    assert arguments(found) == [
        [{"place": "Chez Nous"}, {"place": "$var_1.name"}],
        [{"place": "Bistro Bleu"}],
        [{"place": "Bistro Bleu"}, {"place": "Chez Nous"}],
    ]


def test_a_call_stands_in_the_place_of_another_of_its_tool() -> None:
    found = of("repeat", ("find", {"place": "Bistro Bleu"}), ("find", {"place": "Chez Nous"}), BOOK)
    assert [[one["place"] for one in calls] for calls in arguments(found)] == [
        ["Chez Nous", "Chez Nous", "Chez Nous"],
        ["Bistro Bleu", "Bistro Bleu", "Chez Nous"],
    ]


def test_a_dependent_call_comes_before_the_one_it_depends_on() -> None:
    found = of("reorder", ("find", {"place": "Bistro Bleu"}), ("book", {"place": "$var_1.name"}))
    assert [[call["name"] for call in mutant.calls] for mutant in found] == [["book", "find"]]
    assert found[0].calls[0]["arguments"] == {"place": "$var_2.name"}


def test_independent_calls_come_in_another_order_only_where_they_are_replayed() -> None:
    task = gold(("find", {"place": "Bistro Bleu"}), ("find", {"place": "Chez Nous"}))
    assert not [mutant for mutant in mutants(task) if mutant.kind == "sequence"]
    assert [m.calls for m in mutants(task, task.calls) if m.kind == "sequence"] == [(task.calls[1], task.calls[0])]


def test_a_call_whose_result_the_task_says_is_left_out_where_it_is_replayed() -> None:
    task = gold(("find", {"place": "Bistro Bleu"}), ("book", {"place": "$var_1.name"}))
    said: list[Any] = [task.calls[0], {"name": "book", "arguments": {"place": "Chez Nous"}}]
    unsaid: list[Any] = [task.calls[0], {"name": "book", "arguments": {"place": "Zum Anker"}}]
    assert ({"name": "book", "arguments": {"place": "Chez Nous"}},) in [m.calls for m in mutants(task, said)]
    assert not [m for m in mutants(task, unsaid) if m.kind == "drop" and m.calls[0]["name"] == "book"]


def test_another_tool_takes_the_arguments_that_it_declares_and_what_else_it_requires() -> None:
    found = of("swap", BOOK)
    assert [(call["name"], call["arguments"]) for mutant in found for call in mutant.calls] == [
        ("find", {"place": "Chez Nous"}),
        ("cancel", {"place": "Chez Nous"}),
    ]


def test_calls_are_added_of_the_other_tools_and_the_last_one_again() -> None:
    assert [mutant.calls[-1]["name"] for mutant in of("add", BOOK)] == ["find", "cancel", "book"]


def test_nothing_said_is_left_of_a_call() -> None:
    assert arguments(of("hollow", BOOK)) == [[{"place": ""}]]
    assert not of("hollow", ("book", {"place": "Chez Nous", "wish": {"quiet": True}}), tools=[closed("place")])


def closed(name: str) -> dict[str, Any]:
    tool: dict[str, Any] = dict(TOOLS[0])
    properties = {**tool["parameters"]["properties"], name: {"type": "string", "minLength": 3}}
    return {**tool, "parameters": {**tool["parameters"], "properties": properties}}


def test_a_call_is_hollow_in_the_way_that_the_alternatives_allow() -> None:
    found = of("hollow", ("find", {"place": "Chez Nous"}), accept=[{"place": ["Bistro Bleu", " "]}])
    assert arguments(found) == [[{"place": " "}]]


def test_arguments_members_and_items_are_left_out() -> None:
    call = ("book", {"place": "Chez Nous", "area": "inside", "tags": ["a", "b"], "wish": {"seat": "window"}})
    assert [mutant.detail.partition(", ")[2] for mutant in of("omit", call)] == [
        "tags left out",
        "tags[1] left out",
        "wish left out",
        "wish.seat left out",
    ]


def test_values_of_one_sort_are_exchanged() -> None:
    call = ("book", {"place": "Chez Nous", "guests": 4, "area": "terrace", "wish": {}})
    assert not of("exchange", call), "terrace is a place, but Chez Nous is no area"
    found = of(
        "exchange",
        ("cancel", {"place": "Chez Nous", "code": 3}),
        tools=[{**TOOLS[2], "parameters": {"place": {}, "code": {}}}],
    )
    assert arguments(found) == [[{"place": 3, "code": "Chez Nous"}]]


def test_a_value_is_another_one_of_the_enum_the_text_the_schema_or_near() -> None:
    call = ("book", {"place": "Chez Nous", "guests": 4, "area": "terrace", "day": "2026-03-05"})
    found: dict[str, list[Any]] = {}
    for mutant in of("value", call):
        name = mutant.place.partition(", ")[2]
        found.setdefault(name, []).append(mutant.calls[0]["arguments"][name])  # type: ignore[call-overload,index]
    assert found["area"] == ["inside", "bar"]
    assert found["guests"] == [5, 3, 1, 12]
    assert found["day"] == ["2026-03-06", "2026-03-04", "2026-03-12"]
    assert "Bistro Bleu" in found["place"]


def test_a_reference_points_to_another_call_but_never_to_an_equal_one() -> None:
    twice = (("find", {"place": "Chez Nous"}), ("find", {"place": "Chez Nous"}), ("find", {"place": "Bistro Bleu"}))
    found = [
        m.calls[3]["arguments"] for m in of("value", *twice, ("book", {"place": "$var_1.name"})) if m.place[5] == "4"
    ]
    assert found == [{"place": "$var_3.name"}]


@pytest.mark.parametrize(
    ("value", "some"),
    [
        (True, [False]),
        (3, [4, 2, -3, 30]),
        (2.5, [3.5, 1.5, -2.5]),
        ("07", ["08"]),
        ("room 12b", ["room 13b"]),
        ("19:30", ["20:30"]),
        ("2026-12-31T23:15:00Z", ["2027-01-01T23:15:00Z", "2026-12-31T00:15:00Z"]),
        ("9999-12-31", ["9999-12-30"]),
        (10**400, [10**400 + 1]),
        (1e308, [-1e308]),
        (None, []),
    ],
)
def test_other_values_are_near(value: Any, some: list[Any]) -> None:
    found = list(others(value, [], Hints()))
    assert [one for one in some if one not in found] == []
    assert all(isinstance(one, bool) == isinstance(value, bool) for one in found)


MANY = tuple(("book", {"place": f"P{n}", "guests": 1 + n % 12, "tags": ["a", "b", "c"]}) for n in range(16))


def test_the_budget_holds_and_every_value_has_its_turn_first() -> None:
    found = list(mutants(gold(*MANY, question=QUESTION * 50)))
    values = [mutant.place for mutant in found if mutant.kind == "value"]
    assert len(found) - len(values) <= MAX_MUTANTS // 3
    assert len(values) == MAX_MUTANTS * 2 // 3
    assert len(set(values)) == len(set(values[:80])) == 16 * 5
    few = [mutant.place for mutant in of("value", BOOK)]
    assert max(map(few.count, few)) <= MAX_PER_PLACE


def test_mutants_are_always_the_same_and_never_the_gold_nor_twice() -> None:
    task = gold(*MANY[:3], ("book", {"place": "$var_1.name"}))
    found = list(mutants(task))
    assert found == list(mutants(task))
    written = [repr(mutant.calls) for mutant in found]
    assert len(set(written)) == len(written)
    assert repr(task.calls) not in written


def test_mutants_are_valid_calls_unless_nothing_else_could_make_them() -> None:
    task = gold(*MANY[:3], ("book", {"place": "$var_1.name"}))
    for mutant in mutants(task, [*task.calls[:3], {"name": "book", "arguments": {"place": "Chez Nous"}}]):
        if mutant.kind not in ("empty", "reorder", "hollow"):
            assert isinstance(check_calls(task.menu, mutant.calls), tuple), mutant


def test_a_result_that_looks_like_a_reference_breaks_nothing() -> None:
    task = gold(("find", {"place": "Bistro Bleu"}), ("book", {"place": "$var_1.name"}))
    assert list(mutants(task, [task.calls[0], {"name": "book", "arguments": {"place": "$var_1.name"}}]))
