"""A normalised document made ready for `schema_engine`: references followed, objects closed (RULES M5, M7).

In: the root and the links of a document (`schema_refs`). Out: a graph of plain dicts without `$ref`, in which what is
compared or matched stands in digested form (`enum`, `const` and `default` as keys, patterns compiled). The graph may
share nodes and be cyclic. Faults: `undeclared_required`.
Not promised: that the graph is JSON; only the engine reads it.

Closing: a schema that applies to a value of its own (not a branch of a combinator, nor what a branch refers to) and
lists `properties`, itself or through its branches, gets `unevaluatedProperties: false`, unless it says anything of
`additionalProperties` or `unevaluatedProperties`. A combinator that has a branch free for any object stays open, and so
does what only tests (`not`, `if`, `contains`), at any depth: to close it would open what it guards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from verifiers.schema_engine import value_key
from verifiers.schema_normal import SUBSCHEMA_LISTS, SUBSCHEMA_MAPS, SUBSCHEMAS, Fault, Schema
from verifiers.schema_refs import IN_PLACE, IN_PLACE_LISTS, REFERENCES, Links
from verifiers.schema_text import compile_pattern

_Use = Literal["value", "branch", "test"]
_TESTS = frozenset(("not", "if", "contains"))
_BRANCHES = frozenset((*IN_PLACE, *IN_PLACE_LISTS, *REFERENCES, "dependentSchemas"))
_COMBINING = frozenset(("allOf", "anyOf", "oneOf", "then", "else"))
_SAYS = frozenset(("additionalProperties", "unevaluatedProperties"))
_DIGESTED = SUBSCHEMAS | SUBSCHEMA_LISTS | SUBSCHEMA_MAPS | {"enum", "pattern", "multipleOf", "const", "default"}
_LEFT_OUT = frozenset(
    {"$defs", "definitions", "$id", "$anchor", "$dynamicAnchor", *REFERENCES}
    | {"$comment", "title", "description", "examples", "deprecated", "readOnly", "writeOnly"}
)
_MAX_SEARCH = 100_000
"""Nodes looked at, in all, for where required names are declared."""


def compile_schema(root: Schema, links: Links) -> tuple[Schema, list[Fault]]:
    """The graph that stands for the root, and what is wrong with it."""
    build = _Build(links)
    compiled = build.shell(root, "value")
    build.run()
    assert isinstance(compiled, dict)
    return compiled, build.faults


def _inside(use: _Use, keyword: str) -> _Use:
    """What the subschemas of a keyword are used for, where the schema itself is used so."""
    if use == "test" or keyword in _TESTS:
        return "test"
    return "branch" if keyword in _BRANCHES else "value"


@dataclass(slots=True)
class _Build:
    links: Links
    lists: dict[int, bool] = field(default_factory=dict)
    shells: dict[tuple[int, _Use], Schema] = field(default_factory=dict)
    waiting: list[tuple[Schema, _Use]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    searched: int = 0

    def __post_init__(self) -> None:
        for schema in self.links.inner_first:
            self.lists[id(schema)] = self._lists_properties(schema)

    def shell(self, schema: object, use: _Use) -> Schema | bool:
        """The compiled form of a schema, to be filled by `run`; one that only refers is what it refers to."""
        while isinstance(schema, dict):
            targets = self.links.targets.get(id(schema), [])
            if len(targets) != 1 or not schema.keys() <= _LEFT_OUT:
                break
            schema = targets[0]
        if isinstance(schema, bool):
            return schema
        assert isinstance(schema, dict)
        at = (id(schema), use)
        if at not in self.shells:
            self.shells[at] = {}
            self.waiting.append((schema, use))
        return self.shells[at]

    def run(self) -> None:
        while self.waiting:
            schema, use = self.waiting.pop()
            self.shells[id(schema), use].update(self._fill(schema, use))

    def _fill(self, schema: Schema, use: _Use) -> Schema:
        made: Schema = {}
        for keyword, value in schema.items():
            if keyword not in _LEFT_OUT:
                made[keyword] = self._keyword(keyword, value, use) if keyword in _DIGESTED else value
        if targets := self.links.targets.get(id(schema)):
            inner = [self.shell(target, _inside(use, "$ref")) for target in targets]
            listed = made.get("allOf", [])
            made["allOf"] = [*inner, *(listed if isinstance(listed, list) else [])]
        if use == "value" and self.lists[id(schema)] and _SAYS.isdisjoint(schema):
            made["unevaluatedProperties"] = False
        self._check_required(schema, made)
        return made

    def _keyword(self, keyword: str, value: object, use: _Use) -> object:
        inside = _inside(use, keyword)
        match value:
            case list() if keyword in SUBSCHEMA_LISTS:
                return [self.shell(one, inside) for one in value]
            case dict() if keyword == "patternProperties":
                return [(compile_pattern(text), self.shell(one, inside)) for text, one in value.items()]
            case dict() if keyword in SUBSCHEMA_MAPS:
                return {name: self.shell(one, inside) for name, one in value.items()}
            case list() if keyword == "enum":
                return frozenset(value_key(one) for one in value)
            case str() if keyword == "pattern":
                return compile_pattern(value)
            case int() | float() if keyword == "multipleOf":
                return Fraction(repr(value))
        if keyword in ("const", "default"):
            return value_key(value)
        return self.shell(value, inside) if keyword in SUBSCHEMAS else value

    def _lists_properties(self, schema: Schema) -> bool:
        """Whether a schema lists `properties`, itself or through what it applies to its own value."""
        if id(schema) not in self.links.targets and _COMBINING.isdisjoint(schema):
            return "properties" in schema
        if "properties" in schema or self._any(self.links.targets.get(id(schema), [])):
            return True
        if self._any(schema.get("allOf", [])) or self._any([schema.get("then"), schema.get("else")]):
            return True
        for keyword in ("anyOf", "oneOf"):
            inner = schema.get(keyword)
            if isinstance(inner, list) and self._any(inner) and not any(self._free(branch) for branch in inner):
                return True
        return False

    def _any(self, schemas: object) -> bool:
        return isinstance(schemas, list) and any(self.lists.get(id(one), False) for one in schemas)

    def _free(self, branch: object) -> bool:
        """Whether a branch takes any object: it lists and says nothing, and is not of another type."""
        if not isinstance(branch, dict):
            return branch is True
        if self.lists[id(branch)] or any(keyword in branch for keyword in _SAYS):
            return False
        if branch.get("enum") is not None or "const" in branch:
            return False
        types = branch.get("type", "object")
        return "object" in (types if isinstance(types, list) else [types])

    def _check_required(self, schema: Schema, made: Schema) -> None:
        """RULES M7: a closed object requires nothing that it does not declare."""
        closed_here = made.get("additionalProperties") is False
        required = schema.get("required")
        if not isinstance(required, list) or not (closed_here or made.get("unevaluatedProperties") is False):
            return
        properties = schema.get("properties")
        missing = [name for name in required if not isinstance(properties, dict) or name not in properties]
        for name in missing:
            if not self._declared(schema, name, deep=not closed_here):
                self.faults.append(
                    Fault("undeclared_required", f"`required` names {name[:80]!r}, which is not declared")
                )
                return

    def _declared(self, schema: Schema, name: str, *, deep: bool) -> bool:
        """Whether a property may stand in the object, by the schema itself or by what it applies to its own value."""
        seen = {id(schema)}
        waiting = [schema]
        while waiting:
            self.searched += 1
            if self.searched > _MAX_SEARCH:
                return False
            one = waiting.pop()
            properties, named = one.get("properties"), one.get("patternProperties")
            if isinstance(properties, dict) and name in properties:
                return True
            if isinstance(named, dict) and any(compile_pattern(text).search(name) for text in named):
                return True
            if one is not schema and any(one.get(keyword, False) is not False for keyword in _SAYS):
                return True
            for inner in self.links.in_place(one) if deep else ():
                if id(inner) not in seen:
                    seen.add(id(inner))
                    waiting.append(inner)
        return False
