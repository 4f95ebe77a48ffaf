"""The checks in their order, the proof that no call is due (C2), alternatives (A7), and faults of our own."""

from dataclasses import replace
from typing import Any

import pytest

from data.errors import UsageError
from data.records import Draft, Json, Message
from verifiers import verify as module
from verifiers.verify import CHECKS, MAX_REASONS, Proof, verify

WEATHER: dict[str, Any] = {
    "name": "get_weather",
    "description": "Weather forecast for a city.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
        },
        "required": ["city"],
    },
}
PING: dict[str, Any] = {"name": "ping", "description": "Check the server.", "parameters": {}}
GOLD: list[Any] = [{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]
QUESTION = "What will the weather be in Paris over the next 3 days?"


def draft(question: str = QUESTION, tools: Json = (), calls: Json = (), **more: Any) -> Draft:
    turns = more.pop("messages", (Message("user", question),))
    return Draft(turns, tools or [WEATHER, PING], GOLD if calls == () else calls, **more)


def first(proof: Proof) -> str:
    return f"{proof.reasons[0].check}/{proof.reasons[0].code}" if proof.reasons else "solvable"


def test_a_solvable_draft_comes_back_in_normal_form() -> None:
    proof = verify(draft(calls={"function": {"name": "get_weather", "arguments": '{"city": "Paris", "days": 3}'}}))
    assert proof.solvable
    assert list(proof.calls) == GOLD
    assert [tool["name"] for tool in proof.tools] == ["get_weather", "ping"]


LEAK = "Call get_weather(city='Paris', days=3) now."


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (draft("<question>", tools="none", calls="none"), "format/placeholder"),
        (draft(tools="none", calls="none"), "menu/not_a_list"),
        (draft("Hello there.", calls="none"), "calls/not_a_list"),
        (draft("Hello there."), "grounding/ungrounded"),
        (draft(LEAK), "determinacy/leaks_answer"),
        (draft(messages=()), "format/empty_question"),
        (draft(messages=(Message("system", QUESTION),)), "format/empty_question"),
        (
            draft(messages=(Message("user", QUESTION), Message("assistant", "Well?"), Message("user", " "))),
            "format/empty_question",
        ),
        (draft(messages=(Message("user", "{question}"), Message("user", QUESTION))), "format/placeholder"),
        (draft(messages=(Message("user", QUESTION), Message("assistant", "a\0"))), "format/invalid_unicode"),
        (draft(messages=(Message("user", QUESTION), Message("assistant", "a" * (1 << 20) + "a"))), "format/too_large"),
        (draft(messages=(Message("user", QUESTION), Message("assistant", ""))), "solvable"),
    ],
)
def test_the_first_failing_check_decides(changed: Draft, reason: str) -> None:
    assert first(verify(changed)) == reason


def test_the_prompt_that_was_sent_is_looked_for_in_the_question() -> None:
    assert first(verify(draft(), prompt=f"Example: {QUESTION}")) == "format/placeholder"


@pytest.mark.parametrize(
    ("checks", "reason"),
    [
        (["format"], "format/placeholder"),
        (["menu"], "solvable"),
        (["calls"], "solvable"),
        (["grounding"], "grounding/ungrounded"),
        (["determinacy"], "solvable"),
        (CHECKS, "format/placeholder"),
    ],
)
def test_checks_run_alone_with_what_they_rest_on(checks: list[str], reason: str) -> None:
    assert first(verify(draft("[nothing is said]"), checks=checks)) == reason


@pytest.mark.parametrize("check", ["menu", "calls", "grounding", "determinacy"])
def test_a_check_whose_ground_fails_fails(check: str) -> None:
    assert first(verify(draft(tools="none"), checks=[check])) == "menu/not_a_list"


def test_a_check_that_does_not_exist_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="colour"):
        verify(draft(), checks=["menu", "colour"])


BAD: dict[str, Any] = {"name": "get_weather", "arguments": {"days": 0, "unit": 3, "town": "Paris"}}
LATE = {"name": "get_weather", "arguments": {"city": "$var_9.a"}}
UNREADABLE: list[Any] = [{"arguments": {}}, *GOLD, "call", {"name": "get_wether"}, LATE]
TWIN: dict[str, Any] = {**WEATHER, "name": "twin"}


@pytest.mark.parametrize(
    ("faulty", "reasons"),
    [
        (
            draft("[get_weather(city)]"),
            "format/placeholder grounding/ungrounded grounding/ungrounded determinacy/leaks_answer",
        ),
        (
            draft(tools=[WEATHER, WEATHER, {"name": ""}, {"name": "a", "parameters": {"x": {"type": "colour"}}}]),
            "menu/bad_tool menu/duplicate_tool menu/unknown_type",
        ),
        (
            draft(calls=[BAD, {"name": "ping", "arguments": {"x": 1}}]),
            "calls/missing_argument calls/undeclared_argument calls/wrong_type calls/not_allowed calls/not_allowed "
            "calls/undeclared_argument",
        ),
        (draft(calls=UNREADABLE), "calls/bad_call calls/bad_call calls/unknown_tool calls/bad_reference"),
        (draft(calls="none"), "calls/not_a_list"),
        (draft(calls=[]), "calls/no_calls"),
        (
            draft(accept=[{"days": [0, "x"], "town": ["Rome"]}], may_omit=[["city", "unit"]]),
            "calls/not_allowed calls/undeclared_argument calls/missing_argument calls/undeclared_argument",
        ),
        (
            draft(f"{QUESTION} ping() get_weather()", tools=[WEATHER, PING, TWIN, {**TWIN, "name": "third"}]),
            "determinacy/leaks_answer determinacy/leaks_answer determinacy/ambiguous_tools determinacy/ambiguous_tools",
        ),
        (
            draft(messages=(Message("user", "[a]"), Message("assistant", QUESTION), Message("user", " "))),
            "format/placeholder format/empty_question",
        ),
        (
            draft(messages=(Message("user", "a\0"), Message("system", "\ud800"))),
            "format/invalid_unicode format/invalid_unicode grounding/ungrounded grounding/ungrounded",
        ),
    ],
)
def test_every_names_all_that_fails_and_what_decides_first(faulty: Draft, reasons: str) -> None:
    proof = verify(faulty, every=True)
    assert [f"{one.check}/{one.code}" for one in proof.reasons] == reasons.split()
    assert verify(faulty).reasons[0].code == proof.reasons[0].code


