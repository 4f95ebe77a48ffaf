"""A right answer to a brief, made by program: what the scripted stand-in says when it is right.

In: a brief. Out: question, tools and calls that every verifier passes, as far as the brief proposes values for all
required parameters. Cheap (thousands a second) and deterministic. Not promised: good language, or use for training:
no real engine ever sees it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from random import Random

from data.records import Brief, Json
from verifiers.answer import reference

_OPENINGS = (
    "Could you help me", "Please take care of this", "I have a wish", "One thing for today", "When you have a moment",
    "Next on my list", "Here is what I need", "My colleague asked for this", "It is urgent", "No hurry with this one",
)  # fmt: skip
_WHO = ("Ida", "Noah", "Mila", "Theo", "Vera", "Hugo", "Lena", "Otto", "Rosa", "Emil", "Nina", "Paul")
_THINGS = ("album", "ladder", "candle", "pillow", "basket", "mirror", "carpet", "kettle", "wallet", "bucket")


def oracle_parts(brief: Brief) -> tuple[str, list[Json], list[Json]]:
    """Question, menu and calls that answer `brief`."""
    if brief.mode == "open":
        return _open(brief)
    calls: list[Json] = [
        {"name": name, "arguments": dict(given)} for name, given in zip(brief.targets, brief.arguments, strict=True)
    ]
    wishes = [_wish(name, given) for name, given in zip(brief.targets, brief.arguments, strict=True)]
    return f"{_opening(brief)}: {', and then '.join(wishes)}.", list(brief.tools), calls


def _opening(brief: Brief) -> str:
    random = Random(f"oracle:{brief.seed}:{brief.index}")
    return f"{random.choice(_OPENINGS)}, {random.choice(_WHO)} and the {random.choice(_THINGS)} can wait"


def _wish(name: str, arguments: Mapping[str, Json]) -> str:
    said = [f"the {key.replace('_', ' ')} is {text}" for key, value in arguments.items() if (text := _text(value))]
    return " with ".join([name.replace("_", " ").replace("-", " "), " and ".join(said)]) if said else f"just {name}"


def _text(value: Json) -> str:
    """A value as said, leaves joined by commas; empty for references."""
    return ", ".join(_leaves(value))


def _leaves(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _leaves(inner)
    elif not isinstance(value, str):
        yield json.dumps(value)
    elif not reference(value):
        yield value


def _open(brief: Brief) -> tuple[str, list[Json], list[Json]]:
    """Made-up tools of the domain, of which the first are called."""
    random = Random(f"oracle:{brief.seed}:{brief.index}:open")
    things = random.sample(_THINGS, brief.menu_size)
    tools: list[Json] = []
    for place, thing in enumerate(things):
        properties: dict[str, Json] = {"owner": {"type": "string"}, "count": {"type": "integer"}}
        if place == 1 and brief.dependent:
            properties["item_id"] = {"type": "string"}
        tools.append(
            {
                "name": f"get_{brief.domain}_{thing}",
                "description": f"Everything about the {thing} of a person.",
                "parameters": {"type": "object", "properties": properties, "required": list(properties)},
            }
        )
    calls: list[Json] = []
    wishes: list[str] = []
    for place, thing in enumerate(things[: brief.calls]):
        owner, count = random.choice(_WHO), random.randint(2, 99)
        arguments: dict[str, Json] = {"owner": owner, "count": count}
        if place == 1 and brief.dependent:
            arguments["item_id"] = "$var_1.item_id"
        calls.append({"name": f"get_{brief.domain}_{thing}", "arguments": arguments})
        wishes.append(f"I want {count} pieces of the {thing} of {owner}")
    return f"{_opening(brief)}: {', and then '.join(wishes)}.", tools, calls
