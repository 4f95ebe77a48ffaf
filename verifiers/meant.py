"""Is a said value said of the argument it stands in (grounding: `exchanged_values`, `overused_value`)?

In: calls in normal form and the `Said` of its task; every value is said. Out: a `Verdict` for each fault.
A value that the text holds in one place is *labelled* by an argument when a word of that argument's name alone stands
close before it, with no other value or number between. Two values are exchanged when each is labelled by the other's
argument, or when `from` stands before the one that a parameter calls the end and `to` before the one that it calls the
start. A number is overused when one of its arguments labels it, and another number of the text is used by nobody.
Not promised: values whose places have no labels, most of them; measured in docs/verification.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import regex

from data.records import Json, JsonObject, Verdict
from verifiers.content import CAMEL, name_words, stem
from verifiers.said import Said
from verifiers.said_numbers import figures_in

MAX_ARGUMENTS, LABEL_WORDS, MAX_LABEL = 12, 4, 80
_BEFORE = regex.compile(r"[^\W\d_]+|[.;!?\n]")
_STARTS = frozenset(("from", "origin", "start", "starting", "source", "departure", "begin", "initial", "old"))
_ENDS = frozenset(("to", "destination", "end", "ending", "target", "arrival", "dest", "final", "new"))
_NUMBERS = frozenset((int, float))
_SHARED = frozenset(("all", "both", "each", "every", "same", "equal", "equally", "respectively", "twice"))
"""Words by which one number may be said of several things."""


@dataclass(frozen=True, slots=True)
class _Given:
    """An argument with a value that has one place in the text, and the words close before it."""

    name: str
    value: Json
    words: tuple[str, ...]


def meant_faults(calls: tuple[JsonObject, ...], said: Said) -> Iterator[Verdict]:
    """`exchanged_values`, and of a call without them `overused_value`."""
    for number, call in enumerate(calls, 1):
        arguments = call["arguments"]
        if not isinstance(arguments, dict) or not 1 < len(arguments) <= MAX_ARGUMENTS:
            continue
        if not _may_tell(arguments, said):
            continue
        given = _given(arguments, said)
        exchanged = [pair for pair in combinations(given, 2) if _exchanged(*pair)]
        for pair in exchanged:
            one, other = (f"{side.name[:80]} = {repr(side.value)[:80]}" for side in pair)
            detail = f"call {number}: {one} and {other} are said the other way round"
            yield Verdict("grounding", "exchanged_values", detail)
        if not exchanged and (overused := _overused(given, calls, said)):
            held = f"{overused.name[:80]} = {overused.value}"
            yield Verdict("grounding", "overused_value", f"call {number}: {held} is said of another argument alone")


def _may_tell(arguments: Mapping[str, Json], said: Said) -> bool:
    """Whether two values may be exchanged, or one overused: a cheap look before the search, which a no answers."""
    texts = [name for name, value in arguments.items() if value.__class__ is str]
    numbers = [name for name, value in arguments.items() if value.__class__ in _NUMBERS]
    if len(texts) < 2 and len(numbers) < 2:
        return False
    before: dict[str, str] = {}
    for one, other in (*combinations(texts, 2), *combinations(numbers, 2)):
        if arguments[one] == arguments[other]:
            if said.may_hold(name_words(one) | name_words(other)):
                return True
        elif (_is_start(one) and _is_end(other)) or (_is_end(one) and _is_start(other)):
            return True
        else:
            own, others = name_words(one) - name_words(other), name_words(other) - name_words(one)
            if said.may_hold(own) and said.may_hold(others):
                for name in (one, other):
                    if name not in before:
                        before[name] = _before(said, arguments[name])
                if _stands_in(before[one], others) and _stands_in(before[other], own):
                    return True
    return False


def _stands_in(text: str, words: frozenset[str]) -> bool:
    return any(map(text.__contains__, words))


def _before(said: Said, value: Json) -> str:
    """What stands before the one place of a value; nothing where it has none, or several."""
    found = said.places(value)  # type: ignore[arg-type]
    if len(found) != 1:
        return ""
    start = found[0][0]
    return said.spoken[max(0, start - MAX_LABEL) : start]


def _given(arguments: JsonObject, said: Said) -> list[_Given]:
    """The arguments whose values have one place each; of one argument alone, nothing can be told."""
    places: dict[str, tuple[int, int]] = {}
    for name, value in arguments.items():
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            found = said.places(value)
            if len(found) == 1:
                places[name] = found[0]
    if len(places) < 2:
        return []
    ends = [0, *(end for _, end in places.values()), *(end for _, end, _ in said.figures_at)]
    return [
        _Given(name, arguments[name], close_before(said.spoken, max(end for end in ends if end <= start), start))
        for name, (start, _) in places.items()
    ]


def close_before(text: str, since: int, start: int) -> tuple[str, ...]:
    """The last words of the same sentence before a place."""
    words = _BEFORE.findall(text[max(since, start - MAX_LABEL) : start])[-LABEL_WORDS:]
    cut = max((place for place, word in enumerate(words, 1) if not word[0].isalpha()), default=0)
    return tuple(words[cut:])


def _exchanged(one: _Given, other: _Given) -> bool:
    """Whether each of two values is said where the other's argument is named."""
    if isinstance(one.value, str) is not isinstance(other.value, str) or one.value == other.value:
        return False
    if _labels(other.name, one.name, one.words) and _labels(one.name, other.name, other.words):
        return True
    last = (one.words[-1:], other.words[-1:])
    return (last == (("to",), ("from",)) and _is_start(one.name) and _is_end(other.name)) or (
        last == (("from",), ("to",)) and _is_end(one.name) and _is_start(other.name)
    )


