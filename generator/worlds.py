"""Tasks over the built-in worlds, drawn by program: a state, a menu, gold calls that are known to replay.

In: the name of a world, a random source, the number of calls. Out: a `WorldDraw`. A draw is a walk (`world_walk`) that
was tried out, and of which this much is sure: every call changes the state or answers something, what comes of it is
not nothing, every change is seen in the end, every order that the references allow comes to the same answers and state,
and no value that comes by reference is said.
Not promised: that a person would ask for it, or good language: `question` is for the scripted stand-in and for tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from random import Random
from typing import Any

from data.canonical import canonical_json
from data.records import Json, JsonObject, Kind, Message
from generator.world_walk import References, Walk, copied, leaves, name_of, resolved, shown, walked
from verifiers.calls import kind_of
from verifiers.said import Said, said_in
from verifiers.worlds import BUILTIN, WORLDS
from verifiers.worlds.base import State, ToolFailure, World

MOST_CALLS = 4
MENU_SIZES = (3, 4, 5, 6, 7, 8)
_TRIES = 2_000
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
            return _drawn(world, start, walk, random, menu_size)
    raise RuntimeError(f"the world {name} offers no {'dependent' if chained else 'parallel'} task of {calls} calls")


def _settled(world: World, start: State, walk: Walk) -> bool:
    """Whether a walk is a task: each reference is needed and clear, each call is needed, no order is left to chance."""
    used = [[str(leaf) for leaf in leaves(call["arguments"]) if leaf in walk.references] for call in walk.calls]
    needs = [{walk.references[text][0] for text in found} for found in used]
    said = said_in((Message("user", _question(walk)),))
    return (
        all(_is_clear(walk, text, place, said) for place, found in enumerate(used) for text in found)
        and _nothing_idle(world, start, walk, needs)
        and _any_order(world, start, walk, needs)
    )


def _is_clear(walk: Walk, text: str, place: int, said: Said) -> bool:
    """Whether the call at a place can have a value from nowhere else: not from the question, nor from other results."""
    value = resolved(text, walk.references, walk.results)
    before = [canonical_json(leaf) for result in walk.results[:place] for leaf in leaves(result)]
    told = said.string(value) if isinstance(value, str) else said.number(value)
    return not told and before.count(canonical_json(value)) == 1


def _nothing_idle(world: World, start: State, walk: Walk, needs: Sequence[set[int]]) -> bool:
    """Whether it comes to something else to leave out calls with all that need them, or to undo a change at once."""
    places = range(len(walk.calls))
    for size in places:
        for kept in combinations(places, size):
            if _answers(walk, needs, set(places) - set(kept)) or not all(needs[place] <= set(kept) for place in kept):
                continue
            ran = _replayed(world, start, walk, kept)
            if ran is not None and ran[0] == walk.state:
                return False
    for place in places:
        ran = _replayed(world, start, walk, places, idle=place) if walk.changed[place] else None
        if ran is not None and ran[0] == walk.state:
            return False
    return True


def _answers(walk: Walk, needs: Sequence[set[int]], places: Iterable[int]) -> bool:
    """Whether one of these calls is an answer: it changed nothing, and no call refers to it."""
    return any(not walk.changed[place] and not any(place in found for found in needs) for place in places)


def _any_order(world: World, start: State, walk: Walk, needs: Sequence[set[int]]) -> bool:
    """Whether every order that the references allow comes to the same results and state."""
    expected = canonical_json([walk.state, walk.results])
    for order in permutations(range(len(walk.calls))) if any(walk.changed) else ():
        if all(order.index(need) < order.index(place) for place in order for need in needs[place]):
            ran = _replayed(world, start, walk, order)
            if ran is None or canonical_json(ran) != expected:
                return False
    return True


def _replayed(
    world: World, start: State, walk: Walk, order: Sequence[int], idle: int | None = None
) -> tuple[State, list[Any]] | None:
    """Final state, and results in the order of the walk, after some of the calls in some order.

    The `idle` one changes nothing and answers as it did. None where a tool refuses, or a result lacks what is needed.
    """
    state = copied(start)
    results: list[Any] = [None] * len(walk.calls)
    for place in order:
        call = walk.calls[place]
        if place == idle:
            results[place] = walk.results[place]
            continue
        try:
            arguments = resolved(call["arguments"], walk.references, results)
        except LookupError:
            return None
        try:
            results[place] = world.tools[call["name"]].run(state, arguments)
        except ToolFailure:
            return None
    return state, results


def _drawn(world: World, start: State, walk: Walk, random: Random, menu_size: int | None) -> WorldDraw:
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
        kind=kind_of(walk.calls),
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
        what = f"first {_words(name_of(path))}" if 0 in path else _words(name_of(path))
        yield f"{_words(name)} as the {what} that the {_ORDINALS[place]} step gives"
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        yield f'{_words(name)} "{text}"' if text[-1:] in ".?!" else f"{_words(name)} {text}"


def _words(name: str) -> str:
    return name.replace("_", " ")
