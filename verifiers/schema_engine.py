"""Whether a value fits a compiled schema and, where not, the first cause (RULES C4, C6), in bounded time.

In: a graph made by `schema_compile` and a JSON value, in which `Reference`s stand for values of any type. Out: None, or
a `Cause`. The keywords are those of `schema_keywords`; here is the walk over schema and value: what passes whatever the
schema says (references, declared defaults), what is looked at once (a combinator's branch under the same value, so that
references which double at every step cost nothing), and the limits of work and nesting, which are themselves a cause.
Not promised: every error there is; one cause is found, by the order of C4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from heapq import nsmallest
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator, ValidationError

from verifiers import schema_keywords
from verifiers.schema_places import written

CAUSES = ("missing_argument", "undeclared_argument", "wrong_type", "not_allowed")
_RANKS = {"required": 0, "dependentRequired": 0, "undeclared": 1, "type": 2}
MAX_STEPS = 200_000
_MAX_NESTING = 120

Key = object


class Reference(NamedTuple):
    """The result of an earlier call, of which nothing is known (RULES C5): its number, 1-based, and the path in it."""

    number: int
    path: str


class Cause(NamedTuple):
    """One of `CAUSES`, the place of the value (`a.b[0]`), and what is wrong there."""

    code: str
    place: str
    message: str


class _TooMuch(Exception):
    """The limit of steps or nesting is reached."""


def value_key(value: object) -> Key:
    """A hashable that is equal for equal JSON values (RULES J5, C6): 3 is 3.0, true is not 1."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list):
        return ("list", *map(value_key, value))
    if isinstance(value, dict):
        return ("dict", frozenset((name, value_key(item)) for name, item in value.items()))
    return value


def first_cause(compiled: object, value: object, *, references: bool = False) -> Cause | None:
    """Why a value does not fit a compiled schema, or None. `references`: whether any stands in the value."""
    return next(iter(causes(compiled, value, references=references, most=1)), None)


def causes(compiled: object, value: object, *, references: bool = False, most: int = 100) -> list[Cause]:
    """Why a value does not fit, in the order of C4; of very many causes the first `most`."""
    try:
        worst = nsmallest(most, Check(references).descend(value, compiled), key=rank)
    except (_TooMuch, RecursionError):
        return [Cause("not_allowed", "", "checking it against the schema takes too long")]
    return [Cause(CAUSES[rank(error)], written(error.path)[:200], error.message[:300]) for error in worst]


def rank(error: ValidationError) -> int:
    """Where an error stands in the order of `CAUSES`."""
    return _RANKS.get(str(error.validator), 3)


class Check:
    """One check of one value: what `jsonschema`'s keywords ask of a validator, and what this check knows by now."""

    def __init__(self, references: bool) -> None:
        self._references = references
        self._steps = self._nesting = 0
        self._keys: dict[int, Key] = {}
        self._unsure: dict[int, bool] = {}
        self._causes: dict[tuple[int, int], ValidationError | None] = {}
        self.evaluated: dict[tuple[int, int], frozenset[str] | frozenset[int]] = {}

    is_type = staticmethod(Draft202012Validator.TYPE_CHECKER.is_type)

    def descend(
        self, instance: object, schema: object, path: str | int | None = None, schema_path: object = None
    ) -> Iterator[ValidationError]:
        """Every error of a value under a schema, each named by its keyword."""
        self.spend(1)
        if isinstance(schema, bool):
            if not schema:
                yield ValidationError("nothing is allowed here", validator="false", path=[] if path is None else [path])
            return
        assert isinstance(schema, dict)
        if isinstance(instance, Reference) or ("default" in schema and self.key(instance) == schema["default"]):
            return
        for keyword, value in schema.items():
            check = KEYWORDS.get(keyword)
            if check is None:
                continue
            self.spend(len(value) if isinstance(value, list | dict) else 1)
            for error in check(self, value, instance, schema) or ():
                self.spend(1 + len(error.message) // 1024)
                if not isinstance(error.validator, str):
                    error.validator = keyword
                if path is not None:
                    error.path.appendleft(path)
                yield error

    def spend(self, steps: int) -> None:
        """Count work; the check ends when it is too much."""
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise _TooMuch

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Count the nesting of branches; the check ends when it is too much."""
        self._nesting += 1
        if self._nesting > _MAX_NESTING:
            raise _TooMuch
        yield
        self._nesting -= 1

    def cause(self, instance: object, schema: object) -> ValidationError | None:
        """The first cause why a value does not fit a branch, found once. Not to be handed up: `copied` is for that."""
        at = (id(schema), id(instance))
        if at not in self._causes:
            with self.deeper():
                self._causes[at] = min(self.descend(instance, schema), key=rank, default=None)
        return self._causes[at]

    def key(self, value: object) -> Key:
        """`value_key`, made once for lists and objects."""
        if not isinstance(value, list | dict):
            return value_key(value)
        if id(value) not in self._keys:
            self._keys[id(value)] = value_key(value)
        return self._keys[id(value)]

    def unsure(self, value: object) -> bool:
        """Whether a reference stands in the value, so that what it must *not* be cannot be known."""
        if not self._references or not isinstance(value, list | dict):
            return False
        if id(value) not in self._unsure:
            items = value.values() if isinstance(value, dict) else value
            self._unsure[id(value)] = any(isinstance(item, Reference) or self.unsure(item) for item in items)
        return self._unsure[id(value)]


KEYWORDS: Mapping[str, Any] = {**Draft202012Validator.VALIDATORS, **schema_keywords.OURS}
"""What asserts anything; other words in a schema say nothing of a value."""