def _labels(name: str, rival: str, words: tuple[str, ...]) -> bool:
    return is_label(words, name_words(name), name_words(rival))


def is_label(words: tuple[str, ...], own: frozenset[str], others: frozenset[str]) -> bool:
    """Whether words hold one that is of an argument's name alone, and none that is of its rivals' alone."""
    stems = {stem(word) for word in words if len(word) > 2}
    return bool(stems & (own - others)) and not stems & (others - own)


def _whole_words(name: str) -> frozenset[str]:
    return frozenset(CAMEL.sub("_", name[:100]).casefold().split("_"))


@lru_cache(maxsize=4096)
def _is_start(name: str) -> bool:
    return bool(_whole_words(name) & _STARTS) and not _whole_words(name) & _ENDS


@lru_cache(maxsize=4096)
def _is_end(name: str) -> bool:
    return bool(_whole_words(name) & _ENDS) and not _whole_words(name) & _STARTS


def _overused(given: list[_Given], calls: tuple[JsonObject, ...], said: Said) -> _Given | None:
    """An argument with another one's number, while a number of the text is used by none."""
    for one, other in combinations(given, 2):
        if isinstance(one.value, str) or one.value != other.value or isinstance(other.value, str):
            continue
        labelled = (_labels(one.name, other.name, one.words), _labels(other.name, one.name, other.words))
        if labelled[0] is not labelled[1] and not _SHARED.intersection(_BEFORE.findall(said.spoken)):
            users = sum(third.value == one.value for third in given)
            if said.figures - numbers_used(calls) - {float(users)}:
                return other if labelled[0] else one
    return None


def numbers_used(calls: tuple[JsonObject, ...]) -> set[float]:
    """The numbers in arguments, those in their strings too."""
    found: set[float] = set()
    inside: list[Json] = [call["arguments"] for call in calls]
    while inside:
        value = inside.pop()
        if isinstance(value, Mapping):
            inside += value.values()
        elif isinstance(value, list):
            inside += value
        elif isinstance(value, str):
            found.update(figure for _, _, figure in figures_in(value))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.add(float(value) if abs(value) < 1e300 else 0.0)
    return found
