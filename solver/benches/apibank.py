"""API-Bank as published in JSON: `level-1-api.json`, `level-2-api.json` (AlibabaResearch/DAMO-ConvAI, `api-bank`).

In: a file of `{"file", "id", "instruction", "input", "expected_output"}`: tools stand in the instruction, one JSON
object a line; the input is a dialogue; the expected output is one call in Python's notation. Out: a `Bench`.
Not promised: API-Bank's own score, which runs the call and compares results. It names no required parameters.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data.records import Message
from solver.benches.base import Bench, Item, bench, item, json_rows

_ROLES = {"User": "user", "AI": "assistant", "API-Request": "call"}
_LABEL = re.compile(r"(User|AI|API-Request): ?")
_YEAR = re.compile(r"The current year is [0-9]{4}\.")
_END = "Generate API Request:"


def read(path: Path) -> Bench:
    """The benchmark in one file, or in a folder of `level-*-api.json`. Raises `UsageError`."""
    files = sorted(path.glob("level-*-api.json")) if path.is_dir() else [path]
    return bench("api-bank", files, (row for file in files for row in _items(file)))


def _items(file: Path) -> Iterator[tuple[str, Item | str]]:
    for place, row in enumerate(json_rows(file)):
        name = f"{file.stem}-{place}"
        try:
            tools = [_tool(line) for line in row["instruction"].splitlines() if line.startswith("{")]
            call = _call(row["expected_output"])
            turns = _turns(row["instruction"], row["input"])
        except (KeyError, TypeError, AttributeError, ValueError, SyntaxError, RecursionError) as fault:
            yield name, f"not API-Bank's format: {type(fault).__name__}: {fault}"
            continue
        yield name, item(name, file.stem, turns, tools, [call])


def _tool(line: str) -> dict[str, Any]:
    described = json.loads(line)
    return {
        "name": described["name"],
        "description": described.get("description", ""),
        "parameters": described["input_parameters"],
    }


def _call(text: str) -> dict[str, Any]:
    """`API-Request: [Name(key='value', ...)]` as a call. Literals alone are read; nothing is evaluated."""
    code = text.partition("[")[2].rpartition("]")[0]
    call = ast.parse(code.strip(), mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise ValueError(f"no call with named arguments: {code[:80]}")
    arguments = {str(given.arg): ast.literal_eval(given.value) for given in call.keywords}
    return {"name": call.func.id, "arguments": arguments}


def _turns(instruction: str, dialogue: str) -> list[Message]:
    """The dialogue as turns; a call and its result are the assistant's and the tool's."""
    turns: list[tuple[str, str]] = []
    for line in dialogue.partition(_END)[0].splitlines():
        if found := _LABEL.match(line):
            turns.append((_ROLES[found[1]], line[found.end() :]))
        elif turns and line.strip():
            turns[-1] = (turns[-1][0], f"{turns[-1][1]}\n{line}")
    year = _YEAR.search(instruction)
    messages = [Message("system", year[0])] if year else []
    for role, text in turns:
        called, _, result = text.partition("->")
        messages += [Message("assistant", called), Message("tool", result)] if role == "call" else [Message(role, text)]
    return messages
