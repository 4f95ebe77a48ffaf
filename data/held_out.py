"""Held-out sets: the questions and tool names of files that a task set must not repeat.

In: a JSONL, JSON or Parquet file, or a version's folder. A row's question is one of `question`, `messages`,
`messages_json`, `prompt`, `query`, `instruction`: a text, or messages of `{role, content}`, also nested as BFCL has
them, of which all that the user says counts. Its tools are under `tools`, `functions`, `function` or `tools_json`,
each named by `name` or `function.name`. Out: `HeldOut` rows as they are read, one at a time.
A row without a question is a fault, named by its number, so that no file is taken for checked that was not read.
Not promised: that a JSON array is read in flat memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data.atomic import store_errors
from data.errors import UsageError

QUESTIONS = ("question", "messages", "messages_json", "prompt", "query", "instruction")
TOOLS = ("tools", "functions", "function", "tools_json")
_HINT = f"each row needs a question, under one of {', '.join(QUESTIONS)}"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One row: all that the user says in it, and the names of its tools."""

    question: str
    tools: frozenset[str]


def held_out_files(path: Path) -> tuple[Path, ...]:
    """The files of a path: itself, or of a version's folder its tasks. `UsageError` if there are none."""
    files = tuple(sorted((path / "data").glob("*.parquet"))) if path.is_dir() else (path,)
    if not files or not all(file.is_file() for file in files):
        raise UsageError(
            f"--held-out {path}: there is no such file", hint="give JSONL, JSON or Parquet, or a version's folder"
        )
    return files


def read_held_out(path: Path) -> Iterator[HeldOut]:
    """The rows of a file. `UsageError` names a row that cannot be understood, or a file without rows."""
    number = 0
    for number, row in enumerate(_rows(path), 1):
        question = _question(row) if isinstance(row, Mapping) else ""
        if not question.strip():
            raise UsageError(f"--held-out {path}: row {number} has no question", hint=_HINT)
        yield HeldOut(question, frozenset(_names(next((row[name] for name in TOOLS if row.get(name)), None))))
    if not number:
        raise UsageError(f"--held-out {path} has no rows", hint=_HINT)


def _rows(path: Path) -> Iterator[Any]:
    with store_errors(path, "read"):
        if path.suffix == ".parquet":
            yield from _parquet_rows(path)
            return
        with path.open(encoding="utf-8-sig") as file:
            yield from _json_rows(path, file)


def _parquet_rows(path: Path) -> Iterator[Any]:
    try:
        with pq.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name in (*QUESTIONS, *TOOLS)]
            for batch in file.iter_batches(batch_size=1024, columns=columns):
                yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise UsageError(f"--held-out {path} is no Parquet file: {error}", hint=_HINT) from error


def _json_rows(path: Path, file: Any) -> Iterator[Any]:
    """An array, or an object a line (whatever the name says: BFCL's `.json` files are lines)."""
    try:
        lines = (line for line in file if line.strip())
        first = next(lines, "")
        if first.lstrip().startswith("["):
            yield from json.loads(first + "".join(lines))
            return
        yield from map(json.loads, chain([first] if first else [], lines))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--held-out {path} is not JSON, nor JSON lines: {error}", hint=_HINT) from error


def _question(row: Mapping[str, Any]) -> str:
    for name in QUESTIONS:
        if value := row.get(name):
            return "\n".join(_said(_parsed(value) if name.endswith("_json") else value))
    return ""


def _said(value: Any) -> Iterator[str]:
    """A text, or what the user says of messages, at any depth of lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _said(one)
    elif isinstance(value, Mapping) and value.get("role", "user") in ("user", "human"):
        yield from _said(value.get("content"))


def _names(value: Any) -> Iterator[str]:
    tools = _parsed(value)
    for tool in tools if isinstance(tools, list) else [tools]:
        inner = tool.get("function", tool) if isinstance(tool, Mapping) else tool
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if isinstance(name, str):
            yield name


def _parsed(value: Any) -> Any:
    """JSON text as its value; text that is none as it is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
