"""Seal-Tools as published: `test_in_domain.jsonl`, `test_out_domain.jsonl` beside `tool.jsonl` (fairyshine/Seal-Tools).

In: rows `{"id", "query", "calling"}`, or `[calling, query]` in the older files, whose calls name their results
(`API_call_3`) and use them as values. Out: a `Bench`, one item a row; the menu is the gold's tools and, up to `MENU`,
others, first of the same field. Not promised: the menus of the authors, which come from a retriever of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from data.errors import UsageError
from data.records import Message
from solver.benches.base import Bench, Item, bench, item, json_rows
from verifiers.menu import Menu, read_menu

MENU = 5
TOOLS = "tool.jsonl"


def read(path: Path) -> Bench:
    """The benchmark in one file, or in a folder of `test_*.jsonl`; the tools lie beside. Raises `UsageError`."""
    files = sorted(path.glob("test_*.jsonl")) if path.is_dir() else [path]
    source = (path if path.is_dir() else path.parent) / TOOLS
    if not source.is_file():
        raise UsageError(f"there is no {source}", hint=f"Seal-Tools describes its tools in {TOOLS}: put it there")
    described = {row["api_name"]: row for row in reversed(json_rows(source))}
    sound = {name: row for name, row in sorted(described.items()) if isinstance(read_menu([_tool(row)]), Menu)}
    return bench("seal-tools", [*files, source], (row for file in files for row in _items(file, described, sound)))


def _items(file: Path, described: Mapping[str, Any], sound: Mapping[str, Any]) -> Iterator[tuple[str, Item | str]]:
    for place, row in enumerate(json_rows(file)):
        name = str(row.get("id", place)) if isinstance(row, Mapping) else f"{file.stem}-{place}"
        try:
            calling, query = row if isinstance(row, list) else (row["calling"], row["query"])
            wanted = list(dict.fromkeys(call["api"] for call in calling))
            calls = _calls(calling, described)
            tools = [_tool(described[one]) for one in _menu(name, wanted, described, sound)]
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as fault:
            yield name, f"not Seal-Tools' format, or a tool that is not in {TOOLS}: {type(fault).__name__}: {fault}"
            continue
        kind = "one call" if len(calls) == 1 else "several calls"
        yield name, item(name, f"{file.stem}, {kind}", [Message("user", query)], tools, calls)


def _tool(row: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {key: {"type": one["type"], "description": one.get("description", "")}
                  for key, one in row["parameters"].items()}  # fmt: skip
    return {
        "name": row["api_name"],
        "description": row.get("api_description", ""),
        "parameters": parameters,
        "required": row.get("required", []),
    }


def _menu(name: str, wanted: list[str], described: Mapping[str, Any], sound: Mapping[str, Any]) -> list[str]:
    """The gold's tools among others, in an order that says nothing."""
    fields = {described[one].get("field") for one in wanted}

    def draw(tool: str) -> str:
        return hashlib.sha256(f"{name}:{tool}".encode()).hexdigest()

    near = sorted((one for one in sound if one not in wanted and sound[one].get("field") in fields), key=draw)
    others = near[: max(0, MENU - len(wanted))]
    if missing := max(0, MENU - len(wanted) - len(others)):
        others += sorted((one for one in sound if one not in wanted and one not in near), key=draw)[:missing]
    return sorted([*wanted, *others], key=draw)


def _calls(calling: list[Mapping[str, Any]], described: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls, with `API_call_3` as a reference to the call that gives it, by the name of the response."""
    results: dict[str, str] = {}
    calls = []
    for number, call in enumerate(calling, 1):
        arguments = {
            key: results.get(value, value) if isinstance(value, str) else value
            for key, value in call["parameters"].items()
        }
        calls.append({"name": call["api"], "arguments": arguments})
        names = list(described[call["api"]].get("responses", {}))
        for label, response in zip(call.get("responses", []), names, strict=False):
            results[label] = f"$var_{number}.{response}"
    return calls
