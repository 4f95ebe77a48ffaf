"""The menu: a list of tools in any shape, normalised and ready to check arguments (RULES M).

In: the value of `tools`. Out: a `Menu`, or the `Verdict` of the first rule that is broken, in the order of the rules.
The same tool occurs in many menus: what was read is kept, by the text of the tool.
Not promised: that strings are valid Unicode or numbers small (RULES J; whoever parsed the text saw to it).
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest
from typing import Any, NamedTuple

import orjson

from data.canonical import CanonicalError, canonical_bytes
from data.records import Json, JsonObject, Verdict
from verifiers.schema_compile import compile_schema
from verifiers.schema_engine import Cause, causes, first_cause
from verifiers.schema_normal import MAX_NODES, Budget, Fault, Schema, Walk
from verifiers.schema_quick import Test, quick_test
from verifiers.schema_refs import link
from verifiers.schema_shapes import Tool, read_tool
from verifiers.tool_facts import ToolFacts

MAX_LEVELS = 64
_MAX_KEPT, _MAX_TOOL, _MAX_MENUS, _MAX_FAULTS = 32 * 1024, 8 * 1024, 1024, 100
_TOO_DEEP = Verdict("format", "too_large", f"tools of more than {MAX_LEVELS} levels")
_CODES = (
    "too_large",
    *("not_a_list", "empty_menu", "bad_tool", "duplicate_tool", "unknown_type", "bad_schema", "external_ref"),
    *("ref_cycle", "undeclared_required", "unsupported_pattern"),
)
"""In the order of the rules; the first that is broken decides."""


@dataclass(frozen=True, slots=True)
class Validator:
    """Checks arguments against one tool's parameters."""

    compiled: object
    accepts: Test = field(repr=False)
    """True: the arguments fit, and no reference stands in them. False says nothing."""

    def first_cause(self, arguments: object, *, references: bool = False) -> Cause | None:
        """Why arguments do not fit (RULES C4), or None. `references`: whether any `Reference` stands in them."""
        return first_cause(self.compiled, arguments, references=references)

    def causes(self, arguments: object, *, references: bool = False, most: int = 100) -> list[Cause]:
        """Every reason why arguments do not fit, the first cause first; at most `most`."""
        return causes(self.compiled, arguments, references=references, most=most)


class _Entry(NamedTuple):
    """What a menu has of a tool."""

    tool: JsonObject
    validator: Validator
    facts: ToolFacts


@dataclass(frozen=True, slots=True)
class Menu:
    """Normalised tools, `{"name", "description", "parameters"}` each; nobody may change them in place."""

    tools: tuple[JsonObject, ...]
    _by_name: Mapping[str, _Entry] = field(repr=False, compare=False)
    _canonical: bytes | None = field(default=None, repr=False, compare=False)

    @property
    def canonical(self) -> bytes:
        """The canonical JSON of the tools, which for known ones is made already."""
        return canonical_bytes(self.tools) if self._canonical is None else self._canonical

    def tool(self, name: str) -> JsonObject | None:
        """The tool of that name, or None."""
        found = self._by_name.get(name)
        return found.tool if found else None

    def validator(self, name: str) -> Validator:
        """The check of that tool's arguments; raises `KeyError` for a name that is not in the menu."""
        return self._by_name[name].validator

    def accepts(self, name: str, arguments: JsonObject) -> bool:
        """True: the tool is here, its arguments fit, and no reference stands in them. False says nothing."""
        found = self._by_name.get(name)
        return found is not None and found.validator.accepts(arguments)

    def facts(self, name: str) -> ToolFacts:
        """What determinacy asks of that tool; raises `KeyError` for a name that is not in the menu."""
        return self._by_name[name].facts


def read_menu(tools: Json) -> Menu | Verdict:
    """Read a list of tools (RULES M1-M9): a `Menu`, or a `Verdict` of check `menu` with the code of the rule.

    More than 64 levels (RULES J3) or 15,000 schemas: check `format`, code `too_large`.
    """
    read = read_tools(tools)
    return read if isinstance(read, Menu) else read[0]


def read_tools(tools: Json) -> Menu | tuple[Verdict, ...]:
    """As `read_menu`, with every fault there is, the one that decides first; of very many, a hundred."""
    quick = _known_menu(tools)
    if quick is not None:
        return quick
    try:
        text = json.dumps(tools, ensure_ascii=False)
    except RecursionError:
        return (_TOO_DEEP,)
    return _kept(text) if len(text) <= _MAX_KEPT else _read(text)


class _Known(NamedTuple):
    """One sound tool: its place in any menu, and what it takes of a menu's budget."""

    name: str
    entry: _Entry
    canonical: bytes
    budget: Budget


