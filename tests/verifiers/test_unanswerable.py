"""RULES C2: when no call is the right answer, and what proves it."""

from dataclasses import replace
from typing import Any

import pytest

from data.records import Draft, Json, JsonObject, Message
from verifiers.verify import verify

BOOK: JsonObject = {
    "name": "book_table",
    "description": "Reserve a table.",
    "parameters": {
        "type": "object",
        "properties": {
            "restaurant": {"type": "string"},
            "guests": {"type": "integer"},
            "room": {"const": "inside"},
            "notes": {"type": "string"},
            "dishes": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["restaurant", "guests"],
    },
}
PAY: JsonObject = {
    "name": "pay",
    "description": "Pay for a booking.",
    "parameters": {
        "type": "object",
        "properties": {"booking": {"type": "string"}, "card": {"type": "string"}},
        "required": ["booking"],
    },
}
ASKED = (Message("user", "Please book a table at the Taj."),)
CALL: JsonObject = {"name": "book_table", "arguments": {"restaurant": "Taj", "guests": 4}}


def draft(unsaid: Json = "We are 4 people.", calls: Json = None, **parts: Any) -> Draft:
    proof: JsonObject = {"unsaid": unsaid, "calls": [CALL] if calls is None else calls}
    return replace(Draft(ASKED, [BOOK, PAY], [], unanswerable=proof), **parts)


def reasons(one: Draft) -> list[tuple[str, str]]:
    return [(reason.check, reason.code) for reason in verify(one).reasons]


def test_no_call_is_right_while_a_required_value_is_unsaid() -> None:
    assert verify(draft()).reasons == ()


def test_with_the_value_said_a_call_is_due() -> None:
    said = (Message("user", "Please book a table at the Taj for 4."),)
    assert reasons(draft(messages=said)) == [("calls", "no_calls")]


@pytest.mark.parametrize("unsaid", ["We are 5 people.", "", "book_table(restaurant=Taj)", 4, None])
def test_a_turn_that_does_not_make_the_task_solvable_proves_nothing(unsaid: Json) -> None:
    assert reasons(draft(unsaid)) == [("calls", "no_calls")]


def arguments(**more: Json) -> list[Json]:
    return [{"name": "book_table", "arguments": {"restaurant": "Taj", "guests": 4, **more}}]


def test_an_optional_value_that_is_unsaid_lets_the_call_be_made_without_it() -> None:
    said = (Message("user", "Please book a table at the Taj for 4."),)
    assert reasons(draft("By the window.", arguments(notes="by the window"), messages=said)) == [("calls", "no_calls")]


def test_a_constant_is_no_value_that_must_be_said() -> None:
    tool = {**BOOK, "parameters": {**BOOK["parameters"], "required": ["restaurant", "room"]}}  # type: ignore[dict-item]
    calls: Json = [{"name": "book_table", "arguments": {"restaurant": "Taj", "room": "inside"}}]
    assert reasons(draft("We sit inside.", calls, tools=[tool, PAY])) == [("calls", "no_calls")]


def test_a_list_of_which_a_part_is_said_could_be_given_as_it_is() -> None:
    tool = {**BOOK, "parameters": {**BOOK["parameters"], "required": ["restaurant", "dishes"]}}  # type: ignore[dict-item]
    calls: Json = [{"name": "book_table", "arguments": {"restaurant": "Taj", "dishes": ["dal", "naan"]}}]
    half = (Message("user", "Please book the Taj with dal."),)
    assert reasons(draft("And naan.", calls, tools=[tool, PAY], messages=half)) == [("calls", "no_calls")]
    assert reasons(draft("With dal and naan.", calls, tools=[tool, PAY])) == []


def test_a_call_that_could_be_made_at_once_is_due() -> None:
    pay: JsonObject = {"name": "pay", "arguments": {"booking": "Taj"}}
    assert reasons(draft(calls=[CALL, pay])) == [("calls", "no_calls")]


def test_a_call_that_needs_the_result_of_one_that_lacks_a_value_is_not_due_either() -> None:
    pay: JsonObject = {"name": "pay", "arguments": {"booking": "$var_1.booking"}}
    assert reasons(draft(calls=[CALL, pay])) == []


@pytest.mark.parametrize(
    "proof", [{}, {"unsaid": "We are 4 people."}, {"unsaid": "4", "removed": PAY, "calls": [CALL]}, "4", []]
)
def test_what_is_neither_proof_is_none(proof: Json) -> None:
    assert reasons(replace(draft(), unanswerable=proof)) == [("calls", "no_calls")]


def test_a_proof_without_calls_is_none() -> None:
    assert reasons(draft(calls=[])) == [("calls", "no_calls")]


def test_the_removed_tool_must_be_used() -> None:
    said = (Message("user", "Please book a table at the Taj for 4."),)
    kept: Json = {"removed": PAY, "calls": [CALL]}
    assert reasons(Draft(said, [BOOK], [], unanswerable=kept)) == [("calls", "no_calls")]
    assert reasons(Draft(said, [PAY], [], unanswerable={"removed": BOOK, "calls": [CALL]})) == []
