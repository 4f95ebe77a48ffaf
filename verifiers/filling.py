"""Arguments with which a tool can be called at all: what a call that nobody asked for would look like.

In: a menu, the name of a tool, values to use where they fit, and the task's hints. Out: arguments that satisfy the
tool's schema with no more than is required of them, or None when a few tries found none.
Not promised: that there are none then; a pattern or a combination of rules may be met by values we do not try.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from data.records import Json, JsonObject
from verifiers.menu import Menu
from verifiers.plausible import Hints, bounds, listed
from verifiers.schema_places import Schemas

MAX_TRIES = 12
_MAX_DEPTH = 4
_EACH = 5
_MOMENTS = {"date": "2026-01-01", "date-time": "2026-01-01T12:00:00Z", "time": "12:00:00Z"}


def filled(menu: Menu, name: str, given: JsonObject, hints: Hints) -> JsonObject | None:
    """Arguments for one tool: those of `given` that it declares, and what else it requires."""
    parameters = (menu.tool(name) or {}).get("parameters")
    schemas = Schemas(parameters, [parameters])
    wanted = dict.fromkeys([*_required(schemas), *(key for key in given if _declares(schemas, key))])
    choices = {
        key: [*([given[key]] if key in given else []), *islice(_candidates(schemas.property(key), hints, 0), _EACH)]
        for key in wanted
    }
    at = dict.fromkeys(choices, 0)
    for _ in range(MAX_TRIES):
        if any(at[key] >= len(choices[key]) for key in choices):
            return None
        arguments = {key: choices[key][at[key]] for key in choices}
        cause = menu.validator(name).first_cause(arguments)
        if cause is None:
            return arguments
        wrong = next((key for key in at if cause.place == key or cause.place.startswith((f"{key}.", f"{key}["))), None)
        if wrong is None:
            return None
        at[wrong] += 1
    return None


def _required(schemas: Schemas) -> list[str]:
    names = (schema.get("required", ()) for schema in schemas.here)
    return [str(name) for some in names if isinstance(some, list | tuple) for name in some]


def _declares(schemas: Schemas, name: str) -> bool:
    declared = (schema.get("properties", {}) for schema in schemas.here)
    return any(isinstance(some, Mapping) and name in some for some in declared)


def _candidates(schemas: Schemas, hints: Hints, depth: int) -> Iterator[Json]:
    """Values of the declared type, the likeliest first."""
    yield from listed(schemas.here)
    yield from (schema["default"] for schema in schemas.here if "default" in schema)
    types = [kind for schema in schemas.here for kind in _types(schema)]
    for kind in dict.fromkeys(types or ["string", "integer"]):
        if kind == "string":
            yield from (_MOMENTS[form] for schema in schemas.here if (form := str(schema.get("format"))) in _MOMENTS)
            yield from hints.texts[:3]
        elif kind in ("integer", "number"):
            yield from (*hints.numbers[:2], *bounds(schemas.here), 1)
        elif kind == "boolean":
            yield True
        elif kind == "null":
            yield None
        elif kind == "array":
            yield [item for item in islice(_candidates(schemas.item(0), hints, depth + 1), 1) if depth < _MAX_DEPTH]
        elif kind == "object" and depth < _MAX_DEPTH:
            members = (
                (key, next(_candidates(schemas.property(key), hints, depth + 1), None)) for key in _required(schemas)
            )
            yield dict(members)


def _types(schema: Mapping[str, Json]) -> list[str]:
    declared = schema.get("type", ())
    return [declared] if isinstance(declared, str) else [str(kind) for kind in declared or ()]  # type: ignore[union-attr]
