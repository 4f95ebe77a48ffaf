"""A right answer to a brief, made by program: what the scripted stand-in says when it is right.

In: a brief. Out: user turns, tools and calls that every verifier passes, as far as the brief proposes values for all
required parameters. Cheap (thousands a second) and deterministic. Not promised: good language, or use for training:
no real engine ever sees it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from random import Random

from data.records import Brief, Json
from generator.briefs import proposed_calls
from verifiers.answer import reference

_OPENINGS = (
    "Could you help me", "Please take care of this", "I have a wish", "One thing for today", "When you have a moment",
    "Next on my list", "Here is what I need", "My colleague asked for this", "It is urgent", "No hurry with this one",
)  # fmt: skip
_WHO = ("Ida", "Noah", "Mila", "Theo", "Vera", "Hugo", "Lena", "Otto", "Rosa", "Emil", "Nina", "Paul")
_THINGS = ("album", "ladder", "candle", "pillow", "basket", "mirror", "carpet", "kettle", "wallet", "bucket")


def oracle_parts(brief: Brief) -> tuple[list[str], list[Json], list[Json]]:
    """User turns, menu and calls that answer `brief`: in mode `evolve`, the words that are still to be written."""
    if brief.mode == "open":
        return _open(brief)
    calls = proposed_calls(brief)
    pairs = list(zip(brief.targets, brief.arguments, strict=True))
    if brief.kind == "further":
        return [f"And then {_wish(*pairs[-1])}."], list(brief.tools), calls
    if brief.kind == "indirect":
        return [f"{_opening(brief)}, all I know is {_hint(brief)}."], list(brief.tools), calls
    turns = [f"{_opening(brief)}: {', and then '.join(_wish(*pair) for pair in pairs)}."]
    if brief.said:
        (name,) = brief.targets
        turns = [f"{_opening(brief)}: {_wish(name, brief.said[0])}."]
        turns += [f"One more thing: {_named(given)}." for given in brief.said[1:]]
    return turns, list(brief.tools), calls


def _hint(brief: Brief) -> str:
    """The values alone, under the names of their parameters."""
    said = [
        f"{_words(key)} {text}" for given in brief.arguments for key, value in given.items() if (text := _text(value))
    ]
    return " or ".join(said) or "nothing at all"


def _opening(brief: Brief) -> str:
    random = Random(f"oracle:{brief.seed}:{brief.index}")
    return f"{random.choice(_OPENINGS)}, {random.choice(_WHO)} and the {random.choice(_THINGS)} can wait"


def _wish(name: str, arguments: Mapping[str, Json]) -> str:
    said = _named(arguments)
    return f"{_words(name)} with {said}" if said else f"just {name}"


def _named(arguments: Mapping[str, Json]) -> str:
    return " and ".join(f"the {_words(key)} is {text}" for key, value in arguments.items() if (text := _text(value)))


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def _text(value: Json) -> str:
    """A value as said, leaves joined by commas; empty for references."""
    return ", ".join(leaves(value))


def leaves(value: Json) -> Iterator[str]:
    """Each value that is to be said, as it is said; references are not."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from leaves(inner)
    elif not isinstance(value, str):
        yield json.dumps(value)
    elif not reference(value):
        yield value


def _open(brief: Brief) -> tuple[list[str], list[Json], list[Json]]:
    """Made-up tools of the domain, of which the first are called; with two turns, the second says who."""
    random = Random(f"oracle:{brief.seed}:{brief.index}:open")
    things = random.sample(_THINGS, brief.menu_size)
    tools: list[Json] = []
    for place, thing in enumerate(things):
        properties: dict[str, Json] = {"owner": {"type": "string"}, "count": {"type": "integer"}}
        if brief.kind == "dependent" and 0 < place < brief.calls:
            properties["item_id"] = {"type": "string"}
        tools.append(
            {
                "name": f"get_{brief.domain}_{thing}",
                "description": f"Everything about the {thing} of a person.",
                "parameters": {"type": "object", "properties": properties, "required": list(properties)},
            }
        )
    opening = _opening(brief)
    calls: list[Json] = []
    wishes: list[str] = []
    owner = ""
    for place, thing in enumerate(things[: brief.calls]):
        owner, count = random.choice([name for name in _WHO if name not in opening]), random.randint(2, 99)
        arguments: dict[str, Json] = {"owner": owner, "count": count}
        if brief.kind == "dependent" and place:
            arguments["item_id"] = f"$var_{place}.item_id"
        calls.append({"name": f"get_{brief.domain}_{thing}", "arguments": arguments})
        wishes.append(f"I want {count} pieces of the {thing}" + (f" of {owner}" if brief.turns == 1 else ""))
    return [f"{opening}: {', and then '.join(wishes)}.", f"The owner is {owner}."][: brief.turns], tools, calls
