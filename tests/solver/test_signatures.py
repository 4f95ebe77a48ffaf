"""Signatures: what a small model reads about a tool, in one line."""

import pytest

from data.records import Json
from solver.signatures import signature


def of(schema: Json, required: tuple[str, ...] = ("x",), description: str = "") -> str:
    parameters: Json = {"type": "object", "properties": {"x": schema}, "required": required}
    return signature({"name": "f", "description": description, "parameters": parameters})


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "f(x)"),
        ({"type": "integer"}, "f(x: integer)"),
        ({"type": "string", "format": "date"}, "f(x: date)"),
        ({"enum": ["a", "b"]}, "f(x: a|b)"),
        ({"enum": list("abcdefghij")}, "f(x: a|b|c|d|e|f|g|h|...)"),
        ({"type": ["string", "null"]}, "f(x: string|null)"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "f(x: integer|null)"),
        ({"type": "array", "items": {"type": "number"}}, "f(x: number[])"),
        ({"type": "object", "properties": {"y": {"type": "boolean"}}}, "f(x: {y?: boolean})"),
        ({}, "f(x: any)"),
    ],
    ids=str,
)
def test_a_parameter_shows_its_type(schema: Json, text: str) -> None:
    assert of(schema) == text


def test_an_optional_parameter_has_a_question_mark() -> None:
    assert of({"type": "string"}, required=()) == "f(x?)"


def test_a_tool_without_parameters_has_empty_brackets() -> None:
    assert signature({"name": "f", "description": "", "parameters": {"type": "object"}}) == "f()"


def test_the_first_sentence_of_the_description_follows() -> None:
    assert of({"type": "string"}, description="Find v1.5 of a\nthing. Then more.") == "f(x) - Find v1.5 of a thing."


def test_a_signature_stays_short_and_on_one_line() -> None:
    text = of({"enum": ["a\nb"] * 50}, description="word\n" * 500)
    assert "\n" not in text
    assert len(text) < 200


def test_a_deep_schema_ends() -> None:
    deep: Json = {"type": "integer"}
    for _ in range(60):
        deep = {"type": "array", "items": deep}
    assert of(deep) == "f(x: any[][][])"
