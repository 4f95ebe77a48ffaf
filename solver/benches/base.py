"""What a benchmark is here: tasks with ids and categories, the files they came from, and what could not be read.

In: rows of any published format, taken apart by a reader. Out: `Item`s, or why a row is none. Gold calls need not prove
sound: what a benchmark calls right is right, even where its own schema disagrees. A gold whose type alone is wrong (the
number `"40.7"`) becomes the declared type, and the written value is accepted too. A row is left out only when it cannot
be asked or scored at all, and the result says so. Not promised: another benchmark's own, often laxer, equality.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from data.canonical import CanonicalError, task_id
from data.digests import file_digest
from data.errors import UsageError
from data.records import Json, Message, Task, Verdict
from solver.benches.secrets import masked
from verifiers.answer import CallFault, read_calls, reference
from verifiers.calls import call_faults, kind_of
from verifiers.menu import Menu, read_menu

UNSCORABLE = frozenset({"not_a_list", "bad_call", "unknown_tool", "bad_reference", "too_large"})
"""Faults of a gold that leave nothing to compare with; any other is the benchmark's own opinion."""
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?")


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a benchmark. `id` is unique within it; what is compared item by item is compared by `id`."""

    id: str
    category: str
    task: Task


@dataclass(frozen=True, slots=True)
class Bench:
    """A benchmark as read. `files` are (name, sha256); `left_out` are (id, reason)."""

    name: str
    files: tuple[tuple[str, str], ...]
    items: tuple[Item, ...]
    left_out: tuple[tuple[str, str], ...] = ()


def bench(name: str, files: Iterable[Path], rows: Iterable[tuple[str, Item | str]]) -> Bench:
    """A benchmark of rows, each an item or the reason why it is none. `UsageError` if an id comes twice, or no item."""
    items: dict[str, Item] = {}
    left_out: list[tuple[str, str]] = []
    paths = list(files)
    for name_of_row, row in rows:
        if isinstance(row, str):
            left_out.append((name_of_row, row))
        elif items.setdefault(row.id, row) is not row:
            raise UsageError(f"{name}: two rows are called {row.id!r}", hint="give each file once")
    if not items:
        why = f"; the first of {len(left_out)} rows: {left_out[0][1]}" if left_out else ""
        raise UsageError(f"{name}: nothing to ask in {', '.join(map(str, paths))}{why}", hint="see docs/evaluation.md")
    digests = tuple(("/".join(path.parts[-2:]), file_digest(path)) for path in paths)
    return Bench(name, digests, tuple(items.values()), tuple(left_out))


def item(
    name: str,
    category: str,
    messages: Sequence[Message],
    tools: Json,
    calls: Json,
    accept: Sequence[Mapping[str, Sequence[Json]]] | None = None,
    may_omit: Sequence[Sequence[str]] | None = None,
) -> Item | str:
    """One row as an item, without the keys it carries, or why it cannot be asked or scored."""
    menu = read_menu(tools)
    if isinstance(menu, Verdict):
        return f"{menu.code}: {menu.detail}"
    for fault in call_faults(menu, calls, allow_none=True):
        if fault.code in UNSCORABLE:
            return f"{fault.code}: {fault.detail}"
    messages, calls, accept = masked(messages, calls, accept)
    try:
        golds, written = _as_declared(menu, read_calls(calls))
        accepted = [
            {key: [*mine.get(key, ()), *theirs.get(key, ())] for key in {**mine, **theirs}}
            for mine, theirs in zip(written, accept or [{}] * len(golds), strict=True)
        ]
        alternatives: Json = accepted if any(accepted) else None
        omitted: Json = [list(names) for names in may_omit] if may_omit and any(may_omit) else None
        identity = task_id(messages, menu.canonical, golds, alternatives, omitted)
    except (CallFault, CanonicalError) as fault:
        return f"unreadable: {fault}"
    task = Task(
        task_id=identity,
        kind=kind_of(golds),
        turns=sum(turn.role == "user" for turn in messages),
        domain=category,
        mode="catalogue",
        messages=tuple(messages),
        tools=menu.tools,
        calls=tuple(golds),
        accept=alternatives,
        may_omit=omitted,
    )
    return Item(name, category, task)


def _as_declared(menu: Menu, calls: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, list[Json]]]]:
    """The calls with values of the declared types, and what was written instead."""
    golds, written = [], []
    for call in calls:
        tool = menu.tool(call["name"])
        schema: Any = tool["parameters"] if tool else {}
        properties = schema.get("properties") or {}
        arguments, others = {}, {}
        for name, value in call["arguments"].items():
            declared = properties.get(name)
            better = _declared(value, declared.get("type") if isinstance(declared, Mapping) else None)
            arguments[name] = better
            if better is not value:
                others[name] = [value]
        golds.append({**call, "arguments": arguments})
        written.append(others)
    return golds, written


def _declared(value: Any, kind: Any) -> Any:
    """The value in its declared type where only the type is wrong, else the very value."""
    if isinstance(value, str) and not reference(value):
        if kind in ("number", "integer") and _NUMBER.fullmatch(value):
            number = float(value) if "." in value else int(value)
            return number if kind == "number" or number == int(number) else value
        if kind == "boolean" and value.lower() in ("true", "false"):
            return value.lower() == "true"
    elif kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def some_of(whole: Bench, most: int) -> Bench:
    """At most so many items of each category, the same ones whatever the order of the files."""

    def place(one: Item) -> str:
        return hashlib.sha256(one.id.encode()).hexdigest()

    kept: dict[str, list[Item]] = {}
    for one in sorted(whole.items, key=place):
        kept.setdefault(one.category, []).append(one)
    chosen = {one.id for some in kept.values() for one in some[:most]}
    return replace(whole, items=tuple(one for one in whole.items if one.id in chosen))


def json_rows(path: Path) -> list[Any]:
    """The rows of a file that is a JSON list, one JSON value, or one a line. `UsageError` where it is none of them."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise UsageError(f"{path} cannot be read: {fault}", hint="give the file as published, in UTF-8") from None
    with suppress(ValueError, RecursionError):
        if path.suffix != ".jsonl":
            whole = json.loads(text)
            return whole if isinstance(whole, list) else [whole]
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as fault:
        raise UsageError(
            f"{path} is neither JSON nor one JSON value a line: {fault}", hint="give the file as published"
        ) from None
