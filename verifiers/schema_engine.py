"""Whether a value fits a compiled schema and, where not, the first cause (RULES C4, C6), in bounded time.

In: a graph made by `schema_compile` and a JSON value, in which `Reference`s stand for
values of any type. Out: None, or a `Cause`.
Draft 2020-12 as `jsonschema` has it, with its keywords extended: what is matched is matched by RE2, numbers divide
exactly, a combinator looks at the same value under the same schema once (so references that double at every step
cost nothing), and work and nesting have a limit, which is itself a cause.
Not promised: every error there is; one cause is found, by the order of C4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from reprlib import Repr
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from verifiers.schema_text import FORMATS

CAUSES = ("missing_argument", "undeclared_argument", "wrong_type", "not_allowed")
_RANKS = {"required": 0, "dependentRequired": 0, "undeclared": 1, "type": 2}
_MAX_STEPS = 100_000
_MAX_NESTING = 120

Key = object
Errors = Iterator[ValidationError]
Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


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


class _Run:
    """What one check knows. It travels as the validator's `format_checker`, the one field that is the caller's own."""

    def __init__(self, references: bool) -> None:
        self.references = references
        self.steps = self.nesting = 0
        self.keys: dict[int, Key] = {}
        self.unsure_of: dict[int, bool] = {}
        self.causes: dict[tuple[int, int], ValidationError | None] = {}
        self.evaluated: dict[tuple[int, int], frozenset[str]] = {}

    def spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > _MAX_STEPS:
            raise _TooMuch

    def key(self, value: object) -> Key:
        if not isinstance(value, list | dict):
            return value_key(value)
        if id(value) not in self.keys:
            self.keys[id(value)] = value_key(value)
        return self.keys[id(value)]

    def unsure(self, value: object) -> bool:
        """Whether a reference stands in the value, so that what it must *not* be cannot be known."""
        if not self.references or not isinstance(value, list | dict):
            return False
        if id(value) not in self.unsure_of:
            items = value.values() if isinstance(value, dict) else value
            self.unsure_of[id(value)] = any(isinstance(item, Reference) or self.unsure(item) for item in items)
        return self.unsure_of[id(value)]

    def cause(self, validator: Any, instance: object, schema: object) -> ValidationError | None:
        """The first cause why a value does not fit a branch, found once."""
        at = (id(schema), id(instance))
        if at not in self.causes:
            self.nesting += 1
            if self.nesting > _MAX_NESTING:
                raise _TooMuch
            self.causes[at] = min(validator.descend(instance, schema), key=_rank, default=None)
            self.nesting -= 1
        return self.causes[at]


def first_cause(compiled: object, value: object, *, references: bool = False) -> Cause | None:
    """Why a value does not fit a compiled schema, or None. `references`: whether any stands in the value."""
    run = _Run(references)
    try:
        worst = min(_Checker(compiled, format_checker=run).iter_errors(value), key=_rank, default=None)
    except (_TooMuch, RecursionError):
        return Cause("not_allowed", "", "checking it against the schema takes too long")
    if worst is None:
        return None
    return Cause(CAUSES[_rank(worst)], _place(worst.absolute_path), worst.message[:300])


def _rank(error: ValidationError) -> int:
    return _RANKS.get(str(error.validator), 3)


def _place(path: Iterable[str | int]) -> str:
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return steps.removeprefix(".")[:200]


def _copy(error: ValidationError) -> ValidationError:
    """Errors that are kept must not be changed by those who hand them up."""
    return ValidationError(error.message, validator=error.validator, path=error.path)


def _guarded(keyword: Keyword) -> Keyword:
    """A keyword that counts its work and lets references and declared defaults pass."""

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Errors:
        run: _Run = validator.format_checker
        run.spend(1 + len(value) if isinstance(value, list | dict) else 1)
        if isinstance(instance, Reference) or ("default" in schema and run.key(instance) == schema["default"]):
            return
        for error in keyword(validator, value, instance, schema) or ():
            run.spend(1 + len(error.message) // 1024)
            yield error

    return check


def _enum(validator: Any, keys: Any, instance: Any, schema: Any) -> Errors:
    if validator.format_checker.key(instance) not in keys:
        yield ValidationError(f"{_show(instance)} is none of the allowed values")


def _const(validator: Any, key: Any, instance: Any, schema: Any) -> Errors:
    if validator.format_checker.key(instance) != key:
        yield ValidationError(f"{_show(instance)} is not the one allowed value")


def _multiple_of(validator: Any, divisor: Fraction, instance: Any, schema: Any) -> Errors:
    if validator.is_type(instance, "number") and Fraction(repr(instance)) % divisor:
        yield ValidationError(f"{_show(instance)} is not a multiple of {divisor}")


def _unique_items(validator: Any, unique: bool, instance: Any, schema: Any) -> Errors:
    if unique and isinstance(instance, list):
        run: _Run = validator.format_checker
        run.spend(len(instance))
        if len({run.key(item) for item in instance}) < len(instance):
            yield ValidationError("the items are not distinct")


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str):
        validator.format_checker.spend(len(instance) // 16)
        if not pattern.search(instance):
            yield ValidationError(f"{_show(instance)} does not match the pattern")


def _format(validator: Any, name: str, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str) and name in FORMATS and not FORMATS[name](instance):
        yield ValidationError(f"{_show(instance)} is no {name}")


def _pattern_properties(validator: Any, named: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for pattern, inner in named:
            validator.format_checker.spend(len(instance))
            for name, item in instance.items():
                if pattern.search(name):
                    yield from validator.descend(item, inner, path=name)


def _additional_properties(validator: Any, inner: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        named = schema.get("patternProperties", ())
        known = schema.get("properties", {})
        extra = [name for name in instance if name not in known and not any(p.search(name) for p, _ in named)]
        yield from _extra(validator, extra, inner, instance)


def _unevaluated_properties(validator: Any, inner: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        known = _evaluated(validator, instance, schema, own=False)
        yield from _extra(validator, [name for name in instance if name not in known], inner, instance)


def _extra(validator: Any, names: list[str], inner: Any, instance: dict[str, Any]) -> Errors:
    for name in names:
        if inner is False:
            yield ValidationError(f"{_show(name)} is not declared", validator="undeclared")
        else:
            yield from validator.descend(instance[name], inner, path=name)


def _evaluated(validator: Any, instance: dict[str, Any], schema: Any, *, own: bool = True) -> frozenset[str]:
    """The properties that a schema knows of. Of a combinator that fails every branch counts: its failure is the cause,
    and a property that one of its branches declares is not undeclared. A valid value has the standard's properties.
    """
    if not isinstance(schema, dict):
        return frozenset()
    if "additionalProperties" in schema or (own and "unevaluatedProperties" in schema):
        return frozenset(instance)
    run: _Run = validator.format_checker
    at = (id(schema), id(instance))
    if at in run.evaluated:
        return run.evaluated[at]
    run.spend(1 + len(instance))
    run.nesting += 1
    if run.nesting > _MAX_NESTING:
        raise _TooMuch
    names = {name for name in instance if name in schema.get("properties", {})}
    for pattern, _ in schema.get("patternProperties", ()):
        run.spend(len(instance))
        names.update(name for name in instance if pattern.search(name))
    for branch in _applied(validator, instance, schema):
        names |= _evaluated(validator, instance, branch)
    run.nesting -= 1
    run.evaluated[at] = frozenset(names)
    return run.evaluated[at]


def _applied(validator: Any, instance: dict[str, Any], schema: dict[str, Any]) -> Iterator[object]:
    run: _Run = validator.format_checker
    yield from schema.get("allOf", ())
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword, ())
        yield from [one for one in branches if run.cause(validator, instance, one) is None] or branches
    yield from (inner for name, inner in schema.get("dependentSchemas", {}).items() if name in instance)
    if "if" in schema:
        holds = run.cause(validator, instance, schema["if"]) is None
        yield from [schema["if"], schema.get("then")] if holds else [schema.get("else")]


def _all_of(validator: Any, branches: Any, instance: Any, schema: Any) -> Errors:
    for branch in branches:
        if error := validator.format_checker.cause(validator, instance, branch):
            yield _copy(error)


def _any_of(validator: Any, branches: Any, instance: Any, schema: Any) -> Errors:
    causes = []
    for branch in branches:
        error = validator.format_checker.cause(validator, instance, branch)
        if error is None:
            return
        causes.append(error)
    kind = "type" if all(_rank(error) == _RANKS["type"] for error in causes) else "anyOf"
    yield ValidationError(f"it fits none of the alternatives: {causes[0].message[:100]}", validator=kind)


def _one_of(validator: Any, branches: Any, instance: Any, schema: Any) -> Errors:
    run: _Run = validator.format_checker
    fitting = sum(run.cause(validator, instance, branch) is None for branch in branches)
    if not fitting:
        yield from _any_of(validator, branches, instance, schema)
    elif fitting > 1 and not run.unsure(instance):
        yield ValidationError(f"it fits {fitting} alternatives that exclude each other")


def _not(validator: Any, inner: Any, instance: Any, schema: Any) -> Errors:
    run: _Run = validator.format_checker
    if run.cause(validator, instance, inner) is None and not run.unsure(instance):
        yield ValidationError(f"{_show(instance)} is what it must not be")


def _if(validator: Any, condition: Any, instance: Any, schema: Any) -> Errors:
    run: _Run = validator.format_checker
    holds = run.cause(validator, instance, condition) is None
    due = [schema.get("then", True), schema.get("else", True)]
    errors = [run.cause(validator, instance, one) for one in (due if run.unsure(instance) else [due[not holds]])]
    if all(errors) and errors[0]:
        yield _copy(errors[0])


def _dependent_schemas(validator: Any, dependent: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        yield from _all_of(validator, [one for name, one in dependent.items() if name in instance], instance, schema)


def _contains(validator: Any, inner: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, list):
        run: _Run = validator.format_checker
        found = sum(run.cause(validator, item, inner) is None for item in instance)
        if found < schema.get("minContains", 1):
            yield ValidationError("too few items are of the kind that must be there")
        elif found > schema.get("maxContains", found) and not run.unsure(instance):
            yield ValidationError("too many items are of the kind that is limited")


_shown = Repr()
_shown.maxstring = _shown.maxlong = 80


def _show(value: object) -> str:
    return _shown.repr(value)


_OURS: dict[str, Keyword] = {
    "enum": _enum,
    "const": _const,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
    "pattern": _pattern,
    "format": _format,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": _unevaluated_properties,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "dependentSchemas": _dependent_schemas,
    "contains": _contains,
}
_Checker: Any = extend(
    Draft202012Validator,
    {keyword: _guarded(check) for keyword, check in {**Draft202012Validator.VALIDATORS, **_OURS}.items()},
)
