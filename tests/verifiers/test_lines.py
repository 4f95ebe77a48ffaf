"""Lines in, answers out: what a line may be, and what is said of one that is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.lines import levels, score_line, verify_line

TOOL = {"name": "add", "description": "Add two numbers.", "parameters": {"a": {"type": "int"}, "b": {"type": "int"}}}
CALL = {"name": "add", "arguments": {"a": 3, "b": 4}}
ADDING = {"add": "def run(state, arguments):\n    return {'sum': arguments['a'] + arguments['b']}"}
TASK: dict[str, Any] = {"id": "t", "question": "Add 3 and 4.", "tools": [TOOL], "calls": [CALL]}


def line(**changes: Any) -> bytes:
    return json.dumps({key: value for key, value in {**TASK, **changes}.items() if value is not ...}).encode()


def verdict(raw: bytes, **options: Any) -> tuple[str, str]:
    reason = verify_line(raw, 7, **options)["reasons"][0]
    return reason["check"], reason["code"]


def test_a_good_task_is_solvable_and_has_its_id() -> None:
    answer = verify_line(line(), 1)
    assert (answer["id"], answer["solvable"], answer["reasons"]) == ("t", True, [])
    assert len(answer["task_id"]) == 64


@pytest.mark.parametrize(
    "same",
    [
        {"messages": [{"role": "user", "content": "Add 3 and 4."}], "question": ...},
        {"calls": CALL},
        {"calls": [{"type": "function", "function": {"name": "add", "arguments": '{"b": 4.0, "a": 3}'}}]},
        {
            "tools": [
                {
                    "type": "function",
                    "function": {
                        **TOOL,
                        "parameters": {
                            "type": "object",
                            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                        },
                    },
                }
            ]
        },
        {"accept": None, "may_omit": []},
        {"id": "other"},
    ],
)
def test_one_task_in_other_shapes_has_one_id(same: dict[str, Any]) -> None:
    assert verify_line(line(**same), 1)["task_id"] == verify_line(line(), 1)["task_id"]


@pytest.mark.parametrize(
    "other",
    [
        {"question": "Add 3 to 4."},
        {"calls": [CALL, CALL]},
        {"may_omit": [["b"]]},
        {"implementations": ADDING},
        {"implementations": ADDING, "world": {}},
        {"implementations": ADDING, "world": {"x": 1}},
    ],
)
def test_another_task_has_another_id(other: dict[str, Any]) -> None:
    answer = verify_line(line(**other), 1)
    assert answer["task_id"] not in (None, verify_line(line(), 1)["task_id"])


def test_a_world_without_implementations_is_no_task() -> None:
    assert verdict(line(world={})) == ("execution", "no_implementation")


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"[]",
        b"3",
        b"null",
        b'"text"',
        b"\xff\xfe{}",
        b"{}",
        b'{"id": "t"}',
        b'{"id": "t", "question": NaN}',
        b'{"id": "t", "question": "q", "tools": [], "calls": 1e400}',
        b'{"id": "t",}',
        line(completion="<question>"),
        line(question=...),
        line(messages=[{"role": "user", "content": "Add 3 and 4."}]),
        line(question=3),
        line(question=..., messages="hello"),
        line(question=..., messages=[]),
        line(question=..., messages=[{"role": "robot", "content": "hi"}]),
        line(question=..., messages=[{"role": "user", "content": None}]),
        b'{"completion": 3}',
        b'{"completion": null}',
    ],
)
def test_what_is_no_row_is_a_bad_line(raw: bytes) -> None:
    assert verdict(raw) == ("input", "bad_line")


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'{"id": "t", "question": "q", "tools": [{"name": "a", "name": "b"}], "calls": []}', "duplicate_key"),
        (b'{"id": "t", "question": "\\ud83c", "tools": [], "calls": []}', "invalid_unicode"),
        (b'{"id": "t", "question": "a\\u0000", "tools": [], "calls": []}', "invalid_unicode"),
        (b'{"id": "t", "question": "q", "tools": [], "calls": ' + b"[" * 65 + b"]" * 65 + b"}", "too_large"),
        (b'{"id": "t", "question": "q", "tools": [], "calls": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", "too_large"),
        (b'{"id": "t", "question": "q", "tools": [], "calls": ' + b"9" * 6_000 + b"}", "too_large"),
        (b'{"id": "t", "question": "' + b"q " * 600_000 + b'", "tools": [], "calls": []}', "too_large"),
        (b'{"id": "t", "question": "q", "tools": [], "calls": ["' + b"q" * 1_100_000 + b'"]}', "too_large"),
    ],
)
def test_what_is_no_strict_json_is_refused_by_its_rule(raw: bytes, code: str) -> None:
    assert verdict(raw) == ("format", code)
    assert verify_line(raw, 7)["id"] == "t"


def test_64_levels_in_a_block_are_no_fault_of_size() -> None:
    deep = b'{"id": "t", "question": "q", "tools": ' + b"[" * 64 + b"]" * 64 + b', "calls": []}'
    assert verdict(deep) == ("menu", "bad_tool")


def test_an_id_is_echoed_and_a_missing_one_is_the_number_of_the_line() -> None:
    assert verify_line(line(id=...), 7)["id"] == 7
    assert verify_line(line(id="é"), 7)["id"] == "é"
    assert verify_line(b'{"id": "kept", "question": NaN}', 7)["id"] == "kept"
    assert verify_line(b'{"calls": ' + b"[" * 20_000 + b', "id": "deep"', 7)["id"] == 7
    assert verify_line(b'{"calls": [{"id": "inner"}, NaN], "id": "outer"}', 7)["id"] == "outer"
    assert verify_line(b"{", 7)["id"] == 7


def test_checks_narrow_what_is_looked_at() -> None:
    unsaid = line(question="Add some numbers.")
    assert verdict(unsaid) == ("grounding", "ungrounded")
    assert verify_line(unsaid, 1, checks=frozenset(["format", "menu", "calls"]))["solvable"]


def test_every_gives_every_failure_of_each_check() -> None:
    row = line(question="<add 5 and add(a=5, b=6)>", calls=[{"name": "add", "arguments": {"a": 7, "b": 8}}])
    reasons = verify_line(row, 1, every=True)["reasons"]
    assert [reason["check"] for reason in reasons] == ["format", "grounding", "grounding", "determinacy"]


def answered(text: str, **changes: Any) -> dict[str, Any]:
    return score_line(line(question=..., completion=text, **changes), 7)


def test_a_right_answer_scores_one() -> None:
    answer = answered(f"<tool_call_answer>{json.dumps([CALL])}</tool_call_answer>")
    assert answer == {"id": "t", "correct": True, "outcome": "correct", "reward": 1.0, "rule": "calls", "detail": ""}


@pytest.mark.parametrize(
    "fault",
    [
        {"tools": []},
        {"tools": [TOOL, TOOL]},
        {"calls": [{"name": "sub", "arguments": {}}]},
        {"calls": [{"name": "add", "arguments": {"a": "x"}}]},
        {"accept": [{"c": [1]}]},
        {"completion": ...},
        {"completion": 3},
        {"harness": "xml"},
    ],
)
def test_an_invalid_gold_or_row_is_our_fault_and_no_wrong_answer(fault: dict[str, Any]) -> None:
    raw = line(**{"question": ..., "completion": "<tool_call_answer>[]</tool_call_answer>", **fault})
    answer = score_line(raw, 7)
    assert (answer["outcome"], answer["correct"], answer["reward"]) == ("checker_error", False, 0.0)
    assert answer["detail"]


def test_a_row_may_name_its_harness() -> None:
    assert answered(json.dumps([CALL]), harness="json")["correct"]
    assert answered(json.dumps([CALL]))["outcome"] == "no_answer"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (
            '<think>\ud800</think><tool_call_answer>{"name": "add", "arguments": {"a": 3, "b": 4}}</tool_call_answer>',
            "correct",
        ),
        ('<tool_call_answer>[{"name": "add", "arguments": {"a": "\ud800"}}]</tool_call_answer>', "malformed"),
        ('<tool_call_answer>[{"name": "add", "arguments": {"a": "\\udc00"}}]</tool_call_answer>', "malformed"),
        ("\ud800\0", "no_answer"),
    ],
)
def test_broken_unicode_in_an_answer_is_the_solver_s_fault_and_not_the_line_s(text: str, outcome: str) -> None:
    assert answered(text)["outcome"] == outcome


def test_broken_unicode_in_thoughts_is_nobody_s_fault() -> None:
    blocks = f"<question>Add 3 and 4.</question><available_tools>{json.dumps([TOOL])}</available_tools>"
    text = f"<think>\ud800</think>{blocks}<tool_call_answer>{json.dumps([CALL])}</tool_call_answer>"
    assert verify_line(json.dumps({"id": "\ud800", "completion": text}).encode(), 1)["solvable"]
    assert verify_line(json.dumps({"completion": text[8:].replace("Add", "\ud800")}).encode(), 1)["reasons"][0] == {
        "check": "format",
        "code": "invalid_unicode",
        "detail": 'U+0000 or a lone surrogate in "\\ud800 3 and 4."',
    }


@pytest.mark.parametrize(("checks", "named"), [(["format"], False), (["menu"], False), (["calls"], True)])
def test_a_task_has_an_id_once_its_calls_are_proved(checks: list[str], named: bool) -> None:
    answer = verify_line(line(), 1, checks=frozenset(checks))
    assert answer["solvable"]
    assert (answer["task_id"] is not None) is named


def test_a_string_that_never_ends_is_looked_through_once() -> None:
    assert verify_line(b'{"a": "' + b'\\"' * 400_000, 7)["id"] == 7


@given(st.binary() | st.text(alphabet='{}[]",:\\idu08 ').map(str.encode))
def test_any_bytes_get_an_answer(raw: bytes) -> None:
    assert json.loads(json.dumps(verify_line(raw, 7)))["reasons"]
    assert json.loads(json.dumps(score_line(raw, 7)))["outcome"] == "checker_error"


@pytest.mark.parametrize(("value", "depth"), [(1, 0), ([], 1), ({"a": [[]]}, 3), ([1, {"a": {}}], 3)])
def test_levels_count_lists_and_objects(value: object, depth: int) -> None:
    assert levels(value) == depth
