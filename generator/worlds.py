"""Tasks over the built-in worlds, drawn by program: a state, a menu, gold calls that are known to replay.

In: the name of a world, a random source, the number of calls. Out: a `WorldDraw`. A draw is a walk: a tool is tried
with arguments from the state as it then is, and kept when it did something; in a dependent draw every call after the
first takes a value that only an earlier result has. So each draw was run before it is given out.
What is asked of a draw: every call changes the state or answers something, no call is there twice, every order that the
references allow comes to the same answers and state, and no value that comes by reference is said.
Not promised: that a person would ask for it, or good language: `question` is for the scripted stand-in and for tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from random import Random
from typing import Any

from data.canonical import canonical_json
from data.records import Json, JsonObject, Kind
from generator.world_values import COMPANIONS, LINKS, SOURCES
from verifiers.menu import Menu, read_menu
from verifiers.worlds import BUILTIN, WORLDS
from verifiers.worlds.base import State, Tool, ToolFailure, World

MOST_CALLS = 4
OPTIONAL_SHARE = 0.4
RECENT_SHARE = 0.8
"""How often a call of a dependent draw takes up the call just before it."""

MENU_SIZES = (3, 4, 5, 6, 7, 8)
_TRIES, _STEPS = 400, 24
_ORDINALS = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class WorldDraw:
    """A task over a world. `tools` is the menu in normal form; `implementations` names the built-in of each of them."""

    name: str
    world: JsonObject
    tools: tuple[JsonObject, ...]
    implementations: Mapping[str, str]
    calls: tuple[JsonObject, ...]
    kind: Kind
    question: str


Path = tuple[str | int, ...]


@dataclass(slots=True)
class _Walk:
    """Calls made so far, what they came to, and the state after them."""

    state: State
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    references: dict[str, tuple[int, Path]] = field(default_factory=dict)
    """Where the values that may be referred to stand: the place of the call (from 0), and the path in its result."""

    said: set[str] = field(default_factory=set)
    """Values that arguments give and no reference stands for, as canonical JSON."""

    def resolved(self, value: Json) -> Any:
        """Arguments with the values that their references stand for."""
        return _resolved(value, self.references, self.results)


def draw(
    name: str, random: Random, calls: int, *, menu_size: int | None = None, dependent: bool | None = None
) -> WorldDraw:
    """A task of 1 to 4 calls over the world of that name; as often dependent as not when `dependent` is not given.

    The menu holds the called tools and siblings of theirs up to `menu_size`. `KeyError` for an unknown world.
    """
    if not 1 <= calls <= MOST_CALLS:
        raise ValueError(f"a draw has 1 to {MOST_CALLS} calls, not {calls}")
    world = WORLDS[name]
    chained = calls > 1 and (random.random() < 0.5 if dependent is None else dependent)
    for _ in range(_TRIES):
        start = world.make(random)
        walk = _walked(world, start, random, calls, chained)
        if walk is not None and _settled(world, start, walk, chained):
            return _drawn(world, start, walk, random, menu_size, chained)
    raise RuntimeError(f"the world {name} offers no {'dependent' if chained else 'parallel'} task of {calls} calls")


def _resolved(value: Json, references: Mapping[str, tuple[int, Path]], results: Sequence[Any]) -> Any:
    if isinstance(value, str) and value in references:
        place, path = references[value]
        return _at(results[place], path)
    if isinstance(value, Mapping):
        return {key: _resolved(item, references, results) for key, item in value.items()}
    return [_resolved(item, references, results) for item in value] if isinstance(value, list | tuple) else value


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _walked(world: World, start: State, random: Random, calls: int, chained: bool) -> _Walk | None:
    """A walk of so many calls from a state, or None when it came to a dead end."""
    walk = _Walk(deepcopy(start))
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


def _linked(world: World, walk: _Walk, recent: bool) -> dict[str, list[tuple[str, str]]]:
    """The tools that can take something from an earlier result, from the last one if `recent`, and how."""
    found = {name: _links(world.name, tool, walk) for name, tool in world.tools.items()}
    if recent:
        last = len(walk.calls) - 1
        found = {name: [one for one in links if walk.references[one[1]][0] == last] for name, links in found.items()}
    return {name: links for name, links in found.items() if links}


def _arguments(
    name: str, tool: Tool, random: Random, walk: _Walk, links: Sequence[tuple[str, str]]
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
            value = source(random, walk.state, walk.resolved(given))
            if value is None:
                return None
            given[key] = value
    return given


def _properties(tool: Tool) -> Sequence[str]:
    properties = tool.parameters["properties"]
    assert isinstance(properties, Mapping)
    return list(properties)


def _links(name: str, tool: Tool, walk: _Walk) -> list[tuple[str, str]]:
    """Parameters with references that can stand for them: of several to the same value, the latest."""
    found: dict[tuple[str, str], str] = {}
    for key in _properties(tool):
        names = (key, *LINKS.get(name, {}).get(key, ()))
        for text, (_, path) in walk.references.items():
            if _last(path) in names:
                found[key, canonical_json(walk.resolved(text))] = text
    return [(key, text) for (key, _), text in found.items()]


def _beside(text: str, key: str, walk: _Walk) -> Json:
    """What belongs to a value that comes by reference: what its result or its call says under another name.

    A reference, or, if it was said before, the value itself. The column of a value in a row is the name it has there.
    """
    place, path = walk.references[text]
    if key in ("column", "set_column") and "rows" in path:
        return _last(path)
    beside = (*path[:-1], key)
    other = next((one for one, target in walk.references.items() if target == (place, beside)), None)
    holder = _at(walk.results[place], path[:-1])
    said: Json = walk.calls[place]["arguments"].get(key)
    return other or (holder[key] if isinstance(holder, Mapping) and key in holder else said)


def _last(path: Path) -> str:
    """The name of what a path leads to."""
    return next(str(step) for step in reversed(path) if isinstance(step, str))


def _leaves(value: Json, path: Path = ()) -> Iterator[Path]:
    """Paths of the scalars in a result; in lists of several, nobody says which one is meant."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key.isidentifier():
                yield from _leaves(item, (*path, key))
    elif isinstance(value, list):
        if len(value) == 1:
            yield from _leaves(value[0], (*path, 0))
    elif value is not None and not isinstance(value, bool):
        yield path


