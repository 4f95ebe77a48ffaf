"""The keywords of JSON Schema 2020-12 that are not `jsonschema`'s own, with its signature.

In: `(check, value of the keyword, instance, schema)`, where the schema is compiled (`schema_compile`: digested values,
no references) and `check` is a `schema_engine.Check`. Out: `ValidationError`s. The other keywords are `jsonschema`'s.
They differ from its own in that texts are matched by RE2, numbers divide exactly, equality is by digest, branches are
looked at once, references are never held against a value, and a failed combinator is told from an undeclared property.
Not promised: error messages to rely on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from reprlib import Repr
from typing import TYPE_CHECKING, Any

from jsonschema import ValidationError

from verifiers.schema_text import FORMATS

if TYPE_CHECKING:
    from verifiers.schema_engine import Check

Errors = Iterator[ValidationError]
Keyword = Callable[["Check", Any, Any, Any], Iterable[ValidationError]]

_shown = Repr()
_shown.maxstring = _shown.maxlong = 80


def _enum(check: Check, keys: Any, instance: Any, schema: Any) -> Errors:
    if check.key(instance) not in keys:
        yield ValidationError(f"{_shown.repr(instance)} is none of the allowed values")


def _const(check: Check, key: Any, instance: Any, schema: Any) -> Errors:
    if check.key(instance) != key:
        yield ValidationError(f"{_shown.repr(instance)} is not the one allowed value")


def _multiple_of(check: Check, divisor: Fraction, instance: Any, schema: Any) -> Errors:
    if check.is_type(instance, "number") and Fraction(repr(instance)) % divisor:
        yield ValidationError(f"{_shown.repr(instance)} is not a multiple of {divisor}")


def _unique_items(check: Check, unique: bool, instance: Any, schema: Any) -> Errors:
    if unique and isinstance(instance, list):
        check.spend(len(instance))
        if len({check.key(item) for item in instance}) < len(instance):
            yield ValidationError("the items are not distinct")


def _pattern(check: Check, pattern: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str):
        check.spend(len(instance) // 64)
        if not pattern.search(instance):
            yield ValidationError(f"{_shown.repr(instance)} does not match the pattern")


def _format(check: Check, name: str, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str) and name in FORMATS and not FORMATS[name](instance):
        yield ValidationError(f"{_shown.repr(instance)} is no {name}")


def _pattern_properties(check: Check, named: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for pattern, inner in named:
            for name in _matching(check, pattern, instance):
                yield from check.descend(instance[name], inner, path=name)


def _matching(check: Check, pattern: Any, instance: dict[str, Any]) -> list[str]:
    check.spend(len(instance))
    return [name for name in instance if pattern.search(name)]


def _additional_properties(check: Check, inner: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        known = set(schema.get("properties", ()))
        for pattern, _ in schema.get("patternProperties", ()):
            known.update(_matching(check, pattern, instance))
        yield from _rest_of_properties(check, known, inner, instance)


def _unevaluated_properties(check: Check, inner: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        yield from _rest_of_properties(
            check, _evaluated_properties(check, instance, schema, own=False), inner, instance
        )


def _rest_of_properties(check: Check, known: Iterable[str], inner: Any, instance: dict[str, Any]) -> Errors:
    for name in (name for name in instance if name not in known):
        if inner is False:
            yield ValidationError(f"{_shown.repr(name)} is not declared", validator="undeclared")
        else:
            yield from check.descend(instance[name], inner, path=name)


def _evaluated_properties(check: Check, instance: Any, schema: Any, *, own: bool = True) -> frozenset[str]:
    """The properties of a value that a schema speaks of.

    Of a combinator that fails every branch counts: its failure is the cause then, and what one of its branches declares
    is not undeclared. For a valid value these are the properties that the standard calls evaluated.
    """
    if "additionalProperties" in schema or (own and "unevaluatedProperties" in schema):
        return frozenset(instance)
    names = {name for name in instance if name in schema.get("properties", ())}
    for pattern, _ in schema.get("patternProperties", ()):
        names.update(_matching(check, pattern, instance))
    for branch in _applied(check, instance, schema):
        names |= _once(check, instance, branch, _evaluated_properties)
    return frozenset(names)


def _unevaluated_items(check: Check, inner: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, list):
        known = _evaluated_items(check, instance, schema, own=False)
        for at in (at for at in range(len(instance)) if at not in known):
            yield from check.descend(instance[at], inner, path=at)


def _evaluated_items(check: Check, instance: Any, schema: Any, *, own: bool = True) -> frozenset[int]:
    """The places of a list that a schema speaks of."""
    if "items" in schema or (own and "unevaluatedItems" in schema):
        return frozenset(range(len(instance)))
    places = set(range(len(schema.get("prefixItems", ()))))
    if "contains" in schema:
        places.update(at for at, item in enumerate(instance) if check.cause(item, schema["contains"]) is None)
    for branch in _applied(check, instance, schema):
        places |= _once(check, instance, branch, _evaluated_items)
    return frozenset(places)


def _once(check: Check, instance: Any, branch: Any, evaluated: Any) -> Any:
    if not isinstance(branch, dict):
        return frozenset()
    at = (id(branch), id(instance))
    if at not in check.evaluated:
        check.spend(1 + len(instance))
        with check.deeper():
            check.evaluated[at] = evaluated(check, instance, branch)
    return check.evaluated[at]


def _applied(check: Check, instance: Any, schema: Any) -> Iterator[Any]:
    """The branches that speak of a value."""
    yield from schema.get("allOf", ())
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword, ())
        yield from [one for one in branches if check.cause(instance, one) is None] or branches
    if isinstance(instance, dict):
        yield from (inner for name, inner in schema.get("dependentSchemas", {}).items() if name in instance)
    if "if" in schema:
        holds = check.cause(instance, schema["if"]) is None
        yield from [schema["if"], schema.get("then")] if holds else [schema.get("else")]


def _all_of(check: Check, branches: Any, instance: Any, schema: Any) -> Errors:
    for branch in branches:
        if error := check.cause(instance, branch):
            yield _copied(error)


def _any_of(check: Check, branches: Any, instance: Any, schema: Any) -> Errors:
    causes = []
    for branch in branches:
        error = check.cause(instance, branch)
        if error is None:
            return
        causes.append(error)
    kind = "type" if all(error.validator == "type" for error in causes) else "anyOf"
    yield ValidationError(f"no alternative fits; the first: {causes[0].message[:100]}", validator=kind)


def _one_of(check: Check, branches: Any, instance: Any, schema: Any) -> Errors:
    fitting = sum(check.cause(instance, branch) is None for branch in branches)
    if not fitting:
        yield from _any_of(check, branches, instance, schema)
    elif fitting > 1 and not check.unsure(instance):
        yield ValidationError(f"{fitting} alternatives fit that exclude each other")


def _not(check: Check, inner: Any, instance: Any, schema: Any) -> Errors:
    if check.cause(instance, inner) is None and not check.unsure(instance):
        yield ValidationError(f"{_shown.repr(instance)} is what it must not be")


def _if(check: Check, condition: Any, instance: Any, schema: Any) -> Errors:
    then, otherwise = (check.cause(instance, schema.get(keyword, True)) for keyword in ("then", "else"))
    if check.unsure(instance):
        error = then if then and otherwise else None
    else:
        error = then if check.cause(instance, condition) is None else otherwise
    if error:
        yield _copied(error)


def _dependent_schemas(check: Check, dependent: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        yield from _all_of(check, [one for name, one in dependent.items() if name in instance], instance, schema)


def _contains(check: Check, inner: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, list):
        found = sum(check.cause(item, inner) is None for item in instance)
        if found < schema.get("minContains", 1):
            yield ValidationError("too few items are of the kind that must be there")
        elif found > schema.get("maxContains", found) and not check.unsure(instance):
            yield ValidationError("too many items are of the kind that is limited")


def _copied(error: ValidationError) -> ValidationError:
    """An error to hand up; the kept one must not change."""
    return ValidationError(error.message, validator=error.validator, path=error.path)


OURS: dict[str, Keyword] = {
    "enum": _enum,
    "const": _const,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
    "pattern": _pattern,
    "format": _format,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": _unevaluated_properties,
    "unevaluatedItems": _unevaluated_items,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "dependentSchemas": _dependent_schemas,
    "contains": _contains,
}
