"""The loop that `sparring verify` is measured against: what a competent engineer writes on a first day.

    python -m benchmarks.straightforward FILE        answers on standard output, as `sparring verify FILE` does

The same checks with the libraries called directly: `json.loads` that refuses what is no strict JSON; tools normalised
to JSON Schema, checked and compiled by `jsonschema` once for each distinct menu; calls held to closed schemas; every
value looked for in the question (`straightforward_said`); D1, D2, and the task's identity, by `hashlib`. Kept are
compiled menus, with all that a menu alone decides, and the names of codes. What is dear is done when it is needed: a
row is walked for surrogates where its text has an escape, dates are read where a value is one.

Not done, and not asked by the rows that it is measured on: turns other than one question, references, alternatives,
worlds, proofs of unanswerable rows, parametrised types, RE2, `$ref` outside, bounds of size, options that are not said
for want of a word (the five rules of `meant`, `rivals` and `options`), expressions and units (RULES G5).
`benchmarks.verify` says on how many rows the two agree.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TextIO

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

from benchmarks.straightforward_said import Question
from verifiers.completion import INSTRUCTIONS

TYPES = {
    **dict.fromkeys(("int", "long", "byte"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("str", "text", "char", "date", "datetime", "time", "uuid", "url"), "string"),
    **dict.fromkeys(("list", "tuple", "set", "arraylist"), "array"),
    **dict.fromkeys(("dict", "map", "hashmap", "json"), "object"),
    "bool": "boolean",
    "none": "null",
}
CAUSES = {"required": 0, "additionalProperties": 1, "type": 2}
WORD = re.compile(r"\w+")
SPELLING = re.compile(r"[\W_]+")
FORMATS = Draft202012Validator.FORMAT_CHECKER
ECHO = 8


class Tool(NamedTuple):
    validator: Draft202012Validator
    defaults: dict[str, Any]


class Menu(NamedTuple):
    tools: dict[str, Tool]
    called: re.Pattern[str]
    twins: frozenset[str]
    canonical: str


class Fault(Exception):
    """The first check that fails, and why."""


def strict(line: str) -> Any:
    """RULES J."""
    row = json.loads(line, object_pairs_hook=unique, parse_constant=refuse, parse_float=finite)
    if "\\u" in line:
        json.dumps(row, ensure_ascii=False).encode()  # a lone surrogate raises
    return row


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Fault("format/duplicate_key")
    return found


def refuse(constant: str) -> None:
    raise Fault(f"format/invalid_json: {constant}")


def finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise Fault(f"format/invalid_json: {text}")
    return value


def schema_of(given: Any) -> Any:
    """A schema with the type names of JSON Schema."""
    if isinstance(given, list):
        return [schema_of(item) for item in given]
    if not isinstance(given, dict):
        return given
    schema = {name: schema_of(item) for name, item in given.items()}
    named = schema.get("type")
    if isinstance(named, str):
        named = named.strip().lower()
        if named in ("any", "enum"):
            del schema["type"]
        else:
            schema["type"] = TYPES.get(named, named)
        if named in ("date", "datetime", "time"):
            schema.setdefault("format", named.replace("datetime", "date-time"))
    return schema


def closed(schema: Any) -> Any:
    """The schema with every object that lists properties closed."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(item) for name, item in schema.items()}
    return {"additionalProperties": False, **inner} if isinstance(inner.get("properties"), dict) else inner


def parameters_of(tool: dict[str, Any]) -> Any:
    """The schema of a tool's arguments in any of the shapes: flat, JSON Schema, OpenAI, MCP."""
    given = tool.get("parameters") or tool.get("inputSchema") or tool.get("input_schema") or {}
    if "inputSchema" not in tool and str(given.get("type")).lower() not in ("object", "dict"):
        required = tool.get("required") or [name for name, item in given.items() if item.pop("required", None) is True]
        given = {"type": "object", "properties": given, "required": required}
    schema = schema_of(given)
    schema.setdefault("properties", {})
    return schema


def compile_menu(tools: Any) -> Menu:
    """RULES M, and what D and the identity ask of a menu."""
    if not isinstance(tools, list) or not tools:
        raise Fault("menu/not_a_list")
    compiled: dict[str, Tool] = {}
    normal, alike = [], dict[str, list[str]]()
    for tool in tools:
        tool = tool.get("function") or tool
        name, description, schema = tool["name"].strip(), tool.get("description") or "", parameters_of(tool)
        if not name or name in compiled:
            raise Fault(f"menu/duplicate_tool: {name}")
        try:
            Draft202012Validator.check_schema(schema)
            validator = Draft202012Validator(closed(schema), format_checker=FORMATS)
        except SchemaError as fault:
            raise Fault(f"menu/bad_schema: {fault.message}") from None
        if undeclared := set(schema.get("required", ())) - schema["properties"].keys():
            raise Fault(f"menu/undeclared_required: {undeclared}")
        defaults = {key: item["default"] for key, item in schema["properties"].items() if "default" in item}
        compiled[name] = Tool(validator, defaults)
        normal.append({"name": name, "description": description, "parameters": schema})
        alike.setdefault(SPELLING.sub("", description.casefold()) + canonical(schema), []).append(name)
    twins = frozenset(name for names in alike.values() if len(names) > 1 for name in names)
    called = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, compiled))})\([^)]*\)")
    return Menu(compiled, called, twins, canonical(normal))


