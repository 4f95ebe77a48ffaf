"""The tools that briefs are built from: the shipped catalogue, or a user's own file.

In: nothing, the path of a tools file (`generator.tools_file`), or a list. Out: usable tools in normal form (RULES M),
each with its domain, the values its parameters may be given and what it returns, and beside them everything that cannot
be used, with the verdict on it.

An entry is a tool in any shape of RULES M2; beside the tool's own keys, `domain` and `outputSchema` (MCP) are read
when present. `examples` of a parameter are what briefs draw values from, `synonyms` lists of values that the tool takes
for the same; both are taken out of the menu's tools, where they would show the solver the answer. Not promised: that
a user's tools are told apart by their descriptions (RULES D2 judges menus, later).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from data.canonical import canonical_json, digest
from data.errors import UsageError
from data.records import Json, JsonObject, Verdict
from generator.tool_list import Refused
from generator.tools_file import read_tools, tools_in
from generator.values import property_schemas, required_names
from verifiers.menu import read_menu
from verifiers.schema_normal import SUBSCHEMA_LISTS, SUBSCHEMA_MAPS, SUBSCHEMAS

DRAWN_FROM = ("examples", "synonyms")
"""Annotations of a parameter that say which values it may be given."""

OWN_DOMAIN = "own"
"""Domain of the tools of a user's file that name none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One usable tool. `parameters` is its schema with the values to draw from, `tool` the normal form without."""

    tool: JsonObject
    domain: str
    parameters: JsonObject
    returns: Mapping[str, str]
    """Type name of each property of the tool's result; empty when the file does not say."""

    @property
    def name(self) -> str:
        return str(self.tool["name"])


@dataclass(frozen=True, slots=True)
class Chain:
    """A tool whose result holds what a parameter of another tool takes: the material of dependent calls."""

    producer: Entry
    consumer: Entry
    value: str
    """Name of the producer's result property and of the consumer's parameter."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Usable tools in the order of the file. `digest` identifies them and enters cache keys."""

    entries: tuple[Entry, ...]
    refused: tuple[Refused, ...]
    chains: tuple[Chain, ...]
    digest: str

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains that have a usable tool, sorted."""
        return tuple(sorted({entry.domain for entry in self.entries}))


def load_catalogue(path: Path | None = None) -> Catalogue:
    """The shipped catalogue, or the tools in the file at `path`.

    `UsageError` when the file cannot be read, holds two tools of one name, or none that can be used.
    """
    if path is None:
        return _shipped()
    read = read_tools(path)
    return build_catalogue(read.tools, str(path), read.left_out)


@cache
def _shipped() -> Catalogue:
    name = "catalogue.json"
    read = tools_in(files("generator").joinpath(name).read_text(encoding="utf-8"), name)
    return build_catalogue(read.tools, name)


def build_catalogue(tools: Sequence[Json], source: str, left_out: Sequence[Refused] = ()) -> Catalogue:
    """A catalogue of the entries of a list; `source` names the list in errors. Errors as in `load_catalogue`.

    `left_out`: what the source has besides, already refused.
    """
    names = [_name(tool, place) for place, tool in enumerate(tools)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise UsageError(f"{source} has more than one tool named {', '.join(map(repr, twice))}", hint="rename one")
    entries: list[Entry] = []
    refused: list[Refused] = [*left_out]
    for name, tool in zip(names, tools, strict=True):
        read = _entry(tool)
        if isinstance(read, Verdict):
            refused.append(Refused(name, read))
        else:
            entries.append(read)
    if not entries:
        first = refused[len(left_out)]
        raise UsageError(
            f"no tool of {source} can be used; {first.name!r}: {first.verdict.code} {first.verdict.detail}",
            hint="mend the schemas named here (RULES M says what a tool must be)",
        )
    seen: list[Json] = [
        [dict(entry.tool), entry.domain, dict(entry.parameters), dict(entry.returns)] for entry in entries
    ]
    return Catalogue(tuple(entries), tuple(refused), tuple(_chains(entries)), digest(seen))


def _name(tool: Json, place: int) -> str:
    """How an entry is called in messages: its own name, found as RULES M2 and M3 do, or its place."""
    inner = tool.get("function", tool) if isinstance(tool, Mapping) else None
    name = inner.get("name") if isinstance(inner, Mapping) else None
    return name.strip() if isinstance(name, str) and name.strip() else f"#{place + 1}"


def _entry(tool: Json) -> Entry | Verdict:
    menu = read_menu([tool])
    if isinstance(menu, Verdict):
        return menu
    (normal,) = menu.tools
    own = tool if isinstance(tool, Mapping) else {}
    parameters = normal["parameters"]
    assert isinstance(parameters, Mapping)
    domain = own.get("domain")
    # Canonical key order, so that a brief read back from a chunk renders to the very same prompt.
    stored: JsonObject = json.loads(canonical_json({**normal, "parameters": without_values(parameters)}))
    return Entry(
        tool=stored,
        domain=domain if isinstance(domain, str) and domain else OWN_DOMAIN,
        parameters=json.loads(canonical_json(parameters)),
        returns=dict(_returns(own.get("outputSchema"))),
    )


def _returns(schema: Json) -> Iterator[tuple[str, str]]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    for name, inner in properties.items() if isinstance(properties, Mapping) else ():
        kind = inner.get("type") if isinstance(inner, Mapping) else None
        if isinstance(kind, str):
            yield name, kind


def _chains(entries: Sequence[Entry]) -> Iterator[Chain]:
    """Pairs within one domain where a result and a required parameter share name and type."""
    near: dict[str, list[tuple[Entry, dict[str, Json]]]] = {}
    for entry in entries:
        schemas = property_schemas(entry.parameters)
        taken = {name: schemas[name].get("type") for name in required_names(entry.parameters) if name in schemas}
        near.setdefault(entry.domain, []).append((entry, taken))
    for producer in entries:
        for consumer, taken in near[producer.domain]:
            for name, kind in producer.returns.items() if consumer is not producer else ():
                if taken.get(name) == kind:
                    yield Chain(producer, consumer, name)


def without_values(schema: Json) -> Json:
    """A schema without the annotations that values are drawn from, at every depth; a property of such a name stays."""
    if not isinstance(schema, Mapping):
        return schema
    kept: dict[str, Json] = {}
    for key, value in schema.items():
        if key in DRAWN_FROM:
            continue
        if key in SUBSCHEMA_MAPS and isinstance(value, Mapping):
            kept[key] = {name: without_values(inner) for name, inner in value.items()}
        elif key in SUBSCHEMA_LISTS and isinstance(value, (list, tuple)):
            kept[key] = [without_values(inner) for inner in value]
        else:
            kept[key] = without_values(value) if key in SUBSCHEMAS else value
    return kept
