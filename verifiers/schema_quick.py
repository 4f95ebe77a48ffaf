"""A quick yes to arguments that plainly fit their schema: what stands before `schema_engine` on the hot path.

In: a graph made by `schema_compile`. Out: a test whose True means that a value fits and holds no reference (RULES C4 to
C6). False means nothing: the engine decides then, and names the cause. Only plain keywords are known here (types,
properties, items, enumerations, bounds, formats, patterns); a value that meets anything else gets a False.
Not promised: that every value that fits gets a True. A test holds each True to the engine.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from verifiers.schema_engine import KEYWORDS, MAX_STEPS, value_key
from verifiers.schema_text import FORMATS

Test = Callable[[Any], bool]
_KNOWN = frozenset(
    {"type", "enum", "const", "properties", "required", "additionalProperties", "unevaluatedProperties", "items"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern", "format"}
    | {"minItems", "maxItems"}
)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,),
    "object": (dict,), "null": (type(None),),
}  # fmt: skip
_ALL = (str, int, float, bool, list, dict, type(None))
_BOUNDS = {
    "minimum": operator.ge, "maximum": operator.le, "exclusiveMinimum": operator.gt, "exclusiveMaximum": operator.lt,
}  # fmt: skip
_MAX_LEVELS, _MAX_ITEMS, _MAX_TEXT = 64, 32, 64


class _Made(NamedTuple):
    """A test, and how many steps the engine would take at most for a value that it says True to."""

    test: Test
    steps: int


def quick_test(compiled: object) -> Test:
    """The test of a compiled schema; always False where the schema is not plain, or could exhaust the engine.

    It is made when it is first asked: of a menu, few tools are called.
    """
    made: Test | None = None

    def test(value: Any) -> bool:
        nonlocal made
        if made is None:
            built, steps = _Build().made(compiled, 0)
            made = built if steps < MAX_STEPS else _never
        return made(value)

    return test


def _never(value: Any) -> bool:
    return False


def _text(value: str) -> bool:
    return value[:5] != "$var_"


def _any(value: Any) -> bool:
    """Any value without a reference in it."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return all(map(_any, value.values()))
    return all(map(_any, value)) if isinstance(value, list) else True


class _Build:
    def __init__(self) -> None:
        self._known: dict[int, _Made] = {}

    def made(self, schema: object, level: int) -> _Made:
        if schema is True:
            return _Made(_any, 1)
        if not isinstance(schema, dict) or level > _MAX_LEVELS:
            return _Made(_never, 0)
        if id(schema) not in self._known:
            self._known[id(schema)] = _Made(_never, 0)  # a schema that comes back to itself is the engine's
            self._known[id(schema)] = self._node(schema, level + 1)
        return self._known[id(schema)]

    def _node(self, schema: dict[str, Any], level: int) -> _Made:
        if any(keyword in KEYWORDS and keyword not in _KNOWN for keyword in schema):
            return _Made(_never, 0)
        named = schema.get("type")
        names = [named] if isinstance(named, str) else named
        kinds = _ALL if names is None else [kind for name in names for kind in _TYPES.get(name, ())]
        tests: dict[type, Test] = {kind: _plain(kind, schema) for kind in kinds if kind not in (dict, list)}
        steps = 1 + sum(len(value) if isinstance(value, list | dict) else 1 for value in schema.values())
        if "enum" not in schema and "const" not in schema:
            for kind, build in ((dict, self._object), (list, self._list)):
                if kind in kinds:
                    tests[kind], inner = build(schema, level)
                    steps += inner
        if len(tests) == 1:
            ((only, test),) = tests.items()
            return _Made(lambda value: type(value) is only and test(value), steps)
        return _Made(lambda value: tests.get(type(value), _never)(value), steps)

    def _object(self, schema: dict[str, Any], level: int) -> _Made:
        inner = {name: self.made(one, level) for name, one in schema.get("properties", {}).items()}
        tests = {name: one.test for name, one in inner.items()}
        required = frozenset(schema.get("required", ()))
        free = all(schema.get(keyword, True) is True for keyword in ("additionalProperties", "unevaluatedProperties"))
        other = _any if free else _never

        def test(value: dict[str, Any]) -> bool:
            for name, item in value.items():
                if not tests.get(name, other)(item):
                    return False
            return required <= value.keys()

        return _Made(test, sum(one.steps for one in inner.values()))

    def _list(self, schema: dict[str, Any], level: int) -> _Made:
        test, steps = self.made(schema.get("items", True), level)
        least, most = schema.get("minItems", 0), min(_MAX_ITEMS, schema.get("maxItems", _MAX_ITEMS))
        return _Made(lambda value: least <= len(value) <= most and all(map(test, value)), _MAX_ITEMS * steps)


def _plain(kind: type, schema: dict[str, Any]) -> Test:
    """The test of values of one plain Python type."""
    tests: list[Test] = [_text] if kind is str else []
    if "enum" in schema:
        keys = schema["enum"]
        tests.append(lambda value: value_key(value) in keys)
    if "const" in schema:
        key = schema["const"]
        tests.append(lambda value: bool(value_key(value) == key))
    if kind is str:
        tests += _text_tests(schema)
    elif kind in (int, float):
        tests += [_bound(holds, schema[keyword]) for keyword, holds in _BOUNDS.items() if keyword in schema]
    if len(tests) < 2:
        return tests[0] if tests else (lambda value: True)
    return lambda value: all(test(value) for test in tests)


def _bound(holds: Callable[[Any, Any], bool], bound: Any) -> Test:
    return lambda value: holds(value, bound)


def _text_tests(schema: dict[str, Any]) -> list[Test]:
    tests: list[Test] = []
    if "minLength" in schema or "maxLength" in schema:
        least, most = schema.get("minLength", 0), schema.get("maxLength", sys.maxsize)
        tests.append(lambda value: least <= len(value) <= most)
    if "pattern" in schema:
        pattern = schema["pattern"]
        tests.append(lambda value: len(value) < _MAX_TEXT and pattern.search(value) is not None)
    if schema.get("format") in FORMATS:
        tests.append(FORMATS[schema["format"]])
    return tests
