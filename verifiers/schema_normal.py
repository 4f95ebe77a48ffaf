"""One tool's parameters, walked once and made JSON Schema 2020-12 (RULES M2 flat details, M4, M5, M8).

In: a schema that the caller may have changed in place. Out: the same object with type names read, ill-formed
annotations dropped and `required` lifted, the list of its schema nodes, and every fault found, in no order of rank.
The shape of each keyword is judged by the official vocabularies that come with `jsonschema-specifications`.
Not promised: that references lead anywhere (`schema_refs`), or a bound on depth (the caller's; 64 levels, RULES J3).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urljoin

from jsonschema import Draft202012Validator
from jsonschema_specifications import REGISTRY

from verifiers.schema_text import UnsupportedPattern, compile_pattern
from verifiers.schema_types import UnknownType, read_type

Schema = dict[str, object]

SUBSCHEMAS = frozenset(
    {"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"}
    | {"unevaluatedItems", "unevaluatedProperties"}
)
SUBSCHEMA_LISTS = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
SUBSCHEMA_MAPS = frozenset(("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"))
_HOLD_SCHEMAS = SUBSCHEMAS | SUBSCHEMA_LISTS | SUBSCHEMA_MAPS
_DROPPED = frozenset(("$schema", "$vocabulary", "contentSchema"))
_ANNOTATIONS: dict[str, type] = {
    **dict.fromkeys(("$comment", "title", "description", "format", "contentEncoding", "contentMediaType"), str),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), bool),
    "examples": list,
}
_JUDGED_HERE = _DROPPED | _ANNOTATIONS.keys()
MAX_NODES = 15_000
_MAX_PROGRAM = 400_000
"""Instructions of all patterns of a menu together: what RE2 compiles in half a second."""


_JUDGED_ELSEWHERE = SUBSCHEMA_MAPS | _JUDGED_HERE | {"type", "const"}


def _shapes() -> dict[str, Draft202012Validator]:
    """A validator for the value of each keyword that asserts or identifies, from the official vocabularies."""
    shapes = {}
    for name in ("core", "validation"):
        vocabulary = REGISTRY.contents(f"https://json-schema.org/draft/2020-12/meta/{name}")
        for keyword in vocabulary["properties"].keys() - _JUDGED_ELSEWHERE:
            shape = vocabulary["properties"][keyword]
            shapes[keyword] = Draft202012Validator({**shape, "$defs": vocabulary["$defs"]})
    return shapes


_SHAPES = _shapes()


class Fault(NamedTuple):
    """Why a tool is refused: a code of RULES M and what a person needs to see."""

    code: str
    detail: str


class Node(NamedTuple):
    """One schema object of the document and the URI that its references are relative to."""

    schema: Schema
    base: str


@dataclass(slots=True)
class Budget:
    """What the schemas of one menu may cost together: how many there are, and the room of their patterns.

    Patterns are compiled until one cannot be or all together take too much room.
    """

    nodes: int = 0
    program: int = 0
    full: bool = False

    def suffices(self) -> bool:
        """Whether the menu stays within what it may cost."""
        return self.nodes <= MAX_NODES and self.program <= _MAX_PROGRAM

    def pattern_fault(self, text: str) -> str | None:
        """What is wrong with a pattern; None also for all that come after a bad one."""
        if self.full:
            return None
        try:
            self.program += compile_pattern(text).programsize
        except UnsupportedPattern as fault:
            self.full = True
            return str(fault)
        self.full = self.program > _MAX_PROGRAM
        return "the patterns take too much room" if self.full else None


@dataclass(slots=True)
class Walk:
    """The walk over one document. `flat`: the shorthands of RULES M2 for flat parameters count."""

    flat: bool
    budget: Budget
    nodes: list[Node] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def visit(self, schema: object, place: str, base: str = "") -> object:
        """Normalise a schema and all below it in place; returns it, or what stands for it."""
        if isinstance(schema, bool):
            return schema
        if self.flat and isinstance(schema, str):
            schema = {"type": schema}
        if not isinstance(schema, dict):
            self.fault("bad_schema", place, f"{_kind(schema)} is not a schema")
            return True
        self.budget.nodes += 1
        if self.budget.nodes > MAX_NODES:
            if self.budget.nodes == MAX_NODES + 1:
                self.fault("too_large", place, f"the menu has more than {MAX_NODES} schemas")
            return True
        self._annotations(schema)
        self._required(schema)
        self._type(schema, place)
        for keyword in [keyword for keyword in schema if keyword in _SHAPES]:
            if not _plainly(keyword, schema[keyword]) and not _SHAPES[keyword].is_valid(schema[keyword]):
                self.fault("bad_schema", place, f"`{keyword}` cannot be {_show(schema[keyword])}")
        if isinstance(schema.get("$id"), str):
            try:
                base = urljoin(base, str(schema["$id"])).rstrip("#")
            except ValueError:
                self.fault("bad_schema", place, f"`$id` is no URI: {_show(schema['$id'])}")
        self.nodes.append(Node(schema, base))
        if "pattern" in schema or "patternProperties" in schema:
            self._patterns(schema, place)
        self._children(schema, place, base)
        return schema

    def fault(self, code: str, place: str, detail: str) -> None:
        """Note a fault at a place of the document."""
        self.faults.append(Fault(code, f"{place}: {detail}"))

    def _annotations(self, schema: Schema) -> None:
        for keyword in [keyword for keyword in schema if keyword in _JUDGED_HERE]:
            if keyword in _DROPPED or not isinstance(schema[keyword], _ANNOTATIONS[keyword]):
                del schema[keyword]

    def _required(self, schema: Schema) -> None:
        """In flat parameters a boolean `required` inside a property is about that property, at any depth."""
        if not self.flat:
            return
        if isinstance(schema.get("required"), bool):
            del schema["required"]
        properties = schema.get("properties")
        if not isinstance(properties, dict):
            return
        due = [name for name, inner in properties.items() if isinstance(inner, dict) and inner.get("required") is True]
        listed = schema.get("required", [])
        if due and isinstance(listed, list):
            schema["required"] = [*listed, *(name for name in due if name not in listed)]

    def _type(self, schema: Schema, place: str) -> None:
        if "type" not in schema:
            return
        written = schema["type"]
        try:
            read = read_type(written)
        except UnknownType as fault:
            self.fault("unknown_type", place, f"no type is called {_show(str(fault))}")
            return
        except TypeError as fault:
            self.fault("bad_schema", place, str(fault))
            return
        if read == {"type": written}:
            self._enum_of_items(schema)
            return
        if read.keys() == {"type"} and isinstance(read["type"], str):
            schema["type"] = read["type"]
            self._enum_of_items(schema)
            return
        read = copy.deepcopy(read)
        order = {keyword: at for at, keyword in enumerate(schema)}
        del schema["type"]
        if "anyOf" in read and "anyOf" in schema:
            combined = schema.setdefault("allOf", [])
            if isinstance(combined, list):
                combined.append({"anyOf": read.pop("anyOf")})
        if {"properties", "patternProperties"} & schema.keys():
            read.pop("additionalProperties", None)
        for keyword, value in read.items():
            schema.setdefault(keyword, value)
        self._enum_of_items(schema)
        # Keys stay in the order in which they were written.
        for keyword in sorted(schema, key=lambda name: order.get(name, len(order))):
            schema[keyword] = schema.pop(keyword)

    def _enum_of_items(self, schema: Schema) -> None:
        """`enum` of plain values on an array describes its items (RULES M4)."""
        values = schema.get("enum")
        if schema.get("type") not in ("array", ["array", "null"], ["null", "array"]) or not isinstance(values, list):
            return
        if not values or any(isinstance(value, list | dict) for value in values):
            return
        del schema["enum"]
        items = schema.get("items", {})
        if isinstance(items, str) and self.flat:
            items = {"type": items}
        if items is True or isinstance(items, dict):
            plain = values if schema["type"] == "array" else [value for value in values if value is not None]
            schema["items"] = {"enum": plain, **(items if isinstance(items, dict) else {})}

    def _patterns(self, schema: Schema, place: str) -> None:
        named = schema.get("patternProperties")
        for text in [schema.get("pattern"), *(named if isinstance(named, dict) else ())]:
            if isinstance(text, str) and (wrong := self.budget.pattern_fault(text)):
                self.fault("unsupported_pattern", place, f"the pattern {_show(text)}: {wrong}")

    def _children(self, schema: Schema, place: str, base: str) -> None:
        for keyword in [keyword for keyword in schema if keyword in _HOLD_SCHEMAS]:
            value = schema[keyword]
            inner = f"{place}.{keyword}"
            if keyword in SUBSCHEMAS:
                schema[keyword] = self.visit(value, inner, base)
            elif keyword in SUBSCHEMA_LISTS:
                if not isinstance(value, list) or not value:
                    self.fault("bad_schema", place, f"`{keyword}` must be a list of schemas")
                else:
                    schema[keyword] = [self.visit(one, f"{inner}[{at}]", base) for at, one in enumerate(value)]
            elif keyword in SUBSCHEMA_MAPS:
                if not isinstance(value, dict):
                    self.fault("bad_schema", place, f"`{keyword}` must be an object of schemas")
                else:
                    schema[keyword] = {name: self.visit(one, f"{inner}.{name}", base) for name, one in value.items()}


def _plainly(keyword: str, value: object) -> bool:
    """Whether the value of a common keyword has its shape; what is not plain is judged by the vocabulary."""
    if keyword == "required":
        return isinstance(value, list) and all(type(name) is str for name in value) and len(set(value)) == len(value)
    return keyword == "enum" and isinstance(value, list)


def _kind(value: object) -> str:
    names = {type(None): "null", str: "a string", list: "a list", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
