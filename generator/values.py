"""Drawing plausible argument values from a parameter schema.

In: a property schema in normal form with `examples`, and a random source. Out: a value that satisfies the common
keywords (const, enum, examples, ranges, `multipleOf`, date and time formats, arrays, objects); for a text without
any, a common value for its parameter's name (`common_values.json`: a path, a title, an id); or `NO_VALUE` where nothing
plausible is known, which is then the model's to invent. Not promised: that `pattern`, `not` or combinators
are met; the verifiers judge every value again (RULES C4).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final

from data.records import Json, JsonObject

VALUES_VERSION: Final = 2
"""Counts up when the same seed begins to draw other values."""

OPTIONAL_SHARE: Final = 0.4
"""How often an optional parameter is given a value."""


_COMMON: Final[Mapping[str, list[str]]] = json.loads(
    Path(__file__).with_name("common_values.json").read_text(encoding="utf-8")
)
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class NoValue:
    """The type of `NO_VALUE`."""


NO_VALUE: Final = NoValue()


def least_values(schema: JsonObject) -> int:
    """How many values the required parameters of a schema take at least; a list counts as two."""
    schemas = property_schemas(schema)
    return sum(_weight(schemas[name]) for name in required_names(schema) if name in schemas)


def _weight(schema: JsonObject) -> int:
    return {"array": 2, "object": max(1, least_values(schema))}.get(str(schema.get("type")), 1)


def draw_arguments(parameters: JsonObject, random: Random, most: int = 8) -> dict[str, Json]:
    """Arguments for a tool: its required parameters and some optional ones, each where a value is known.

    Optional ones come only until there are `most` values; a boolean of them only as the opposite of a false default:
    nothing would be said otherwise.
    """
    required = required_names(parameters)
    drawn: dict[str, Json] = {}
    room = most - least_values(parameters)
    for name, schema in property_schemas(parameters).items():
        needed = name in required
        spare = room >= _weight(schema) and random.random() < OPTIONAL_SHARE and schema.get("default") is not True
        if not needed and not spare:
            continue
        value = draw_value(schema, random, name, tuple(drawn.values()))
        if not isinstance(value, NoValue) and (needed or value != schema.get("default")):
            drawn[name] = value
            room -= 0 if needed else _weight(schema)
    return drawn | _dependents(parameters, drawn, random)


def _dependents(parameters: JsonObject, drawn: JsonObject, random: Random) -> dict[str, Json]:
    """Values that those already drawn call for (`dependentRequired`)."""
    schemas, dependent = property_schemas(parameters), parameters.get("dependentRequired")
    if not isinstance(dependent, Mapping):
        return {}
    due = dict.fromkeys(str(other) for name in drawn for other in _listed(dependent.get(name)) if other not in drawn)
    values = {name: draw_value(schemas[name], random, name) for name in due if name in schemas}
    return {name: value for name, value in values.items() if not isinstance(value, NoValue)}


def _listed(value: Json) -> Sequence[Json]:
    return value if isinstance(value, (list, tuple)) else ()


def draw_value(schema: JsonObject, random: Random, name: str = "", taken: Sequence[Json] = ()) -> Json | NoValue:
    """One value for the property called `name`, or `NO_VALUE`; of listed ones, if possible, one that is not `taken`."""
    if "const" in schema:
        return schema["const"]
    for choices in (schema.get("enum"), schema.get("examples")):
        if isinstance(choices, (list, tuple)) and choices:
            return _choice(choices, random, taken)
    match schema.get("type"):
        case "boolean":
            return True
        case "integer":
            return _integer(schema, random)
        case "array":
            return _array(schema, random, name)
        case "object" if isinstance(schema.get("properties"), Mapping):
            return _object(schema, random)
        case "string" if schema.get("format") == "date":
            return (date(2026, 1, 1) + timedelta(days=random.randrange(730))).isoformat()
        case "string" if schema.get("format") == "time":
            return f"{random.randrange(6, 23):02}:{random.randrange(0, 60, 5):02}"
        case "string" if not schema.keys() & {"format", "pattern"} and (known := _common(name)):
            return _choice(known, random, taken)
    return NO_VALUE


def synonyms(schema: JsonObject) -> list[list[Json]]:
    """The groups of values that a parameter takes for the same, as its catalogue says (`synonyms`)."""
    return [
        list(group) for group in _listed(schema.get("synonyms")) if isinstance(group, (list, tuple)) and len(group) > 1
    ]


def alternatives(parameters: JsonObject, given: JsonObject) -> dict[str, list[Json]]:
    """For each argument of `given` that has them: the other values that say the same (RULES A7, `accept`)."""
    schemas = property_schemas(parameters)
    found: dict[str, list[Json]] = {}
    for name, value in given.items():
        if group := next((one for one in synonyms(schemas.get(name, {})) if value in one), []):
            found[name] = [other for other in group if other != value]
    return found


def required_names(schema: JsonObject) -> tuple[str, ...]:
    """The names that an object schema requires."""
    return tuple(map(str, _listed(schema.get("required"))))


def property_schemas(schema: JsonObject) -> dict[str, JsonObject]:
    """The schemas of an object schema's properties by name; what is `true` or `false` there says nothing of values."""
    properties = schema.get("properties")
    listed = properties.items() if isinstance(properties, Mapping) else ()
    return {name: inner for name, inner in listed if isinstance(inner, Mapping)}


def _choice(choices: Sequence[Json], random: Random, taken: Sequence[Json]) -> Json:
    left: list[Json] = [one for one in choices if one not in taken] or list(choices)
    return random.choice(left)


def _common(name: str) -> Sequence[str]:
    """Values for a parameter by the last word of its name: `repo_path` and `repoPath` are paths."""
    words = _WORDS.findall(name)
    return _COMMON.get(words[-1].lower(), ()) if words else ()


def _integer(schema: JsonObject, random: Random) -> int | NoValue:
    low, high, step = (schema.get(key) for key in ("minimum", "maximum", "multipleOf"))
    low = low if isinstance(low, int) else min(1, high) if isinstance(high, int) else 1
    by = step if isinstance(step, int) and step > 0 else 1
    first = -(-low // by) * by
    last = high if isinstance(high, int) else first + 20 * by
    return random.randrange(first, last + 1, by) if first <= last else NO_VALUE


def _array(schema: JsonObject, random: Random, name: str) -> list[Json] | NoValue:
    items, least = schema.get("items"), schema.get("minItems")
    if not isinstance(items, Mapping):
        return NO_VALUE
    values: list[Json] = []
    for _ in range(max(least if isinstance(least, int) else 1, random.randint(1, 2))):
        value = draw_value(items, random, name.removesuffix("s"), values)
        if isinstance(value, NoValue):
            return NO_VALUE
        if value not in values:
            values.append(value)
    return values


def _object(schema: JsonObject, random: Random) -> dict[str, Json] | NoValue:
    drawn = draw_arguments(schema, random)
    return drawn if drawn and drawn.keys() >= set(required_names(schema)) else NO_VALUE