_menus: dict[bytes, Menu] = {}
"""Sound menus by their text, the last few, none of them long."""


def _known_menu(tools: Json) -> Menu | None:
    """A menu that came before, or is made of tools that are each sound and short; None where that does not decide."""
    if not isinstance(tools, list) or not tools:
        return None
    try:
        text = orjson.dumps(tools)
    except orjson.JSONEncodeError:
        return None
    menu = _menus.get(text)
    if menu is None and b"null" not in text:  # null may be a NaN
        menu = _composed(tools)
        if menu is not None and len(text) <= _MAX_TOOL:
            if len(_menus) >= _MAX_MENUS:
                _menus.clear()
            _menus[text] = menu
    return menu


def _composed(tools: list[Json]) -> Menu | None:
    """The menu of tools that are each sound and known by their text."""
    texts = [orjson.dumps(tool) for tool in tools]
    if max(map(len, texts)) > _MAX_TOOL:
        return None
    found = [_known(text) for text in texts]
    known = [one for one in found if one is not None]
    by_name = {one.name: one.entry for one in known}
    room = Budget(sum(one.budget.nodes for one in known), sum(one.budget.program for one in known))
    if len({_spelt(name) for name in by_name}) < len(tools) or not room.suffices():
        return None
    canonical = b"[%s]" % b",".join(one.canonical for one in known)
    return Menu(tuple(one.entry.tool for one in known), by_name, canonical)


@lru_cache(maxsize=4096)
def _known(text: bytes) -> _Known | None:
    """A tool by its text; None for one that is not sound."""
    tool = orjson.loads(text)
    budget = Budget()
    deep = text.count(b"{") + text.count(b"[") >= MAX_LEVELS and _too_deep([tool])
    read = None if deep else read_tool(tool)
    if not isinstance(read, Tool):
        return None
    validator, faults = _compile(read, budget)
    if faults:
        return None
    normal = _normal(read)
    try:
        return _Known(read.name, _Entry(normal, validator, ToolFacts(normal)), canonical_bytes(normal), budget)
    except CanonicalError:
        return None


def _spelt(name: str) -> str:
    """A name as it is stored (RULES J6): two that become one there are one here."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _normal(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _too_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_LEVELS + 1):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return False
    return True


def _inner(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        yield from (item for item in value.values() if isinstance(item, Mapping | list | tuple))
    elif isinstance(value, list | tuple):
        yield from (item for item in value if isinstance(item, Mapping | list | tuple))


def _read(text: str) -> Menu | tuple[Verdict, ...]:
    tools = json.loads(text)
    if _too_deep(tools):
        return (_TOO_DEEP,)
    if not isinstance(tools, list):
        return (Verdict("menu", "not_a_list", "tools must be a list"),)
    if not tools:
        return (Verdict("menu", "empty_menu", "there are no tools"),)
    faults: list[Fault] = []
    budget = Budget()
    by_name: dict[str, _Entry] = {}
    names: set[str] = set()
    for place, tool in enumerate(tools, 1):
        read = read_tool(tool)
        if isinstance(read, Fault):
            faults.append(Fault(read.code, f"tool {place}: {read.detail}"))
            continue
        if (spelt := _spelt(read.name)) in names:
            faults.append(Fault("duplicate_tool", f"two tools are called {read.name!r}"))
            continue
        validator, found = _compile(read, budget)
        faults += [Fault(fault.code, f"tool {read.name!r}: {fault.detail}") for fault in found]
        names.add(spelt)
        tool = _normal(read)
        by_name[read.name] = _Entry(tool, validator, ToolFacts(tool))
    if faults:
        listed = nsmallest(_MAX_FAULTS, faults, key=lambda fault: _CODES.index(fault.code))
        return tuple(
            Verdict("format" if fault.code == "too_large" else "menu", fault.code, fault.detail[:500])
            for fault in listed
        )
    return Menu(tuple(entry.tool for entry in by_name.values()), by_name)


_kept = lru_cache(maxsize=256)(_read)


def _compile(tool: Tool, budget: Budget) -> tuple[Validator, list[Fault]]:
    """The check of a tool's arguments; its parameters are normalised in place."""
    never: Schema = {"not": {}}
    walk = Walk(tool.flat, budget)
    walk.visit(tool.parameters, "parameters")
    if budget.nodes > MAX_NODES or any(fault.code != "unsupported_pattern" for fault in walk.faults):
        return Validator(never, quick_test(False)), walk.faults
    links = link(tool.parameters, walk)
    if walk.faults:
        return Validator(never, quick_test(False)), walk.faults
    compiled, faults = compile_schema(tool.parameters, links)
    return Validator(compiled, quick_test(compiled)), faults
