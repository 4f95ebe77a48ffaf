"""The schemas that apply at one place of a value, through `$ref` and combinators.

In: a tool's normalised parameters (RULES M). Out: `Schemas`, walked down by property and item; every branch of a
combinator counts, since what is asked is what *may* be declared there (a default, an enum, a bound).
Not promised: that a value fits them (`schema_engine` says that).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from data.records import Json
from verifiers.answer import equal

Path = tuple[str | int, ...]
"""Member names and places in lists, from the outside in."""


def written(path: Iterable[str | int]) -> str:
    """A path as a person writes it: `filter.tags[0]`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def schemas_at(parameters: Json, path: Path) -> Schemas:
    """The schemas at a path."""
    found = Schemas(parameters, [parameters])
    for step in path:
        found = found.property(step) if isinstance(step, str) else found.item(step)
    return found


class Schemas:
    """The schemas at one place: `here` are those of `root` that apply, nearest first, 64 at most."""

    def __init__(self, root: Json, here: list[Json]) -> None:
        self.root = root
        self.here: list[Mapping[str, Json]] = []
        for schema in here:
            self._add(schema)

    def _add(self, schema: Json) -> None:
        if not isinstance(schema, Mapping) or any(schema is known for known in self.here) or len(self.here) > 64:
            return
        self.here.append(schema)
        if isinstance(target := schema.get("$ref"), str):
            self._add(self._target(target))
        for combinator in ("allOf", "anyOf", "oneOf"):
            branches = schema.get(combinator)
            for branch in branches if isinstance(branches, list | tuple) else ():
                self._add(branch)
        for branch in ("if", "then", "else"):
            self._add(schema.get(branch))

    def _target(self, pointer: str) -> Json:
        """What `#/...` points to in the tool's own schema."""
        found: Json = self.root
        for part in pointer.removeprefix("#").split("/")[1:]:
            part = part.replace("~1", "/").replace("~0", "~")
            found = found.get(part) if isinstance(found, Mapping) else None
        return found

    def declare_default(self, value: Json) -> bool:
        """Whether the value equals a default that is declared here."""
        return any("default" in schema and equal(value, schema["default"]) for schema in self.here)

    def property(self, name: str) -> Schemas:
        """Those of an object's member."""
        found: list[Json] = []
        for schema in self.here:
            properties = schema.get("properties")
            if isinstance(properties, Mapping) and name in properties:
                found.append(properties[name])
            else:
                found.append(schema.get("additionalProperties"))
        return Schemas(self.root, found)

    def item(self, index: int) -> Schemas:
        """Those of a list's item."""
        found: list[Json] = []
        for schema in self.here:
            first = schema.get("prefixItems")
            first = first if isinstance(first, list | tuple) else ()
            found.append(first[index] if index < len(first) else schema.get("items"))
        return Schemas(self.root, found)
