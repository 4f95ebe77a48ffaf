"""What each kind of catalogue brief asks to be called, with values, and which turn says which.

In: the catalogue's material, a random source, the number of calls. Out: a `Wish`, purely. Every value proposed is one
that the parameter's schema knows; where none is known the model invents it.
Not promised: a kind for which there is no material (`Material.has`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from data.records import Json, JsonObject
from generator.catalogue import Chain, Entry
from generator.material import Material, synonymous, unsayable
from generator.values import NO_VALUE, NoValue, alternatives, draw_arguments, draw_value, property_schemas, synonyms

CORRECTED = 0.4
"""Share of the conversations in which the last turn takes back a value of the first."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The tools to call, in order, each with its arguments. `said`: `Brief.said`."""

    targets: tuple[Entry, ...]
    arguments: tuple[JsonObject, ...]
    said: tuple[JsonObject, ...] = ()


def single(tools: Sequence[Entry], random: Random, most: int) -> Wish:
    """One call; domains have equal weight."""
    entry = _any(tools, random)
    return Wish((entry,), (draw_arguments(entry.parameters, random, most),))


def parallel(stock: Material, random: Random, most: int, count: int) -> Wish:
    """Calls of different tools, all of one domain if any has two; as many as it has, `count` at most."""
    domains = sorted({entry.domain for entry in stock.callable})
    groups = [[entry for entry in stock.callable if entry.domain == domain] for domain in domains]
    broad = [group for group in groups if len(group) >= count] or [group for group in groups if len(group) > 1]
    near = random.choice(broad) if broad else list(stock.callable)
    targets = tuple(random.sample(near, min(count, len(near))))
    return Wish(targets, tuple(draw_arguments(entry.parameters, random, most) for entry in targets))


def dependent(stock: Material, random: Random, most: int, count: int) -> Wish:
    """A chain of calls, each with the result of the one before; the longest there is, `count` at most."""
    deepest = min(count - 1, max(stock.reach[name] for name in stock.openings))
    links: list[Chain] = []
    while len(links) < deepest:
        left = deepest - len(links) - 1
        seen = {links[0].producer.name, *(link.consumer.name for link in links)} if links else set()
        here = links[-1].consumer.name if links else None
        ways = [
            chain
            for chain in stock.chains
            if (chain.producer.name in stock.openings if here is None else chain.producer.name == here)
            and chain.consumer.name not in seen
            and stock.reach.get(chain.consumer.name, 0) >= left
        ]
        if not ways:  # only a circle would be longer
            break
        links.append(random.choice(ways))
    targets = (links[0].producer, *(link.consumer for link in links))
    drawn = [draw_arguments(entry.parameters, random, most) for entry in targets]
    for place, link in enumerate(links, 1):
        passed: dict[str, Json] = {**drawn[place], link.value: f"$var_{place}.{link.value}"}
        drawn[place] = dict(sorted(passed.items()))
    return Wish(targets, tuple(drawn))


def conversation(stock: Material, random: Random, most: int) -> Wish:
    """One call whose values two or three turns give; sometimes the last turn corrects a value of the first."""
    entry = _any(stock.spoken, random)
    given = draw_arguments(entry.parameters, random, most)
    names = list(given)
    random.shuffle(names)
    later = names[: min(random.choice((1, 1, 2)), len(names))]
    first: dict[str, Json] = {name: given[name] for name in given if name not in later}
    if random.random() < CORRECTED:
        old = _other(entry, later[-1], given, random)
        first |= {} if isinstance(old, NoValue) else {later[-1]: old}
    return Wish((entry,), (given,), (dict(sorted(first.items())), *({name: given[name]} for name in later)))


def unsaid(stock: Material, random: Random, most: int) -> Wish:
    """One call, of which a value that nobody can guess comes in a turn of its own."""
    entry = _any(stock.unsayable, random)
    given = draw_arguments(entry.parameters, random, most)
    missing = random.choice(unsayable(entry.parameters))
    rest = {name: value for name, value in given.items() if name != missing}
    return Wish((entry,), (given,), (rest, {missing: given[missing]}))


def synonym(stock: Material, random: Random, most: int) -> Wish:
    """One call with a value for which others mean the same."""
    entry = _any(stock.synonymous, random)
    given = draw_arguments(entry.parameters, random, most)
    name = random.choice(synonymous(entry.parameters))
    given[name] = random.choice(random.choice(synonyms(_schema(entry, name))))
    return Wish((entry,), (dict(sorted(given.items())),))


def _any(tools: Sequence[Entry], random: Random) -> Entry:
    """A tool, after a domain; domains have equal weight."""
    domain = random.choice(sorted({entry.domain for entry in tools}))
    return random.choice([entry for entry in tools if entry.domain == domain])


def _other(entry: Entry, name: str, given: JsonObject, random: Random) -> Json | NoValue:
    """Another value for a parameter that is a text or a number, or `NO_VALUE`."""
    schema, value = _schema(entry, name), given[name]
    drawn = draw_value(schema, random, name, tuple(given.values()))
    same = [value, *alternatives(entry.parameters, {name: value}).get(name, ())]
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return drawn if plain and drawn not in same and type(drawn) is type(value) else NO_VALUE


def _schema(entry: Entry, name: str) -> JsonObject:
    return property_schemas(entry.parameters)[name]
