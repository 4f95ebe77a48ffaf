"""NESTFUL as published: `data_v2/nestful_data.jsonl` (IBM/NESTFUL), or the same rows from the Hub.

In: rows `{"sample_id", "input", "output", "tools", "gold_answer"}`, in which `output` and `tools` are lists or JSON
text, and a call's argument `"$var_1.result$"` is the result of the call with the label `$var_1`. Out: a `Bench` by
number of calls. Not promised: NESTFUL's win rate, which runs the calls; an equal value by other calls is wrong here. It
names no required parameters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from data.records import Message
from solver.benches.base import Bench, Item, bench, item, json_rows
from verifiers.calls import rewritten

_REFERENCE = re.compile(r"(\$?var_?[0-9]{1,6})\.([^.\[\]\s$]{1,80})\$?")
_MANY = 5


def read(path: Path) -> Bench:
    """The benchmark in one file. Raises `UsageError`."""
    return bench("nestful", [path], _items(path))


def _items(file: Path) -> Iterator[tuple[str, Item | str]]:
    for place, row in enumerate(json_rows(file)):
        name = str(row.get("sample_id", place)) if isinstance(row, Mapping) else str(place)
        try:
            tools = [_tool(tool) for tool in _listed(row["tools"])]
            calls = _calls(_listed(row["output"]))
            question = [Message("user", row["input"])]
        except (KeyError, TypeError, AttributeError, ValueError) as fault:
            yield name, f"not NESTFUL's format (data_v2): {type(fault).__name__}: {fault}"
            continue
        kind = f"{len(calls)} calls" if len(calls) < _MANY else f"{_MANY} calls or more"
        yield name, item(name, kind, question, tools, calls)


def _listed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """The tool without what it returns; `int or float` in the words of RULES M4."""
    parameters = {
        name: {**one, "type": kind.replace(" or ", "|")} if isinstance(kind := one.get("type"), str) else one
        for name, one in tool["parameters"].items()
    }
    return {"name": tool["name"], "description": tool.get("description", ""), "parameters": parameters}


def _calls(output: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    numbers: dict[str, int] = {}
    calls = []
    for number, call in enumerate(output, 1):
        arguments = rewritten(call.get("arguments") or {}, lambda text: _referring(text, numbers))
        calls.append({"name": call["name"], "arguments": arguments})
        numbers[str(call.get("label", "")).lstrip("$")] = number
    return calls


def _referring(text: str, numbers: Mapping[str, int]) -> str:
    """`$var_1.result$` as our `$var_1.result`, counted by place; any other text as it is."""
    found = _REFERENCE.fullmatch(text) if text.startswith("$") else None
    if found is None:
        return text
    label = found[1].lstrip("$")
    if label not in numbers:
        raise ValueError(f"{text} refers to no earlier call")
    return f"$var_{numbers[label]}.{found[2]}"
