"""A walk through a built-in world: calls that were tried out one after the other, each with arguments that make sense.

In: a world, a state, a random source. Out: a `Walk`. A tool is tried with arguments from the state as it then is, and
kept when it did something; in a chained walk every call after the first takes a value that only an earlier result has.
Not promised: that the calls could not be made in another order, or that all of them were needed (`generator.worlds`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import orjson

from data.canonical import canonical_json
from data.records import Json
from generator.values import OPTIONAL_SHARE
from generator.world_values import COMPANIONS, LINKS, RANKED, SOURCES
from verifiers.calls import rewritten
from verifiers.menu import Menu, read_menu
from verifiers.outcome_values import same_values
from verifiers.worlds import WORLDS
from verifiers.worlds.base import State, Tool, ToolFailure, World

RECENT_SHARE = 0.8
"""How often a call of a chained walk takes up the call just before it."""

_STEPS = 24
Path = tuple[str | int, ...]
References = Mapping[str, tuple[int, Path]]
"""Where the values that may be referred to stand: the place of the call (from 0), and the path in its result."""


@dataclass(slots=True)
class Walk:
    """Calls made so far, what they came to, whether they changed the state, and the state after them."""

    state: State
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    changed: list[bool] = field(default_factory=list)
    references: dict[str, tuple[int, Path]] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    """Values that arguments give and no reference stands for, as canonical JSON."""


def walked(world: World, start: State, random: Random, calls: int, chained: bool) -> Walk | None:
    """A walk of so many calls from a state, which stays as it is, or None when it came to a dead end."""
    walk = Walk(copied(start))
    for _ in range(_STEPS):
        options: dict[str, list[tuple[str, str]]] = {name: [] for name in world.tools}
        if chained and walk.calls:
            options = _linked(world, walk, random.random() < RECENT_SHARE) or _linked(world, walk, False)
        if not options:
            return None
        tool = world.tools[random.choice(list(options))]
        given = _arguments(world.name, tool, random, walk, options[tool.name])
        if given is not None:
            _try(world, tool, given, walk)
        if len(walk.calls) == calls:
            return walk
    return None


def resolved(value: Json, references: References, results: Sequence[Any]) -> Any:
    """Arguments with the values that their references stand for in these results."""

    def meant(text: str) -> Any:
        if text not in references:
            return text
        place, path = references[text]
        return at(results[place], path)

    return rewritten(value, meant)


def copied(state: State) -> State:
    """A state of its own, faster than `copy.deepcopy`."""
    fresh: State = orjson.loads(orjson.dumps(state))
    return fresh


def at(value: Any, path: Path) -> Any:
    """What stands at a path in a result."""
    for step in path:
        value = value[step]
    return value


def leaves(value: Json) -> Iterator[Json]:
    """The scalars of a value."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def name_of(path: Path) -> str:
    """The name of what a path leads to."""
    return next(str(step) for step in reversed(path) if isinstance(step, str))


def shown(tool: Tool) -> dict[str, Json]:
    """A tool as a menu shows it, in normal form."""
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _linked(world: World, walk: Walk, recent: bool) -> dict[str, list[tuple[str, str]]]:
    """The tools that can take something from an earlier result, from the last one if `recent`, and how."""
    first = len(walk.calls) - 1 if recent else 0
    named = [(text, name_of(path)) for text, (place, path) in walk.references.items() if place >= first]
    also = LINKS.get(world.name, {})
    found = {
        name: [
            (key, text) for key in _properties(tool) for text, last in named if last == key or last in also.get(key, ())
        ]
        for name, tool in world.tools.items()
    }
    return {name: links for name, links in found.items() if links}


def _arguments(
    name: str, tool: Tool, random: Random, walk: Walk, links: Sequence[tuple[str, str]]
) -> dict[str, Json] | None:
    """Arguments for a tool, one of them by one of the links, if any, or None where the state has nothing to offer."""
    required: Any = tool.parameters["required"]
    sources = SOURCES[name]
    fixed: dict[str, Json] = {}
    if links:
        key, text = random.choice(links)
        companions = set(COMPANIONS.get(key, ())).intersection(_properties(tool))
        fixed = {key: text} | {other: _beside(text, other, walk) for other in sorted(companions)}
    given: dict[str, Json] = {}
    for key in _properties(tool):
        if fixed.get(key) is not None:
            given[key] = fixed[key]
        elif key in required or random.random() < OPTIONAL_SHARE:
            source = sources.get(f"{tool.name}.{key}") or sources[key]
            value = source(random, walk.state, resolved(given, walk.references, walk.results))
            if value is not None:
                given[key] = value
            elif key in required:
                return None
    return given


def _properties(tool: Tool) -> Sequence[str]:
    properties = tool.parameters["properties"]
    assert isinstance(properties, Mapping)
    return list(properties)


def _beside(text: str, key: str, walk: Walk) -> Json:
    """What belongs to a value that comes by reference: what its result or its call says under another name.

    A reference, or, if it was said before, the value itself. The column of a value in a row is the name it has there.
    """
    place, path = walk.references[text]
    if key in ("column", "set_column") and "rows" in path:
        return name_of(path)
    beside = (*path[:-1], key)
    other = next((one for one, target in walk.references.items() if target == (place, beside)), None)
    holder = at(walk.results[place], path[:-1])
    said: Json = walk.calls[place]["arguments"].get(key)
    return other or (holder[key] if isinstance(holder, Mapping) and key in holder else said)


def _try(world: World, tool: Tool, given: dict[str, Json], walk: Walk) -> None:
    """Make the call, and keep it if it fits the schema, did or told something new, and was not made before."""
    call = {"name": tool.name, "arguments": given}
    arguments = resolved(given, walk.references, walk.results)
    if call in walk.calls or _menu(world.name).validator(tool.name).first_cause(arguments):
        return
    state = copied(walk.state)
    try:
        result = tool.run(state, arguments)
    except ToolFailure:
        return
    changed = state != walk.state
    told = [leaf for leaf in leaves(result) if leaf and leaf not in list(leaves(arguments))]
    if not changed and (not told or any(_same(result, other) for other in walk.results)):
        return
    walk.said |= {canonical_json(leaf) for leaf in leaves(given) if leaf not in walk.references}
    for path in _paths(result, tool.name in RANKED and "limit" not in given):
        # What was said need not be referred to; of what a reading repeats, the source is referred to.
        value = at(result, path)
        if canonical_json(value) not in walk.said and (changed or value not in list(leaves(arguments))):
            steps = "".join(f".{step}" if isinstance(step, str) else f"[{step}]" for step in path)
            walk.references[f"$var_{len(walk.calls) + 1}{steps}"] = (len(walk.calls), path)
    walk.state = state
    walk.calls.append(call)
    walk.results.append(result)
    walk.changed.append(changed)


def _same(one: Json, other: Json) -> bool:
    """As outcomes are compared, where arithmetic decides: a draw starts no child process for what it does not."""
    return same_values(one, other, lambda a, b: None)


def _paths(value: Json, ranked: bool, path: Path = ()) -> Iterator[Path]:
    """Paths of the scalars in a result; of a list of several only the first, where its order means something."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key.isidentifier():
                yield from _paths(item, ranked, (*path, key))
    elif isinstance(value, list):
        if len(value) == 1 or (ranked and value):
            yield from _paths(value[0], ranked, (*path, 0))
    elif value is not None and not isinstance(value, bool):
        yield path


@cache
def _menu(name: str) -> Menu:
    """All tools of a world."""
    menu = read_menu([shown(tool) for tool in WORLDS[name].tools.values()])
    assert isinstance(menu, Menu), menu
    return menu
