"""The JSON Schema that constrains a solver's answer while it is decoded.

In: a normalised menu (RULES M). Out: a schema of lists of calls that uses only what every engine's grammar compiler
understands (`type`, `const`, `enum`, `anyOf`, `properties`, `required`, `additionalProperties`, `items`,
`prefixItems`, `pattern` of our own). Promised: each answer that RULES C accepts stays expressible, so a correct one
always does. Not promised: the reverse. Ranges, patterns and most formats are left to the verifiers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from data.records import Json, JsonObject

_REFERENCE: JsonObject = {"type": "string", "pattern": r"^\$var_[1-9][0-9]*(\.[^.\[\]\"\\]+|\[[0-9]+\])+$"}
"""A whole string that stands for an earlier call's result (RULES C5)."""
_MAX_DEPTH = 12
_MAX_NODES = 2_000
_TYPES = {"string", "integer", "number", "boolean", "null", "array", "object"}


def answer_schema(tools: Sequence[JsonObject]) -> JsonObject:
    """The schema of an answer: a list of no, one or more calls to `tools`; references are open from the second on."""
    first = {"anyOf": [_call(tool, references=False) for tool in tools]}
    later = {"anyOf": [_call(tool, references=True) for tool in tools]}
    return {"type": "array", "prefixItems": [first], "items": later}


def _call(tool: JsonObject, *, references: bool) -> JsonObject:
    parameters = cast(JsonObject, tool["parameters"])
    reduced = _Reducer(parameters, references=references).reduce(parameters, top=True)
    return _closed({"name": {"const": tool["name"]}, "arguments": reduced})


def _closed(properties: Mapping[str, Json]) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


class _Reducer:
    """Widens one tool's parameters to the common subset; whatever it does not know becomes "anything"."""

    def __init__(self, root: JsonObject, *, references: bool) -> None:
        self._root = root
        self._references = references
        self._nodes = 0

    def reduce(self, schema: Json, depth: int = 0, *, top: bool = False) -> JsonObject:
        """A schema of the subset that accepts at least what `schema`, its default and a reference allow."""
        self._nodes += 1
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH or self._nodes > _MAX_NODES:
            return {}
        reduced = self._shape(schema, depth)
        choices = [reduced] if reduced else []
        if choices and "default" in schema and not top:
            choices.append({"const": schema["default"]})
        if choices and self._references and not top and reduced != {"type": "string"}:
            choices.append(_REFERENCE)
        return {"anyOf": choices} if len(choices) > 1 else reduced

    def _shape(self, schema: JsonObject, depth: int) -> JsonObject:
        if "$ref" in schema:
            return self.reduce(self._target(schema["$ref"]), depth + 1, top=True)
        if "const" in schema:
            return {"const": schema["const"]}
        if isinstance(enum := schema.get("enum"), list | tuple) and enum:
            return {"enum": list(enum)}
        kinds = schema.get("type")
        if isinstance(kinds, str):
            return self._typed(kinds, schema, depth)
        if isinstance(kinds, list | tuple) and kinds:
            return {"anyOf": [self._typed(str(kind), schema, depth) for kind in kinds]}
        for word in ("anyOf", "oneOf"):
            if isinstance(branches := schema.get(word), list | tuple) and branches and "properties" not in schema:
                return {"anyOf": [self.reduce(branch, depth + 1, top=True) for branch in branches]}
        return {}

    def _typed(self, kind: str, schema: JsonObject, depth: int) -> JsonObject:
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            free = "prefixItems" in schema or "items" not in schema
            return {"type": "array"} if free else {"type": "array", "items": self.reduce(schema["items"], depth + 1)}
        if kind == "string" and schema.get("format") == "date":
            return {"type": "string", "format": "date"}
        return {"type": kind} if kind in _TYPES else {}

    def _object(self, schema: JsonObject, depth: int) -> JsonObject:
        declared = schema.get("properties")
        properties = (
            {name: self.reduce(value, depth + 1) for name, value in declared.items()}
            if isinstance(declared, Mapping)
            else {}
        )
        required = schema.get("required")
        names = [name for name in required if name in properties] if isinstance(required, list | tuple) else []
        closed = False in (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
        combined = any(word in schema for word in ("anyOf", "oneOf", "allOf", "if", "$ref", "patternProperties"))
        if not properties and not (closed and not combined):
            return {"type": "object"}
        return {
            "type": "object",
            "properties": properties,
            "required": names,
            "additionalProperties": not closed or combined,
        }

    def _target(self, reference: Json) -> Json:
        """What `#/a/b` points to in the tool's own schema (RULES M6), `None` where nothing does."""
        value: Json = self._root
        for part in str(reference).removeprefix("#").removeprefix("/").split("/") if reference != "#" else ():
            part = part.replace("~1", "/").replace("~0", "~")
            if isinstance(value, Mapping):
                value = value.get(part)
            elif isinstance(value, list | tuple) and part.isdecimal() and int(part) < len(value):
                value = value[int(part)]
            else:
                return None
        return value
