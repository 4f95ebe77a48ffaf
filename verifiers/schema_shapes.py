"""The shapes in which tools are listed, read into one (RULES M1, M2).

In: one tool as somebody wrote it. Out: its name, description and parameters as a JSON Schema not yet judged.
Not promised: that the schema is one (`schema_normal`), or that names differ (`menu`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from verifiers.schema_normal import Fault, Schema

_NOT_EMPTY = ("properties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "additionalProperties")


class Tool(NamedTuple):
    """A tool before its parameters are judged. `flat`: the shorthands of flat parameters count in them."""

    name: str
    description: str
    parameters: Schema
    flat: bool


def read_tool(tool: object) -> Tool | Fault:
    """Name, description and parameters of a tool in any of the shapes of RULES M2, or why it is none."""
    if isinstance(tool, Mapping) and "function" in tool and tool.get("type", "function") == "function":
        tool = tool["function"]
    if not isinstance(tool, Mapping):
        return Fault("bad_tool", "it is not an object")
    name, description = tool.get("name"), tool.get("description")
    if not isinstance(name, str) or not name.strip():
        return Fault("bad_tool", "it has no name")
    read = _parameters(tool)
    if isinstance(read, Fault):
        return read
    parameters, flat = read
    if not any(keyword in parameters for keyword in _NOT_EMPTY):
        parameters = {"type": "object", **parameters, "properties": {}}
    elif "type" not in parameters and "$ref" not in parameters:
        parameters = {"type": "object", **parameters}
    return Tool(name.strip(), description if isinstance(description, str) else "", parameters, flat)


def _parameters(tool: Mapping[str, object]) -> tuple[Schema, bool] | Fault:
    for key in ("inputSchema", "input_schema", "parameters"):
        given = tool.get(key)
        if not given and not isinstance(given, bool):
            continue
        if not isinstance(given, Mapping):
            return Fault("bad_schema", f"`{key}` is not an object")
        if key != "parameters" or _is_schema(given):
            return dict(given), False
        return _flat(given, tool.get("required"))
    return {}, False


def _is_schema(parameters: Mapping[str, object]) -> bool:
    kind, properties = parameters.get("type"), parameters.get("properties")
    return (
        (isinstance(kind, str) and kind.strip().lower() in ("object", "dict"))
        or isinstance(parameters.get("$ref"), str)
        or (isinstance(properties, Mapping) and all(isinstance(one, Mapping) for one in properties.values()))
    )


def _flat(parameters: Mapping[str, object], beside: object) -> tuple[Schema, bool] | Fault:
    """Flat parameters as a schema. Names are required by a list beside them or among them, or inside each."""
    properties = dict(parameters)
    schema: Schema = {"type": "object", "properties": properties}
    if isinstance(properties.get("$defs"), Mapping):
        schema["$defs"] = properties.pop("$defs")
    lists = [beside] if beside is not None else []
    if isinstance(properties.get("required"), list):
        lists.append(properties.pop("required"))
    names: list[str] = []
    for given in lists:
        if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
            return Fault("bad_schema", "`required` is not a list of names")
        names += [name for name in given if name not in names]
    if names:
        schema["required"] = names
    return schema, True
