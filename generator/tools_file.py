"""Reading tools: a list, `{"tools": [...]}`, the MCP `tools/list` response around it, or an OpenAPI document.

In: the path of a JSON or YAML file. Out: a `ToolList`: the entries as they stand, in order, and what a document has
that is no tool; whether an entry is usable is decided by `generator.catalogue`. Not promised: following references out
of the file, or fetching anything (RULES M6).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from data.errors import UsageError
from data.records import Json
from generator.openapi import is_openapi, read_openapi
from generator.tool_list import ToolList
from generator.yaml_text import MAX_LEVELS, YamlFault, read_yaml
from verifiers.answer import JsonFault, check_unicode, read_json

MAX_BYTES: Final = 1 << 25
_SHAPES: Final = (
    'give a JSON list of tools, {"tools": [...]}, the result of an MCP tools/list, '
    "or an OpenAPI 3 or Swagger 2 document; all as JSON or YAML"
)


def read_tools(path: Path) -> ToolList:
    """The tools of the file at `path`; `UsageError` when it cannot be read or holds none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"the tools file {path} has more than {MAX_BYTES >> 20} MiB", hint="leave some tools out")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the tools file {path}: {error}", hint=_SHAPES) from error
    return tools_in(text, str(path))


def tools_in(text: str, source: str) -> ToolList:
    """The tools in `text`; `source` names it in errors. A text that does not begin with a bracket is read as YAML."""
    value = _read(text, source)
    if is_openapi(value):
        assert isinstance(value, Mapping)
        return read_openapi(value, source)
    for wrapper in ("result", "tools"):
        if isinstance(value, Mapping) and wrapper in value:
            value = value[wrapper]
    if not isinstance(value, list):
        raise UsageError(f"no list of tools in {source}", hint=_SHAPES)
    if not value:
        raise UsageError(f"the list of tools in {source} is empty", hint="name at least one tool")
    return ToolList(tuple(value))


def _read(text: str, source: str) -> Json:
    is_json = text.lstrip()[:1] in ("{", "[") and not source.endswith((".yaml", ".yml"))
    try:
        value: Json = read_json(text, MAX_LEVELS) if is_json else read_yaml(text)
        check_unicode(value)
    except JsonFault as fault:
        raise UsageError(f"{source} is not strict JSON: {fault}", hint=_SHAPES) from fault
    except YamlFault as fault:
        raise UsageError(f"{source} is no YAML that can be read: {fault}", hint=_SHAPES) from fault
    return value
