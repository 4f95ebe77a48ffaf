"""Strict JSON, thoughts, blocks, fences and the shapes of calls (RULES J1-J5, F1, F3, C1, C5, A1)."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.answer import (
    AnswerFault,
    CallFault,
    JsonFault,
    cut_thoughts,
    find_blocks,
    parse_json,
    read_answer,
    read_calls,
    reference,
    unfence,
)

CALL = {"name": "f", "arguments": {"x": 1}}


def json_code(text: str) -> str:
    with pytest.raises(JsonFault) as caught:
        parse_json(text)
    return caught.value.code


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("3.0", 3.0),
        (" [1e2]\n", [100.0]),
        ("-0", 0),
        ("9007199254740993", 9007199254740993),
        ("9007199254740993.0", 9007199254740993),
        ("1e23", 10**23),
        ("1e-400", 0.0),
        ("9" * 1000, int("9" * 1000)),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\\\u0000"', "\\u0000"),
        ('{"a": {"a": 1}}', {"a": {"a": 1}}),
        ("[" * 64 + "]" * 64, json.loads("[" * 64 + "]" * 64)),
        ('"' + "[" * 100 + '"', "[" * 100),
        ('"\\"' + "[" * 100 + '"', '"' + "[" * 100),
    ],
)
def test_strict_json_is_read_exactly(text: str, value: Any) -> None:
    read = parse_json(text)
    assert read == value
    assert type(read) is type(value)


def test_text_forms_are_kept_as_read() -> None:
    assert [type(value) for value in parse_json("[3, 3.0, 3e0]")] == [int, float, float]
    assert parse_json('"Orle\\u0301ans"') == "Orle\u0301ans"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "NaN",
        "[Infinity]",
        "-Infinity",
        "[1,]",
        '{"a":1,}',
        "// c\n1",
        "[1] x",
        "1e400",
        "-1e400",
        "01",
        "'a'",
        "\ufeff[]",
        "\u00a0[]",
        '"\t"',
        "[1 2]",
        '{"a"}',
        "{a: 1}",
        "True",
        '"\\x41"',
        "+1",
        ".5",
        "5.",
        "[" * 3,
        "１",
    ],
)
def test_what_is_not_json_is_invalid_json(text: str) -> None:
    assert json_code(text) == "invalid_json"


@pytest.mark.parametrize("text", ['{"a":1,"a":1}', '[{"b":{"a":1,"\\u0061":2}}]', '{"\u00e9":1,"e\u0301":2}'])
def test_a_key_twice_in_one_object_has_no_meaning(text: str) -> None:
    assert json_code(text) == "duplicate_key"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 65 + "]" * 65,
        '{"a":' * 65 + "1" + "}" * 65,
        "[" * 20_000,
        "[" * 20_000 + "]" * 20_000,
        "9" * 1001,
        "0." + "1" * 1000,
        "[-" + "9" * 6000 + "]",
        "1e" + "0" * 1000 + "1",
        '"' + "é" * 524_288 + '"',
    ],
)
def test_what_is_too_deep_too_long_or_too_big_is_too_large(text: str) -> None:
    assert json_code(text) == "too_large"


@pytest.mark.parametrize(
    "text",
    ['"\\ud800"', '"\\udc00\\ud800"', '["a\\u0000"]', '{"\\ud800": 1}', '"\ud800"', '{"a": {"\\u0000": []}}', '"\0"'],
)
def test_lone_surrogates_and_nul_are_invalid_wherever_they_stand(text: str) -> None:
    assert json_code(text) == "invalid_unicode"


@given(st.text() | st.text(alphabet='[]{}",:\\u019eE.-+ntrfalse\ud800\0 '))
def test_reading_raises_nothing_but_its_faults(text: str) -> None:
    for read in (parse_json, read_answer, lambda text: read_answer(text, "json")):
        with contextlib.suppress(JsonFault):
            read(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(-(2**53), 2**53) | st.text('aé"\\'),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
        max_leaves=8,
    )
)
def test_what_json_writes_is_read_back(value: Any) -> None:
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a", "a"),
        ("<think>x</think>a", "a"),
        ("a<think>x</think>b<think>y</think>c", "abc"),
        ("a<think>x", "a"),
        ("x</think>a", "a"),
        ("<think>x<think>y</think>z</think>a", "a"),
        ("x</think>a<think>y", "a"),
        ("<THINK>x</THINK>a", "<THINK>x</THINK>a"),
    ],
)
def test_thoughts_are_cut(text: str, rest: str) -> None:
    assert cut_thoughts(text) == rest


@pytest.mark.parametrize(
    ("text", "blocks", "cut"),
    [
        ("<t>a</t> and <t>b</t>", ["a", "b"], False),
        ("</t><t>a</t></t>", ["a"], False),
        ("<t>a</t><t>b", ["a"], True),
        ("<t>a<t>b</t>", ["b"], True),
        ("<t >a</t>", [], False),
    ],
)
def test_blocks_stand_between_their_exact_tags(text: str, blocks: list[str], cut: bool) -> None:
    assert find_blocks(text, "t") == (blocks, cut)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (" [] ", "[]"),
        ("```json\n[]\n```", "[]"),
        ("```\n[]\n```\n", "[]"),
        ("```[]```", "[]"),
        ("```JSON []```", "[]"),
        ("```json\n```\n[]\n```\n```", "```\n[]\n```"),
        ("```python\n[]\n```", "python\n[]"),
        ("```json\n[]", "```json\n[]"),
        ("``````", ""),
        ("`````", "`````"),
    ],
)
def test_one_code_fence_is_taken_off(text: str, inside: str) -> None:
    assert unfence(text) == inside


@pytest.mark.parametrize(
    "value",
    [
        [CALL],
        CALL,
        [{**CALL, "id": "call_1", "type": "function"}],
        {"type": "function", "id": "c", "function": CALL},
        [{"function": {"name": "f", "arguments": '{"x": 1}'}}],
        [{"name": " f ", "arguments": '{"x": 1}'}],
    ],
)
def test_calls_of_every_shape_are_one(value: Any) -> None:
    assert read_calls(value) == [CALL]


@pytest.mark.parametrize("arguments", [None, "", {}, "{}", ...])
def test_no_arguments_are_an_empty_object(arguments: Any) -> None:
    call = {"name": "f"} if arguments is ... else {"name": "f", "arguments": arguments}
    assert read_calls(call) == [{"name": "f", "arguments": {}}]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (None, "not_a_list"),
        ("f(x=1)", "not_a_list"),
        (3, "not_a_list"),
        (True, "not_a_list"),
        ({}, "bad_call"),
        (["f"], "bad_call"),
        ([[CALL]], "bad_call"),
        ([{"name": 3}], "bad_call"),
        ([{"name": "  "}], "bad_call"),
        ([{"arguments": {}}], "bad_call"),
        ([{**CALL, "parameters": {}}], "bad_call"),
        ([{"name": "f", "arguments": []}], "bad_call"),
        ([{"name": "f", "arguments": "{"}], "bad_call"),
        ([{"name": "f", "arguments": " "}], "bad_call"),
        ([{"name": "f", "arguments": "null"}], "bad_call"),
        ([{"name": "f", "arguments": '"{}"'}], "bad_call"),
        ([{"name": "f", "arguments": '{"x": 1, "x": 1}'}], "bad_call"),
        ([{"name": "f", "arguments": False}], "bad_call"),
        ([{"name": "f", "arguments": 0}], "bad_call"),
        ([{"function": "f"}], "bad_call"),
        ([{"function": {"function": CALL}}], "bad_call"),
        ([{"function": CALL, "name": "f"}], "bad_call"),
        ([{"tool_calls": [CALL]}], "bad_call"),
    ],
)
def test_what_is_no_call_is_refused(value: Any, code: str) -> None:
    with pytest.raises(CallFault) as caught:
        read_calls(value)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("$var_1.result", (1, ".result")),
        ("$var_12.items[0].id", (12, ".items[0].id")),
        ("$var_2[0]", (2, "[0]")),
        ("$var_0.x", (0, ".x")),
        ("$var_" + "9" * 5000 + ".x", (10**9, ".x")),
        ("$var_1.größe", (1, ".größe")),
        ("$var_1", None),
        ("$var_1.", None),
        ("$var_1.a b", None),
        ("$var_x.a", None),
        (" $var_1.a", None),
        ("$var_1.a\n", None),
        ("see $var_1.a", None),
        ("$var_1[a]", None),
        ("$var_１.a", None),
        (3, None),
    ],
)
def test_a_reference_is_a_whole_string(value: Any, found: tuple[int, str] | None) -> None:
    assert reference(value) == found


def answer_code(completion: str, harness: str = "tags") -> str:
    try:
        read_answer(completion, harness)
    except AnswerFault as fault:
        return fault.code
    return "read"


def block(text: str) -> str:
    return f"<tool_call_answer>{text}</tool_call_answer>"


ANSWER = block(json.dumps([CALL]))


@pytest.mark.parametrize(
    ("completion", "code"),
    [
        (ANSWER, "read"),
        ("<think>x</think>\nSure:\n" + ANSWER + "\nDone.", "read"),
        ("thoughts</think>" + ANSWER, "read"),
        (ANSWER + "</tool_call_answer>", "read"),
        (ANSWER + "<think>" + ANSWER, "read"),
        (ANSWER + "</think>" + ANSWER, "read"),
        (block("[]"), "read"),
        ("", "no_answer"),
        (json.dumps([CALL]), "no_answer"),
        ("<think>" + ANSWER, "no_answer"),
        (ANSWER + "</think>", "no_answer"),
        ("<tool_call\u200b_answer>[]</tool_call\u200b_answer>", "no_answer"),
        ("<TOOL_CALL_ANSWER>[]</TOOL_CALL_ANSWER>", "no_answer"),
        ("<tool_call>[]</tool_call>", "no_answer"),
        ("&lt;tool_call_answer&gt;[]&lt;/tool_call_answer&gt;", "no_answer"),
        (ANSWER + ANSWER, "several_answers"),
        (ANSWER + "<think>second</think>" + ANSWER, "several_answers"),
        (ANSWER * 3 + "<tool_call_answer>", "several_answers"),
        ("<tool_call_answer>[", "truncated"),
        (ANSWER + "<tool_call_answer>[", "truncated"),
        ("<tool_call_answer><tool_call_answer>[]</tool_call_answer>", "truncated"),
        (block(""), "malformed"),
        (block("f(x=1)"), "malformed"),
        (block("[] []"), "malformed"),
        (block("[{'name': 'f'}]"), "malformed"),
        (block('[{"name": "f", "arguments": {"x": NaN}}]'), "malformed"),
        (block('[{"name": "f", "arguments": {"x": "\\ud800"}}]'), "malformed"),
        (block('[{"name": "f", "arguments": {"x": 1, "x": 2}}]'), "malformed"),
        (block('[{"name": "f", "arguments": {"x": "</tool_call_answer>"}}]'), "malformed"),
        (block("[" * 20_000), "malformed"),
        (block('"' + "x" * (1 << 20) + '"'), "malformed"),
    ],
)
def test_an_answer_is_one_closed_block_of_strict_calls(completion: str, code: str) -> None:
    assert answer_code(completion) == code


@pytest.mark.parametrize(
    ("completion", "code"),
    [
        (json.dumps([CALL]), "read"),
        ("<think>x</think>```json\n" + json.dumps([CALL]) + "\n```", "read"),
        ("", "no_answer"),
        ("<think>" + json.dumps([CALL]), "no_answer"),
        (json.dumps([CALL])[:-3], "malformed"),
        (json.dumps([CALL]) * 2, "malformed"),
        (ANSWER, "malformed"),
    ],
)
def test_the_json_harness_takes_the_whole_text(completion: str, code: str) -> None:
    assert answer_code(completion, "json") == code