def test_every_says_which_call_and_argument_it_means() -> None:
    reasons = verify(draft(calls=UNREADABLE), every=True).reasons
    assert [one.detail[:6] for one in reasons] == ["call 1", "call 3", "call 4", "call 5"]


def test_of_very_many_failures_a_hundred_are_given() -> None:
    many: dict[str, Any] = {"name": "get_weather", "arguments": {"city": "Paris", **{f"x{n}": n for n in range(5000)}}}
    assert len(verify(draft(calls=[many, many]), every=True).reasons) == MAX_REASONS


def test_a_fault_of_a_checker_is_a_verdict_and_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(module, "grounding_faults", broken)
    proof = verify(draft())
    assert first(proof) == "checker/checker_error"
    assert "ZeroDivisionError: by zero" in proof.reasons[0].detail


REMOVED = {"removed": WEATHER, "calls": GOLD}


@pytest.mark.parametrize(
    ("unanswerable", "reason"),
    [
        (REMOVED, "solvable"),
        ({**REMOVED, "removed": {"type": "function", "function": WEATHER}}, "solvable"),
        (None, "calls/no_calls"),
        ({}, "calls/no_calls"),
        ("get_weather", "calls/no_calls"),
        ({"removed": WEATHER}, "calls/no_calls"),
        ({**REMOVED, "calls": []}, "calls/no_calls"),
        ({**REMOVED, "calls": [{"name": "ping", "arguments": {}}]}, "calls/no_calls"),
        ({**REMOVED, "calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}, "calls/no_calls"),
        ({**REMOVED, "calls": [{"name": "get_weather", "arguments": {}}]}, "calls/no_calls"),
        ({**REMOVED, "removed": PING}, "calls/no_calls"),
        ({**REMOVED, "removed": {**WEATHER, "parameters": {"$ref": "file:///etc/passwd"}}}, "calls/no_calls"),
    ],
)
def test_no_calls_need_proof_that_none_is_due(unanswerable: Json, reason: str) -> None:
    assert first(verify(draft(tools=[PING], calls=[], unanswerable=unanswerable))) == reason


def test_a_proof_that_fails_says_why() -> None:
    wrong = {**REMOVED, "calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}
    reason = verify(draft(tools=[PING], calls=[], unanswerable=wrong)).reasons[0]
    assert "grounding/ungrounded" in reason.detail


def test_a_tool_that_another_of_the_menu_equals_proves_nothing() -> None:
    twin = {**WEATHER, "name": "weather_of"}
    assert first(verify(draft(tools=[PING, twin], calls=[], unanswerable=REMOVED))) == "calls/no_calls"


@pytest.mark.parametrize(
    ("alternatives", "reason"),
    [
        ({"accept": [{"city": ["Paris, France"]}]}, "solvable"),
        ({"accept": [{"days": [4, 5]}], "may_omit": [["days"]]}, "solvable"),
        ({"accept": [{}], "may_omit": [[]]}, "solvable"),
        ({"accept": [], "may_omit": []}, "solvable"),
        ({"accept": [{"days": ["4"]}]}, "calls/wrong_type"),
        ({"accept": [{"days": [4, 0]}]}, "calls/not_allowed"),
        ({"accept": [{"unit": ["fahrenheit"]}]}, "solvable"),
        ({"accept": [{"unit": ["kelvin"]}]}, "calls/not_allowed"),
        ({"accept": [{"town": ["Paris"]}]}, "calls/undeclared_argument"),
        ({"accept": [{"city": ["$var_1.name"]}]}, "calls/bad_reference"),
        ({"accept": [{"city": "Paris"}]}, "calls/bad_call"),
        ({"accept": {"city": ["Paris"]}}, "calls/bad_call"),
        ({"accept": [{}, {}]}, "calls/bad_call"),
        ({"accept": [None]}, "calls/bad_call"),
        ({"may_omit": [["city"]]}, "calls/missing_argument"),
        ({"may_omit": [["unit"]]}, "calls/undeclared_argument"),
        ({"may_omit": [[3]]}, "calls/undeclared_argument"),
        ({"may_omit": ["days"]}, "calls/bad_call"),
    ],
)
def test_alternatives_are_held_to_the_rules_of_calls(alternatives: Any, reason: str) -> None:
    assert first(verify(replace(draft(), **alternatives))) == reason


def test_an_alternative_may_refer_to_the_calls_before_it() -> None:
    two = draft(f"{QUESTION} And in Rome?", calls=[*GOLD, {"name": "get_weather", "arguments": {"city": "Rome"}}])
    assert first(verify(replace(two, accept=[{}, {"city": ["$var_1.city"]}]))) == "solvable"
    assert first(verify(replace(two, accept=[{}, {"city": ["$var_2.city"]}]))) == "calls/bad_reference"


def test_alternatives_that_say_nothing_are_none() -> None:
    proof = verify(draft(accept=[{}], may_omit=[[]]))
    assert (proof.accept, proof.may_omit) == (None, None)
    assert verify(draft(accept=[{"days": [4]}])).accept == [{"days": [4]}]
