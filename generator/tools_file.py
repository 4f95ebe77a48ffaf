"""Reading a file of tools: the list itself, `{"tools": [...]}`, or the MCP `tools/list` response around it.

In: a path. Out: the entries of the list as they stand, in order; whether an entry is a usable tool is decided by
`generator.catalogue`. Not promised: following references or fetching anything (RULES M6).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from data.errors import UsageError
from data.records import Json
from verifiers.answer import JsonFault, parse_json

_SHAPES = 'give a JSON list of tools, {"tools": [...]}, or the result of an MCP tools/list'


def read_tools(path: Path) -> list[Json]:
    """Entries of the tool list in the file at `path`; `UsageError` when it cannot be read or holds no such list."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the tools file {path}: {error}", hint=_SHAPES) from error
    return tools_in(text, str(path))


def tools_in(text: str, source: str) -> list[Json]:
    """Entries of the tool list in `text`; `source` names it in the error."""
    try:
        value: Json = parse_json(text)
    except JsonFault as fault:
        raise UsageError(f"{source} is not strict JSON: {fault}", hint=_SHAPES) from fault
    for wrapper in ("result", "tools"):
        if isinstance(value, Mapping) and wrapper in value:
            value = value[wrapper]
    if not isinstance(value, list):
        raise UsageError(f"no list of tools in {source}", hint=_SHAPES)
    if not value:
        raise UsageError(f"the list of tools in {source} is empty", hint="name at least one tool")
    return value
