"""Type names as models write them, read into JSON Schema (RULES M4).

In: the value of a schema's `type` (`"int"`, `"Optional[List[str]]"`, `"int|null"`, `["str", "None"]`, ...).
Out: the keywords that say the same in JSON Schema 2020-12 (`{}` where any type is meant).
Not promised: anything about the other keywords of the schema; joining them is `schema_normal`'s work.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

Fragment: TypeAlias = dict[str, object]

_NAMES: dict[str, Fragment] = {
    **{name: {"type": "integer"} for name in ("integer", "int", "long", "byte")},
    **{name: {"type": "number"} for name in ("number", "float", "double", "decimal")},
    **{name: {"type": "string"} for name in ("string", "str", "text", "char", "uuid", "url")},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
    **{name: {"type": "boolean"} for name in ("boolean", "bool")},
    **{name: {"type": "array"} for name in ("array", "list", "tuple", "arraylist")},
    "set": {"type": "array", "uniqueItems": True},
    **{name: {"type": "object"} for name in ("object", "dict", "map", "hashmap", "json")},
    **{name: {"type": "null"} for name in ("null", "none")},
    **{name: {} for name in ("any", "enum")},
}
_BRACKETS = {"[": "]", "(": ")", "<": ">"}
_MAX_NESTING = 16
_MAX_LENGTH = 300


class UnknownType(ValueError):
    """A type name that RULES M4 does not know."""


def read_type(value: object) -> Fragment:
    """JSON Schema keywords for the value of `type`, not to be changed in place.

    Raises `UnknownType`, or `TypeError` where the value names no type at all.
    """
    if isinstance(value, str):
        return _read(value)
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        raise TypeError("`type` is neither a name nor a list of names")
    return _union([_read(name) for name in value])


def _read(text: str) -> Fragment:
    """One name, parametrised name or union, at most `_MAX_LENGTH` characters."""
    if len(text) > _MAX_LENGTH:
        raise UnknownType(f"{text[:40]}...")
    return _read_short(text.strip())


@lru_cache(maxsize=1024)
def _read_short(text: str) -> Fragment:
    if (known := _NAMES.get(text.lower())) is not None:
        return known
    members = _split(text, "|")
    if len(members) > 1:
        return _union([_read(member) for member in members])
    opening = min((at for bracket in _BRACKETS if (at := text.find(bracket)) > 0), default=0)
    if not opening or not text.endswith(_BRACKETS[text[opening]]):
        raise UnknownType(text)
    name, inner = text[:opening].strip().lower(), text[opening + 1 : -1]
    try:
        return _parametrised(name, _split(inner, ","))
    except UnknownType:
        # A remark: `string (ISO 8601)`, `array (comma separated)`.
        if text[opening] == "(" and name in _NAMES:
            return _NAMES[name]
        raise UnknownType(text) from None


def _parametrised(name: str, parameters: list[str]) -> Fragment:
    if name == "tuple" and len(parameters) == 2 and parameters[1].strip() == "...":
        del parameters[1]
    inner = [_read(parameter) for parameter in parameters]
    if name == "optional" and len(inner) == 1:
        return _union([inner[0], _NAMES["null"]])
    if name == "union":
        return _union(inner)
    if name in _NAMES and (base := _NAMES[name]):
        if base["type"] == "array" and len(inner) == 1:
            return {**base, "items": inner[0]}
        if name == "tuple":
            return {**base, "prefixItems": inner, "minItems": len(inner), "maxItems": len(inner)}
        if base["type"] == "object" and len(inner) == 2:
            return {**base, "additionalProperties": inner[1]}
    raise UnknownType(name)


def _union(members: list[Fragment]) -> Fragment:
    """One schema for any of the members: a list of types where that says the same, else `anyOf`."""
    distinct: list[Fragment] = []
    for member in members:
        for one in _alternatives(member):
            if one not in distinct:
                distinct.append(one)
    if len(distinct) == 1 or {} in distinct:
        return dict(distinct[0]) if len(distinct) == 1 else {}
    types = [name for one in distinct for name in _types(one)]
    if len(set(types)) < len(types):
        return {"anyOf": distinct}
    # Every other keyword of a member speaks of its own type alone, so they stand side by side.
    merged = {key: value for one in distinct for key, value in one.items()}
    return {**merged, "type": types}


def _alternatives(member: Fragment) -> list[Fragment]:
    inner = member.get("anyOf")
    if isinstance(inner, list):
        return inner
    types = _types(member)
    if len(types) > 1 and len(member) == 1:
        return [{"type": name} for name in types]
    return [member]


def _types(fragment: Fragment) -> list[str]:
    types = fragment.get("type", [])
    return [types] if isinstance(types, str) else list(types) if isinstance(types, list) else []


def _split(text: str, separator: str) -> list[str]:
    """Split where no bracket is open; raises `UnknownType` where one stays open or they nest too deeply.

    Inside a bracket only its own kind counts: a remark may hold a lone `<`.
    """
    parts, start, opening, depth = [], 0, "", 0
    for at, character in enumerate(text):
        if depth:
            depth += (character == opening) - (character == _BRACKETS[opening])
            if depth > _MAX_NESTING:
                raise UnknownType(text)
        elif character in _BRACKETS:
            opening, depth = character, 1
        elif character == separator:
            parts.append(text[start:at])
            start = at + 1
    if depth:
        raise UnknownType(text)
    return [*parts, text[start:]]
