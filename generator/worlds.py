"""Tasks over the built-in worlds, drawn by program: a state, a menu, gold calls that are known to replay.

In: the name of a world, a random source, the number of calls. Out: a `WorldDraw`. A draw is a walk (`world_walk`) that
was tried out, and of which this much is sure: every call changes the state or answers something, what comes of it is
not nothing, every change is seen in the end, every order that the references allow comes to the same answers and state,
and no value that comes by reference is said.
Not promised: that a person would ask for it, or good language: `question` is for the scripted stand-in and for tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import permutations
from random import Random
from typing import Any

from data.canonical import canonical_json
from data.records import Json, JsonObject, Kind
from generator.world_walk import References, Walk, leaves, name_of, resolved, shown, walked
from verifiers.worlds import BUILTIN, WORLDS
from verifiers.worlds.base import State, ToolFailure, World

MOST_CALLS = 4
MENU_SIZES = (3, 4, 5, 6, 7, 8)
_TRIES = 400
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
        walk = walked(world, start, random, calls, chained)
        if walk is not None and _settled(world, start, walk):
            return _drawn(world, start, walk, random, menu_size, chained)
    raise RuntimeError(f"the world {name} offers no {'dependent' if chained else 'parallel'} task of {calls} calls")


def _settled(world: World, start: State, walk: Walk) -> bool:
    """Whether a walk is a task: nothing said twice over, nothing that depends on chance order, nothing for nothing."""
    by_reference = [[leaf for leaf in leaves(call["arguments"]) if leaf in walk.references] for call in walk.calls]
    if any(_value(leaf, walk) in walk.said for found in by_reference for leaf in found):
        return False
    needs = [{walk.references[str(leaf)][0] for leaf in found} for found in by_reference]
    places = range(len(walk.calls))
    last = [place for place in places if not any(place in found for found in needs)]
    if walk.state == start and all(walk.changed[place] for place in last):
        return False
    for place in places:
        if walk.changed[place] and (ran := _replayed(world, start, walk, places, idle=place)) and ran[0] == walk.state:
            return False
    expected = canonical_json([walk.state, walk.results])
    for order in permutations(places) if any(walk.changed) else ():
        if all(order.index(need) < order.index(place) for place in places for need in needs[place]):
            ran = _replayed(world, start, walk, order)
            if ran is None or canonical_json(ran) != expected:
                return False
    return True


def _value(text: Json, walk: Walk) -> str:
    return canonical_json(resolved(text, walk.references, walk.results))


def _replayed(
    world: World, start: State, walk: Walk, order: Sequence[int], idle: int | None = None
) -> tuple[State, list[Any]] | None:
    """Final state, and results in the order of the walk, after the calls in some order; the `idle` one changes nothing.

    None where a tool refuses, or a result lacks what a later call refers to.
    """
    state = deepcopy(start)
    results: list[Any] = [None] * len(walk.calls)
    for place in order:
        call = walk.calls[place]
        try:
            arguments = resolved(call["arguments"], walk.references, results)
        except LookupError:
            return None
        try:
            results[place] = world.tools[call["name"]].run(deepcopy(state) if place == idle else state, arguments)
        except ToolFailure:
            return None
    return state, results


def _drawn(world: World, start: State, walk: Walk, random: Random, menu_size: int | None, chained: bool) -> WorldDraw:
    called = list(dict.fromkeys(call["name"] for call in walk.calls))
    others = [name for name in world.tools if name not in called]
    size = random.choice(MENU_SIZES) if menu_size is None else menu_size
    menu = called + random.sample(others, min(max(size - len(called), 0), len(others)))
    random.shuffle(menu)
    # Canonical key order, so that a draw read back from a chunk renders to the very same prompt.
    kept = json.loads(canonical_json([start, [shown(world.tools[name]) for name in menu], walk.calls]))
    return WorldDraw(
        name=world.name,
        world=kept[0],
        tools=tuple(kept[1]),
        implementations={name: f"{BUILTIN}{world.name}.{name}" for name in sorted(menu)},
        calls=tuple(kept[2]),
        kind="single" if len(walk.calls) == 1 else "dependent" if chained else "parallel",
        question=_question(walk),
    )


def _question(walk: Walk) -> str:
    """Every value in words: `Please find product: product desk lamp. Then place order: ...`"""
    steps = []
    for call in walk.calls:
        said = ", ".join(_said(call["arguments"], walk.references))
        steps.append(f"{_words(call['name'])}: {said}")
    return f"Please {'. Then '.join(steps)}."


def _said(value: Json, references: References, name: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _said(item, references, key)
    elif isinstance(value, list | tuple):
        yield f"{_words(name)} {' and '.join(one.strip() for item in value for one in _said(item, references))}"
    elif isinstance(value, str) and value in references:
        place, path = references[value]
        yield f"{_words(name)} as the {_words(name_of(path))} that the {_ORDINALS[place]} step gives"
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        yield f'{_words(name)} "{text}"' if text[-1:] in ".?!" else f"{_words(name)} {text}"


def _words(name: str) -> str:
    return name.replace("_", " ")
