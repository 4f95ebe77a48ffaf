"""Answers in Hermes' format, and what an OpenAI-compatible endpoint returned."""

import json

import pytest

from verifiers.answer import score
from verifiers.formats import FORMATS, TRAINABLE, score_answer
from verifiers.lines import score_line

TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}]


def call(value: int) -> dict[str, object]:
    return {"name": "f", "arguments": {"a": value}}


def hermes(*values: int) -> str:
    return "\n".join(f"<tool_call>\n{json.dumps(call(value))}\n</tool_call>" for value in values)


def test_several_blocks_are_several_calls() -> None:
    assert score_answer(TOOLS, [call(1), call(2)], hermes(1, 2), harness="hermes").correct


def test_words_around_the_blocks_do_not_matter() -> None:
    assert score_answer(TOOLS, [call(1)], f"Let me see.\n{hermes(1)}\nDone.", harness="hermes").correct


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("", "no_answer"),
        (f"<think>{hermes(1)}</think>", "no_answer"),
        ("No tool fits.", "missing_call"),
        (hermes(1)[:-4], "truncated"),
        (f"{hermes(1)}<tool_call>", "truncated"),
        ("<tool_call>f(a=1)</tool_call>", "malformed"),
        ('<tool_call>{"name": "f", "arguments": {"a": 1, "a": 1}}</tool_call>', "malformed"),
        ('<tool_call>{"name": "f", "arguments": {"a": 1}}, {"name": "f"}</tool_call>', "malformed"),
        (hermes(1, 1), "extra_call"),
        (hermes(2), "wrong_value"),
    ],
)
def test_what_is_wrong_has_its_name(text: str, outcome: str) -> None:
    assert score_answer(TOOLS, [call(1)], text, harness="hermes").outcome == outcome


def test_words_alone_are_right_where_no_call_is_due() -> None:
    assert score_answer(TOOLS, [], "No tool fits.", harness="hermes").correct


def test_an_integer_of_many_digits_survives() -> None:
    big = 10**900 + 7
    text = f'<tool_call>{{"name": "f", "arguments": {{"a": {big}}}}}</tool_call>'
    assert score_answer(TOOLS, [call(big)], text, harness="hermes").correct


@pytest.mark.parametrize("harness", TRAINABLE)
@pytest.mark.parametrize("text", ["", "[]", '<tool_call_answer>[{"name": "f"}]</tool_call_answer>', '[{"name": "f"}]'])
def test_the_formats_of_the_equality_are_read_by_it(harness: str, text: str) -> None:
    assert score_answer(TOOLS, [call(1)], text, harness=harness) == score(TOOLS, [call(1)], text, harness=harness)


@pytest.mark.parametrize("harness", FORMATS)
def test_score_reads_every_format(harness: str) -> None:
    answers = {"tags": f"<tool_call_answer>{json.dumps(call(1))}</tool_call_answer>", "hermes": hermes(1)}
    text = answers.get(harness, json.dumps([call(1)]))
    row = {"id": 1, "tools": TOOLS, "calls": [call(1)], "completion": text, "harness": harness}
    assert score_line(json.dumps(row).encode(), 1)["correct"] is True
