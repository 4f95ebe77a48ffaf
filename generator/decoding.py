"""JSON Schemas that hold a small model to the format of a plain completion.

In: a brief. Out: the schema of the JSON it is to be answered with. Where the brief proposes every value, that is the
question alone, or the turns of the person: the model's own words around the values, which come in any order if there
are up to three. Values that a grammar cannot carry safely (quotes, backslashes, control characters) leave it free.
Naming the values is thereby the program's doing, not the model's: on SmolLM2-135M 64 of 64 such questions are solvable
at temperature 0.3, where about 30 % are without a grammar. Sense it does not mend; that falls with temperature.
Not promised: sense. What the completion says is judged by the verifiers like any other text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from data.records import Brief, Json, JsonObject
from generator.values import required_names
from verifiers.answer import reference

_WORD = "[A-Za-z'][a-z']{0,11}"
_OPENING = f"^[A-Z][a-z']{{0,11}}( {_WORD}){{0,5}}"
_BETWEEN = f"(,?( {_WORD}){{0,4}})"
_REST = f"( {_WORD}){{0,2}}"
_ANY_ORDER = 3
"""Up to so many values may be named in any order; more in that of the calls, which keeps grammars small."""
_SAYABLE = "([1-9][0-9]{0,2}|[A-Z][a-z]{2,11})"
_END = "[.?!]$"
_SPECIAL = re.compile(r"([\^$.|(){}*+?\[\]])")
_FREE: JsonObject = {"type": "string", "minLength": 12, "maxLength": 300}
_TYPES = ("string", "integer", "number", "boolean")
_VERBS = (
    "find|search|get|list", "book|order|buy|hire", "add|create|write|save", "set|change|move|update",
    "send|share|post|print", "check|compare|measure|count", "cancel|delete|remove|stop", "start|open|play|show",
)  # fmt: skip


def question_schema(arguments: Sequence[JsonObject]) -> JsonObject:
    """The question alone, where every value is proposed: a sentence that names each."""
    said = list(dict.fromkeys(text for call in arguments for text in _said(call)))
    if any(text != text.strip() or not text.isprintable() or set(text) & set('"\\') or not text for text in said):
        return _FREE
    if not said:
        return {"type": "string", "pattern": f"^[A-Z][A-Za-z0-9,' ]{{11,80}}{_END}"}
    texts = [" " + _SPECIAL.sub(r"\\\1", text) for text in said]
    orders = permutations(texts) if len(texts) <= _ANY_ORDER else [texts]
    named = "|".join(_BETWEEN.join(order) for order in orders)
    named = f"({named})" if "|" in named else named
    return {"type": "string", "pattern": f"{_OPENING}{named}{_REST}{_END}"}


def turns_schema(brief: Brief) -> JsonObject:
    """The user turns of a conversation, each a sentence that names what it gives."""
    return _tuple([question_schema([given]) for given in brief.said])


def calls_schema(brief: Brief) -> JsonObject:
    """The object `{calls, question}` for a brief with a menu that leaves values to the model."""
    calls = _tuple([_call(brief, place) for place in range(len(brief.targets))])
    return _object({"calls": calls, "question": _FREE})


def open_schema(brief: Brief) -> JsonObject:
    """The object `{tools, question, calls}` for a brief that leaves everything to the model.

    Each tool of the menu begins with verbs of its own place, for a small model would repeat the first one; the question
    says a name or a number at least, for there would be nothing to call a tool with.
    """
    parameters: JsonObject = {"type": "object", "additionalProperties": _object({"type": {"enum": list(_TYPES)}})}
    about: JsonObject = {"type": "string", "pattern": f"^[A-Z][a-z']{{0,11}}( {_WORD}){{2,12}}\\.$"}
    tools: list[Json] = [
        _object({"name": _name(_VERBS[place % len(_VERBS)]), "description": about, "parameters": parameters})
        for place in range(brief.menu_size)
    ]
    arguments: JsonObject = {"type": "object", "additionalProperties": {"type": list(_TYPES)}}
    call = _object({"name": _name("|".join(_VERBS)), "arguments": arguments})
    pattern = f"{_OPENING} {_SAYABLE}({_BETWEEN} {_SAYABLE})?{_BETWEEN}{_END}"
    question: JsonObject = {"type": "string", "pattern": pattern}
    return _object(
        {
            "tools": {"type": "array", "prefixItems": tools, "items": False, "minItems": len(tools)},
            "question": question if brief.turns == 1 else _tuple([question] * brief.turns),
            "calls": {"type": "array", "items": call, "minItems": brief.calls, "maxItems": brief.calls},
        }
    )


def _name(verbs: str) -> JsonObject:
    return {"type": "string", "pattern": f"^({verbs})_[a-z]{{2,12}}(_[a-z]{{2,12}})?$"}


def _tuple(items: Sequence[Json]) -> JsonObject:
    size = len(items)
    return {"type": "array", "prefixItems": list(items), "items": False, "minItems": size, "maxItems": size}


def _object(properties: dict[str, Json]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _call(brief: Brief, place: int) -> Json:
    name, given = brief.targets[place], brief.arguments[place]
    arguments: dict[str, Json] = {key: {"const": value} for key, value in given.items()}
    tool = next(tool for tool in brief.tools if tool["name"] == name)
    parameters = tool["parameters"]
    assert isinstance(parameters, Mapping)
    properties = parameters.get("properties")
    for key in required_names(parameters):
        inner = properties.get(key) if isinstance(properties, Mapping) else None
        if key not in arguments:
            arguments[key] = inner if inner is not None and "$ref" not in json.dumps(inner) else {}
    return _object({"name": {"const": name}, "arguments": _object(dict(sorted(arguments.items())))})


def _said(value: Json, name: str = "") -> Iterator[str]:
    """What a person says for a value: texts and numbers as they are, a true boolean by the name of its parameter."""
    if isinstance(value, bool):
        yield from [name.replace("_", " ")] if value else []
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _said(inner, key)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _said(inner, name)
    elif isinstance(value, str):
        yield from [] if reference(value) else [value]
    elif value is not None:
        yield json.dumps(value)