def canonical(value: Any) -> str:
    """RULES J6."""
    text = json.dumps(plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def plain(value: Any) -> Any:
    """The value with integral floats as integers."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def runs(text: str) -> Iterator[tuple[str, ...]]:
    words = WORD.findall(text.casefold())
    return zip(*(words[start:] for start in range(ECHO)), strict=False)


COPIED = frozenset(runs(INSTRUCTIONS))


def check_question(question: Any) -> None:
    """RULES F4."""
    if not isinstance(question, str) or not question.strip():
        raise Fault("format/empty_question")
    text = question.strip()
    if text[0] + text[-1] in ("<>", "[]", "{}") or not COPIED.isdisjoint(runs(text)):
        raise Fault("format/placeholder")


def read_calls(given: Any) -> list[tuple[str, dict[str, Any]]]:
    """RULES C1 and C2."""
    found = []
    for call in [given] if isinstance(given, dict) else given:
        call = call.get("function") or call
        if call.keys() - {"name", "arguments", "id", "type"}:
            raise Fault("calls/bad_call")
        arguments = call.get("arguments") or {}
        found.append((call["name"].strip(), strict(arguments) if isinstance(arguments, str) else arguments))
    if not found:
        raise Fault("calls/no_calls")
    return found


def check_call(menu: Menu, name: str, arguments: dict[str, Any]) -> None:
    """RULES C3 and C4."""
    if name not in menu.tools:
        raise Fault(f"calls/unknown_tool: {name}")
    tool = menu.tools[name]
    given = {key: item for key, item in arguments.items() if key not in tool.defaults or tool.defaults[key] != item}
    errors = list(tool.validator.iter_errors(arguments))
    if errors and given != arguments:  # a declared default is always allowed
        errors = [error for error in errors if not error.path or error.path[0] in given]
    if errors:
        raise Fault(f"calls: {min(errors, key=rank).message}")


def rank(error: ValidationError) -> int:
    return CAUSES.get(str(error.validator), 3)


def leaves(value: Any) -> Iterator[Any]:
    """The values that must be said (RULES G, G6)."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    elif not isinstance(value, bool | None) and str(value).lower() not in ("true", "false"):
        yield value


def check_said(menu: Menu, name: str, arguments: dict[str, Any], question: Question) -> None:
    """RULES G1 to G4."""
    defaults = menu.tools[name].defaults
    for key, item in arguments.items():
        if key not in defaults or defaults[key] != item:
            for value in leaves(item):
                if not question.says(value):
                    raise Fault(f"grounding/ungrounded: {key} = {value}")


def check_determined(menu: Menu, calls: list[tuple[str, dict[str, Any]]], question: str) -> None:
    """RULES D1 and D2."""
    if menu.called.search(question):
        raise Fault("determinacy/leaks_answer")
    start = question.find("{")
    while start >= 0:
        try:
            found, end = json.JSONDecoder().raw_decode(question, start)
            if (found.get("name"), found.get("arguments")) in calls:
                raise Fault("determinacy/leaks_answer")
        except ValueError:
            end = start + 1
        start = question.find("{", end)
    if any(name in menu.twins for name, _ in calls):
        raise Fault("determinacy/ambiguous_tools")


Menus = dict[str, Menu | Fault]


def verify(row: Any, menus: Menus) -> str:
    """The identity of a sound row; raises `Fault`."""
    question = row["question"]
    check_question(question)
    key = json.dumps(row["tools"])
    if key not in menus:
        try:
            menus[key] = compile_menu(row["tools"])
        except Fault as fault:
            menus[key] = fault
    menu = menus[key]
    if isinstance(menu, Fault):
        raise menu
    calls = read_calls(row["calls"])
    for name, arguments in calls:
        check_call(menu, name, arguments)
    said = Question(question)
    for name, arguments in calls:
        check_said(menu, name, arguments, said)
    check_determined(menu, calls, question)
    asked = canonical([{"role": "user", "content": question}])
    due = canonical([{"name": name, "arguments": arguments} for name, arguments in calls])
    parts = f'"calls":{due},"implementations":null,"may_omit":null,"messages":{asked},"tools":{menu.canonical}'
    return hashlib.sha256(f'{{"accept":null,{parts},"world":null}}'.encode()).hexdigest()


def answer(line: str, menus: Menus) -> Mapping[str, Any]:
    """The answer to one line."""
    name = None
    try:
        row = strict(line)
        name = row.get("id")
        return {"id": name, "solvable": True, "task_id": verify(row, menus), "reasons": []}
    except Fault as fault:
        return {"id": name, "solvable": False, "task_id": None, "reasons": [str(fault)]}
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        return {"id": name, "solvable": False, "task_id": None, "reasons": [f"format: {fault!r}"]}


def main(lines: TextIO) -> None:
    """Judge every line and print its answer."""
    menus: Menus = {}
    for line in lines:
        print(json.dumps(answer(line, menus)))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as given:
        main(given)
