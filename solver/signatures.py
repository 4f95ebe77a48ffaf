"""A tool in one line, for prompts that small models follow: `book(name, guests: integer, day?: date) - Book a table.`

In: a normalised tool (RULES M). Out: text without line breaks. Not promised: that every detail of the schema is
told; the chat prompts carry the whole schema.
"""

from __future__ import annotations

from collections.abc import Mapping

from data.records import Json, JsonObject

_MAX_DESCRIPTION = 100
_MAX_CHOICES = 8
_MAX_DEPTH = 2


def signature(tool: JsonObject) -> str:
    """Name, parameters with types (none: string; `?`: optional) and the first sentence of the description."""
    text = f"{tool['name']}({_fields(tool['parameters'], 0)})"
    about = _first_sentence(str(tool.get("description") or ""))
    return " ".join((f"{text} - {about}" if about else text).split())


def _fields(schema: Json, depth: int) -> str:
    if not isinstance(schema, Mapping) or not isinstance(properties := schema.get("properties"), Mapping):
        return ""
    required = schema.get("required")
    names = required if isinstance(required, list | tuple) else ()
    return ", ".join(_field(name, value, name in names, depth) for name, value in properties.items())


def _field(name: str, schema: Json, required: bool, depth: int) -> str:
    kind = _type(schema, depth)
    return f"{name}{'' if required else '?'}{'' if kind == 'string' else f': {kind}'}"


def _type(schema: Json, depth: int) -> str:
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return "any"
    if isinstance(enum := schema.get("enum"), list | tuple):
        more = "|..." if len(enum) > _MAX_CHOICES else ""
        return "|".join(" ".join(str(value).split()) for value in enum[:_MAX_CHOICES]) + more
    for word in ("anyOf", "oneOf"):
        if isinstance(branches := schema.get(word), list | tuple):
            return "|".join(_type(branch, depth + 1) for branch in branches)
    kind = schema.get("type")
    if isinstance(kind, list | tuple):
        return "|".join(_type({**schema, "type": one}, depth) for one in kind)
    if kind == "array":
        return f"{_type(schema.get('items'), depth + 1)}[]"
    if kind == "object":
        return "{" + _fields(schema, depth + 1) + "}"
    if kind == "string" and isinstance(schema.get("format"), str):
        return str(schema["format"])
    return str(kind or "any")


def _first_sentence(text: str) -> str:
    line = " ".join(text.split())
    end = line.find(". ")
    sentence = line if end < 0 else line[: end + 1]
    return sentence if len(sentence) <= _MAX_DESCRIPTION else sentence[: _MAX_DESCRIPTION - 3].rstrip() + "..."