def _try(world: World, tool: Tool, given: dict[str, Json], walk: _Walk) -> None:
    """Make the call, and keep it if it fits the schema, did something, and was not made before."""
    call = {"name": tool.name, "arguments": given}
    arguments = walk.resolved(given)
    if call in walk.calls or _menu(world.name).validator(tool.name).first_cause(arguments):
        return
    state = deepcopy(walk.state)
    try:
        result = tool.run(state, arguments)
    except ToolFailure:
        return
    changed = state != walk.state
    if not changed and (result in walk.results or not _says(result)):
        return
    walk.said |= {canonical_json(leaf) for leaf in _values(given) if leaf not in walk.references}
    for path in _leaves(result):
        # What was said need not be referred to; of what a reading repeats, the source is referred to.
        value = _at(result, path)
        if canonical_json(value) not in walk.said and (changed or value not in list(_values(arguments))):
            steps = "".join(f".{step}" if isinstance(step, str) else f"[{step}]" for step in path)
            walk.references[f"$var_{len(walk.calls) + 1}{steps}"] = (len(walk.calls), path)
    walk.state = state
    walk.calls.append(call)
    walk.results.append(result)


@cache
def _menu(name: str) -> Menu:
    """All tools of a world, in normal form."""
    menu = read_menu([_shown(tool) for tool in WORLDS[name].tools.values()])
    assert isinstance(menu, Menu), menu
    return menu


def _shown(tool: Tool) -> dict[str, Json]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _says(value: Json) -> bool:
    """Whether a result says anything but nothing: not all empty, zero or false."""
    if isinstance(value, Mapping):
        return any(map(_says, value.values()))
    return any(map(_says, value)) if isinstance(value, list | tuple) else bool(value)


def _settled(world: World, start: State, walk: _Walk, chained: bool) -> bool:
    """Whether what comes by reference is said nowhere, and every order that the references allow comes to the same."""
    leaves = [list(_values(call["arguments"])) for call in walk.calls]
    by_reference = [[leaf for leaf in found if leaf in walk.references] for found in leaves]
    if any(canonical_json(walk.resolved(leaf)) in walk.said for found in by_reference for leaf in found):
        return False
    needs = [{walk.references[leaf][0] for leaf in found} for found in by_reference]
    expected = canonical_json([walk.state, walk.results])
    for order in permutations(range(len(walk.calls))):
        allowed = all(order.index(need) < order.index(place) for place, found in enumerate(needs) for need in found)
        if allowed and _replayed(world, start, walk, order) != expected:
            return False
    return all(needs[1:]) if chained else True


def _values(value: Json) -> Iterator[Json]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _values(item)
    else:
        yield value


def _replayed(world: World, start: State, walk: _Walk, order: Sequence[int]) -> str:
    """Final state and results, those in the order of the walk, after the calls in another order."""
    state = deepcopy(start)
    results: list[Json] = [None] * len(walk.calls)
    try:
        for place in order:
            call = walk.calls[place]
            arguments = _resolved(call["arguments"], walk.references, results)
            results[place] = world.tools[call["name"]].run(state, arguments)
    except ToolFailure:
        return ""
    return canonical_json([state, results])


def _drawn(world: World, start: State, walk: _Walk, random: Random, menu_size: int | None, chained: bool) -> WorldDraw:
    called = list(dict.fromkeys(call["name"] for call in walk.calls))
    others = [name for name in world.tools if name not in called]
    size = random.choice(MENU_SIZES) if menu_size is None else menu_size
    menu = called + random.sample(others, min(max(size - len(called), 0), len(others)))
    random.shuffle(menu)
    # Canonical key order, so that a draw read back from a chunk renders to the very same prompt.
    kept = json.loads(canonical_json([start, [_shown(world.tools[name]) for name in menu], walk.calls]))
    return WorldDraw(
        name=world.name,
        world=kept[0],
        tools=tuple(kept[1]),
        implementations={name: f"{BUILTIN}{world.name}.{name}" for name in sorted(menu)},
        calls=tuple(kept[2]),
        kind="single" if len(walk.calls) == 1 else "dependent" if chained else "parallel",
        question=_question(walk),
    )


def _question(walk: _Walk) -> str:
    """Every value in words: `Please find product: product desk lamp. Then place order: ...`"""
    steps = []
    for call in walk.calls:
        said = ", ".join(_said(call["arguments"], walk.references))
        steps.append(f"{_words(call['name'])}: {said}")
    return f"Please {'. Then '.join(steps)}."


def _said(value: Json, references: Mapping[str, tuple[int, Path]], name: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _said(item, references, key)
    elif isinstance(value, list | tuple):
        yield f"{_words(name)} {' and '.join(one.strip() for item in value for one in _said(item, references))}"
    elif isinstance(value, str) and value in references:
        place, path = references[value]
        yield f"{_words(name)} as the {_words(_last(path))} that the {_ORDINALS[place]} step gives"
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        yield f'{_words(name)} "{text}"' if text[-1:] in ".?!" else f"{_words(name)} {text}"


def _words(name: str) -> str:
    return name.replace("_", " ")
