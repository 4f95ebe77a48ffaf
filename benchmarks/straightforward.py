"""The loop that `sparring verify` is measured against: what a competent engineer writes in an afternoon.

    python -m benchmarks.straightforward FILE        answers on standard output, as `sparring verify FILE` does

The same checks, plainly: `json.loads`; tools whose schemas are checked and compiled by `jsonschema` once for each
distinct menu; arguments valid; every value looked for in the question by a regex between word borders; no call of a
menu tool in the question. Weaker than RULES in every check (no key twice, no references, no numbers in words, dates or
codes, no identity), so its verdicts are not held against ours.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

TYPES = {"dict": "object", "float": "number", "double": "number", "int": "integer", "bool": "boolean"}
TYPES |= {"str": "string", "tuple": "array", "list": "array", "any": "string"}
Menu = dict[str, Draft202012Validator]


def schema_of(given: Any) -> Any:
    """A schema with the type names of JSON Schema and closed objects."""
    if isinstance(given, list):
        return [schema_of(item) for item in given]
    if not isinstance(given, dict):
        return given
    schema = {key: schema_of(value) for key, value in given.items()}
    if isinstance(schema.get("type"), str):
        schema["type"] = TYPES.get(schema["type"].lower(), schema["type"].lower())
    if isinstance(schema.get("properties"), dict):
        schema.setdefault("additionalProperties", False)
    return schema


def compile_menu(tools: list[Any]) -> Menu | str:
    """Validators by name, or what is wrong."""
    menu: Menu = {}
    for tool in tools:
        tool = tool.get("function", tool)
        schema = schema_of(tool.get("parameters") or tool.get("inputSchema") or {"type": "object", "properties": {}})
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as fault:
            return f"bad_schema: {fault.message}"
        if tool["name"] in menu:
            return "duplicate_tool"
        menu[tool["name"]] = Draft202012Validator(schema)
    return menu


def leaves(value: Any) -> Iterator[Any]:
    """The plain values inside a value."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield value


def says(question: str, value: Any) -> bool:
    """Whether a value stands in the text as a word of its own."""
    return re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", question, re.IGNORECASE) is not None


def fault_of(row: Any, menus: dict[str, Menu | str]) -> str | None:
    """The first check that a row fails."""
    question, tools, calls = row.get("question"), row.get("tools"), row.get("calls")
    if not isinstance(question, str) or not question.strip() or question.strip()[0] in "[{<":
        return "format"
    if not isinstance(tools, list) or not tools:
        return "menu"
    key = json.dumps(tools)
    menu = menus.get(key)
    if menu is None:
        menu = menus[key] = compile_menu(tools)
    if isinstance(menu, str):
        return f"menu: {menu}"
    for call in calls:
        validator = menu.get(call["name"])
        if validator is None:
            return "calls: unknown tool"
        error = next(validator.iter_errors(call["arguments"]), None)
        if error:
            return f"calls: {error.message}"
    for call in calls:
        for value in leaves(call["arguments"]):
            if not says(question, value):
                return f"grounding: {value}"
    if any(f"{name}(" in question for name in menu):
        return "determinacy"
    return None


def answers(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """One answer for each line."""
    menus: dict[str, Menu | str] = {}
    for line in lines:
        try:
            row = json.loads(line)
            fault = fault_of(row, menus)
            yield {"id": row.get("id"), "solvable": fault is None, "reason": fault}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            yield {"id": None, "solvable": False, "reason": f"format: {error}"}


def main(lines: TextIO) -> None:
    """Judge every line and print its answer."""
    for answer in answers(lines):
        print(json.dumps(answer))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as given:
        main(given)
