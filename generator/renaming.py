"""The same task with names that say nothing: what is left to go by are descriptions.

In: a draft in normal form, a random source. Out: the draft with every tool, and every parameter of simple schemas,
renamed alike in menu, calls, alternatives and proof. What a name said and no description says becomes the description,
so the task means what it meant. A parameter that takes an earlier result keeps its name, for it is all that
tells a solver how that result is called. Parameters of schemas with combinators or `$ref` keep theirs, too.
Not promised: that the names are unguessable; they are the same for the same random source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from data.records import Json, JsonObject
from generator.wording import words_of
from verifiers.calls import references

_SIMPLE = frozenset({"type", "properties", "required", "additionalProperties", "unevaluatedProperties"})
_SIMPLE_NOTES = frozenset({"title", "description"})


@dataclass(frozen=True, slots=True)
class _Names:
    """The new name of each tool, and of each of its parameters that gets one."""

    tools: Mapping[str, str]
    parameters: Mapping[str, Mapping[str, str]]


def renamed(draft: JsonObject, random: Random) -> dict[str, Json]:
    """The draft under other names."""
    tools, proof = _list(draft["tools"]), draft["unanswerable"]
    gold = _list(draft["calls"])
    every = list(tools)
    if isinstance(proof, Mapping):
        gold = _list(proof["calls"])
        every += [proof["removed"]] if "removed" in proof else []
    names = _names([tool for tool in every if isinstance(tool, Mapping)], gold, random)
    called = [str(call["name"]) for call in _list(draft["calls"]) if isinstance(call, Mapping)]
    new: dict[str, Json] = dict(draft)
    new["tools"] = [_tool(tool, names) for tool in tools]
    new["calls"] = [_call(call, names) for call in _list(draft["calls"])]
    for part in ("accept", "may_omit"):
        listed = zip(called, _list(draft[part]), strict=False)
        new[part] = [_keys(one, names.parameters[name]) for name, one in listed] or None
    if isinstance(proof, Mapping):
        changed: dict[str, Json] = {**proof, "calls": [_call(call, names) for call in gold]}
        new["unanswerable"] = changed | ({"removed": _tool(proof["removed"], names)} if "removed" in proof else {})
    return new


def _names(tools: list[JsonObject], gold: list[Json], random: Random) -> _Names:
    passed = {_last(found.path) for call in gold for found in references(call)}
    numbers = random.sample(range(100, 1000), len(tools))
    fresh = {str(tool["name"]): f"tool_{number}" for tool, number in zip(tools, numbers, strict=True)}
    inner = {}
    for tool in tools:
        known = [name for name in _renameable(tool["parameters"]) if name not in passed]
        letters = random.sample(range(10, 10 + max(90, len(known))), len(known))
        inner[str(tool["name"])] = {name: f"p{letter}" for name, letter in zip(known, letters, strict=True)}
    return _Names(fresh, inner)


def _renameable(parameters: Json) -> list[str]:
    simple = isinstance(parameters, Mapping) and parameters.keys() <= _SIMPLE | _SIMPLE_NOTES
    properties = parameters.get("properties") if isinstance(parameters, Mapping) and simple else None
    names = list(properties) if isinstance(properties, Mapping) else []
    return [] if any(str(name).startswith("p") and str(name)[1:].isdigit() for name in names) else names


def _tool(tool: Json, names: _Names) -> Json:
    assert isinstance(tool, Mapping)
    old, parameters = str(tool["name"]), tool["parameters"]
    assert isinstance(parameters, Mapping)
    fresh = names.parameters[old]
    changed: dict[str, Json] = dict(parameters)
    properties = parameters.get("properties")
    if fresh and isinstance(properties, Mapping):
        changed["properties"] = {
            fresh.get(name, name): _described(schema, name) if name in fresh else schema
            for name, schema in properties.items()
        }
        required = _list(parameters.get("required"))
        changed |= {"required": [fresh.get(str(name), name) for name in required]} if required else {}
    return {"name": names.tools[old], "description": tool.get("description") or words_of(old), "parameters": changed}


def _described(schema: Json, name: str) -> Json:
    """The schema of a parameter, described by the words of its name if by nothing else."""
    if not isinstance(schema, Mapping) or schema.get("description"):
        return schema
    return {**schema, "description": words_of(name)}


def _call(call: Json, names: _Names) -> Json:
    assert isinstance(call, Mapping)
    old = str(call["name"])
    return {"name": names.tools[old], "arguments": _keys(call["arguments"], names.parameters[old])}


def _keys(part: Json, fresh: Mapping[str, str]) -> Json:
    """Arguments, or the alternatives to them, under their new names."""
    if isinstance(part, Mapping):
        return {fresh.get(name, name): value for name, value in part.items()}
    return [fresh.get(str(name), name) for name in _list(part)]


def _last(path: str) -> str:
    """The last name of a reference's path: `.orders[0].id` -> `id`."""
    return path.replace("]", "").replace("[", ".").split(".")[-1]


def _list(value: Json) -> list[Json]:
    return list(value) if isinstance(value, (list, tuple)) else []
