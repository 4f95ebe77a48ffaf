"""Arguments that are valid under a tool's schema, as often as not about what is in the state."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from unicodedata import normalize

from hypothesis import strategies as st

EXPRESSIONS = st.lists(
    st.sampled_from(
        ["x", "y", "2", "0.5", "999999", "+", "-", "*", "/", "^", "(", ")", "x^6", "(x+1)", "=", " ", "sqrt"]
    ),
    min_size=1,
    max_size=24,
).map("".join)

# As they come from strict JSON in canonical form: no U+0000, NFC.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20).map(partial(normalize, "NFC"))


def texts_in(value: Any) -> Iterator[str]:
    """Every text of a state, keys too."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, str):
        yield value


def arguments(parameters: Mapping[str, Any], known: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments for closed object parameters; `known`: texts of the state."""
    properties, required = parameters["properties"], set(parameters["required"])
    return st.fixed_dictionaries(
        {name: _values(schema, known) for name, schema in properties.items() if name in required},
        optional={name: _values(schema, known) for name, schema in properties.items() if name not in required},
    )


def _values(schema: Mapping[str, Any], known: list[str]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([_values(branch, known) for branch in schema["anyOf"]])
    kind = schema["type"]
    if kind == "array":
        return st.lists(_values(schema["items"], known), min_size=schema["minItems"], max_size=schema["maxItems"])
    if kind == "object":
        keys = st.sampled_from(known) | TEXTS
        return st.dictionaries(keys, _values(schema["additionalProperties"], known), max_size=schema["maxProperties"])
    if kind in ("integer", "number"):
        low, high = schema["minimum"], schema["maximum"]
        integers = st.integers(low, high)
        return integers | integers.map(float) if kind == "integer" else integers | st.floats(low, high)
    return _texts(schema, known)


def _texts(schema: Mapping[str, Any], known: list[str]) -> st.SearchStrategy[str]:
    if schema.get("format") == "date":
        return st.dates().map(str) | st.just("0000-02-29") | _fitting(known, 10, 10).filter(lambda one: one[4] == "-")
    if "pattern" in schema:
        return st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
    least, most = schema.get("minLength", 0), schema["maxLength"]
    return _fitting(known, least, most) | (TEXTS | EXPRESSIONS).filter(lambda one: least <= len(one) <= most)


def _fitting(known: list[str], least: int, most: int) -> st.SearchStrategy[str]:
    fits = [one for one in known if least <= len(one) <= most]
    return st.sampled_from(fits) if fits else st.nothing()
