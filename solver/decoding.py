"""The JSON Schema that constrains a solver's answer while it is decoded.

In: a normalised menu (RULES M). Out: a schema of one call or a list of calls, of such keywords alone as every
engine's grammar compiler understands (`type`, `const`, `enum`, `anyOf`, `properties`, `required`, `items`,
`additionalProperties`, `prefixItems`, `format: date`, our own `pattern`). Promised: each answer that RULES C accepts
stays expressible, so a correct one always does. Not promised: the reverse. Ranges, patterns and other formats are
left to the verifiers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from data.records import Json, JsonObject

_REFERENCE: JsonObject = {"type": "string", "pattern": r"^\$var_[0-9]+(\.[^.\[\] ]+|\[[0-9]+\])+$"}
"""A whole string that stands for an earlier call's result (RULES C5)."""
_ONE_LINE: JsonObject = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""For llguidance, which else lets a small model write white space without end; others ignore the keyword."""
_MAX_DEPTH = 12
_MAX_NODES = 2_000
_TYPES = {"string", "integer", "number", "boolean", "null", "array", "object"}


def answer_schema(tools: Sequence[JsonObject]) -> JsonObject:
    """The schema of an answer: one call, or a list of any number; references are open from a list's second call on."""
    first = [_call(tool, references=False) for tool in tools]
    later = [_call(tool, references=True) for tool in tools]
    calls: JsonObject = {"type": "array", "prefixItems": [{"anyOf": first}], "items": {"anyOf": later}}
    return {"anyOf": [*first, calls], "x-guidance": _ONE_LINE}


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

    def reduce(self, schema: Json, depth: int = 0, *, top: bool = False, branch: bool = False) -> JsonObject:
        """A schema of the subset that accepts at least what `schema`, its default and a reference allow.

        `top`: the arguments themselves; `branch`: of a combinator, so not closed (RULES M5).
        """
        self._nodes += 1
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH or self._nodes > _MAX_NODES:
            return {}
        reduced = self._shape(schema, depth, branch)
        choices = [reduced] if reduced else []
        if choices and "default" in schema and not top:
            choices.append({"const": schema["default"]})
        if choices and self._references and not top and reduced != {"type": "string"}:
            choices.append(_REFERENCE)
        return {"anyOf": choices} if len(choices) > 1 else reduced

    def _shape(self, schema: JsonObject, depth: int, branch: bool) -> JsonObject:
        if "$ref" in schema:
            return self.reduce(self._target(schema["$ref"]), depth + 1, branch=branch)
        if "const" in schema:
            return {"const": schema["const"]}
        if isinstance(enum := schema.get("enum"), list | tuple) and enum:
            return {"enum": list(enum)}
        kinds = schema.get("type")
        if isinstance(kinds, str):
            return self._typed(kinds, schema, depth, branch)
        if isinstance(kinds, list | tuple) and kinds:
            return {"anyOf": [self._typed(str(kind), schema, depth, branch) for kind in kinds]}
        for word in ("anyOf", "oneOf"):
            if isinstance(branches := schema.get(word), list | tuple) and branches and "properties" not in schema:
                return {"anyOf": [self.reduce(one, depth + 1, branch=True) for one in branches]}
        return {}

    def _typed(self, kind: str, schema: JsonObject, depth: int, branch: bool) -> JsonObject:
        if kind == "object":
            return self._object(schema, depth, branch)
        if kind == "array":
            free = "prefixItems" in schema or "items" not in schema
            return {"type": "array"} if free else {"type": "array", "items": self.reduce(schema["items"], depth + 1)}
        if kind == "string" and schema.get("format") == "date":
            return {"type": "string", "format": "date"}
        return {"type": kind} if kind in _TYPES else {}

    def _object(self, schema: JsonObject, depth: int, branch: bool) -> JsonObject:
        declared = schema.get("properties")
        properties = (
            {name: self.reduce(value, depth + 1) for name, value in declared.items()}
            if isinstance(declared, Mapping)
            else {}
        )
        required = schema.get("required")
        names = [name for name in required if name in properties] if isinstance(required, list | tuple) else []
        implied = "additionalProperties" not in schema and isinstance(declared, Mapping) and not branch
        closed = implied or False in (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
        combined = any(word in schema for word in ("anyOf", "oneOf", "allOf", "if", "$ref", "patternProperties"))
        if not properties and (combined or not closed):
            return {"type": "object"}
        return {
            "type": "object",
            "properties": properties,
            "required": names,
            "additionalProperties": combined or not closed,
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
