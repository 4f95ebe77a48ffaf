"""Where the references of one document lead (RULES M5, M6): never outside, never nowhere, never in a circle.

In: the walk over a normalised document (`schema_normal`). Out: its `Links`, or faults noted in the walk.
Nothing is ever fetched: the registry holds this document alone, without the meta-schemas.
Not promised: dynamic scope across several `$id`s; `$dynamicRef` leads where `$ref` would.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from referencing import Registry
from referencing.exceptions import InvalidAnchor, NoSuchAnchor, PointerToNowhere, Unresolvable
from referencing.jsonschema import DRAFT202012

from verifiers.schema_normal import Schema, Walk

IN_PLACE = ("not", "if", "then", "else")
IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
REFERENCES = ("$ref", "$dynamicRef")
_REFERENCES = frozenset(REFERENCES)


@dataclass(slots=True)
class Links:
    """Where each schema node's references lead, by the identity of the node, and an order of all nodes.

    `inner_first` lists every node after all nodes that apply to the same value in its name (`$ref`, combinators).
    """

    targets: dict[int, list[Schema | bool]] = field(default_factory=dict)
    inner_first: list[Schema] = field(default_factory=list)

    def in_place(self, schema: Schema) -> Iterator[Schema]:
        """The schema objects that a schema applies to its own value."""
        for target in self.targets.get(id(schema), ()):
            if isinstance(target, dict):
                yield target
        for branch in branches(schema):
            if isinstance(branch, dict):
                yield branch


def branches(schema: Schema) -> Iterator[object]:
    """The subschemas that a schema's combinators apply to its own value, references left out."""
    for keyword in IN_PLACE_LISTS:
        inner = schema.get(keyword)
        if isinstance(inner, list):
            yield from inner
    for keyword in IN_PLACE:
        if keyword in schema:
            yield schema[keyword]
    dependent = schema.get("dependentSchemas")
    if isinstance(dependent, dict):
        yield from dependent.values()


def link(root: Schema, walk: Walk) -> Links:
    """Resolve every reference of the document and order its nodes.

    Notes `external_ref`, `bad_schema` (a reference to nowhere) and `ref_cycle` in `walk.faults`. Places that a
    reference makes schemas (`#/components/...`) are normalised in a copy, for they may be data as well.
    """
    links = Links()
    if all(_REFERENCES.isdisjoint(node.schema) for node in walk.nodes):
        links.inner_first = [node.schema for node in reversed(walk.nodes)]  # a tree, which was walked from its root
        return links
    _resolve(root, walk, links)
    if not walk.faults:
        _order(walk, links)
    return links


def _resolve(root: Schema, walk: Walk, links: Links) -> None:
    registries = [_registry(root), _registry(copy.deepcopy(root))]
    known = {id(node.schema) for node in walk.nodes}
    for node in walk.nodes:  # grows while it is read
        for keyword in REFERENCES:
            reference = node.schema.get(keyword)
            if not isinstance(reference, str):
                continue
            try:
                target, twin = (one.resolver(node.base).lookup(reference).contents for one in registries)
            except (PointerToNowhere, NoSuchAnchor, InvalidAnchor, TypeError):
                walk.fault("bad_schema", keyword, f"{reference[:80]!r} leads nowhere")
                continue
            except (Unresolvable, ValueError):
                walk.fault("external_ref", keyword, f"{reference[:80]!r} leads out of the tool's own schema")
                continue
            if isinstance(target, dict) and id(target) not in known:
                target = twin
                if id(twin) not in known:
                    visited = len(walk.nodes)
                    walk.visit(twin, reference[:80], node.base)
                    known.update(id(one.schema) for one in walk.nodes[visited:])
            if not isinstance(target, dict | bool):
                walk.fault("bad_schema", keyword, f"{reference[:80]!r} leads to no schema")
                continue
            links.targets.setdefault(id(node.schema), []).append(target)


def _registry(root: Schema) -> Registry[Any]:
    """A registry of one document, under its own name too; it fetches nothing."""
    resource = DRAFT202012.create_resource(root)
    registry: Registry[Any] = Registry().with_resource("", resource)
    own = root.get("$id")
    return (registry.with_resource(own, resource) if isinstance(own, str) else registry).crawl()


def _order(walk: Walk, links: Links) -> None:
    """Fill `inner_first`, or note a `ref_cycle`: references that come back to themselves and consume nothing."""
    done: set[int] = set()
    for node in walk.nodes:
        if id(node.schema) in done:
            continue
        open_nodes = {id(node.schema)}
        path = [(node.schema, links.in_place(node.schema))]
        while path:
            schema, rest = path[-1]
            inner = next(rest, None)
            if inner is None:
                path.pop()
                open_nodes.discard(id(schema))
                done.add(id(schema))
                links.inner_first.append(schema)
            elif id(inner) in open_nodes:
                walk.fault("ref_cycle", "$ref", "a schema refers to itself without consuming anything")
                return
            elif id(inner) not in done:
                open_nodes.add(id(inner))
                path.append((inner, links.in_place(inner)))
