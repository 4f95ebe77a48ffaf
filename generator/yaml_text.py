"""YAML read as JSON data, safely: the core schema of YAML 1.2, one document, every cost bounded.

In: text. Out: a JSON value. `on`, `yes`, `12:30`, `2026-01-05`, `.inf` stay text, as they do in YAML 1.2; keys are the
text as it stands (`200` is `"200"`); `<<` merges. `YamlFault` says what is wrong and in which line: a key that stands
twice, a tag that means an object of some language, an alias to what is around it, or a document that aliases make
larger than `MAX_NODES` values or `MAX_LEVELS` levels (a "billion laughs"). Nothing is constructed but JSON types.
Not promised: the order of merged keys. Aliased values are shared, so nobody may change them in place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from data.records import Json

MAX_NODES: Final = 2_000_000
MAX_LEVELS: Final = 200
_CORE: Final = "tag:yaml.org,2002:"
_NULL: Final = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT: Final = re.compile(r"[-+]?[0-9]{1,1000}")
_BASED: Final = re.compile(r"0o[0-7]{1,300}|0x[0-9a-fA-F]{1,300}")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]{1,400}|[0-9]{1,400}(?:\.[0-9]{0,400})?)(?:[eE][-+]?[0-9]{1,3})?")
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlFault(ValueError):
    """Why a text is no YAML document that can be read as JSON."""


@dataclass(slots=True)
class _Read:
    """A value with what it weighs: its nodes, aliased ones counted as often as they stand, and its levels."""

    value: Json
    nodes: int = 1
    levels: int = 0


@dataclass(slots=True)
class _Open:
    """A list or mapping that has not ended; `key` is what the next value of a mapping is called."""

    into: Any
    anchor: str | None
    nodes: int = 1
    levels: int = 1
    key: str | None = None
    merged: list[Json] = field(default_factory=list)


def read_yaml(text: str) -> Json:
    """The one document of `text`; raises `YamlFault`."""
    try:
        return _Reader().read(text)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise YamlFault(f"{fault.problem or fault.context}{_line(mark)}") from fault
    except yaml.YAMLError as fault:
        raise YamlFault(" ".join(str(fault).split())[:200]) from fault


class _Reader:
    """Builds the value from the parser's events, without recursion."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._anchors: dict[str, _Read | None] = {}
        self._result: _Read | None = None

    def read(self, text: str) -> Json:
        documents = 0
        for event in yaml.parse(text, Loader=_LOADER):
            match event:
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise YamlFault(f"there is more than one document{_line(event.start_mark)}")
                case yaml.AliasEvent():
                    self._place(self._aliased(event), event)
                case yaml.ScalarEvent():
                    self._scalar(event)
                case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                    self._begin(event)
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    self._end(event)
        return None if self._result is None else self._result.value

    def _begin(self, event: Any) -> None:
        mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", _CORE + ("map" if mapping else "seq")):
            raise YamlFault(f"the tag {event.tag!r} is not read{_line(event.start_mark)}")
        if self._open and isinstance(self._open[-1].into, dict) and self._open[-1].key is None:
            raise YamlFault(f"a key is a list or a mapping{_line(event.start_mark)}")
        if event.anchor:
            self._anchors[event.anchor] = None
        self._open.append(_Open({} if mapping else [], event.anchor))
        if len(self._open) > MAX_LEVELS:
            raise YamlFault(f"more than {MAX_LEVELS} levels{_line(event.start_mark)}")

    def _end(self, event: Any) -> None:
        done = self._open.pop()
        for source in done.merged:
            for part in source if isinstance(source, list) else [source]:
                if not isinstance(part, dict):
                    raise YamlFault(f"`<<` takes mappings{_line(event.start_mark)}")
                for key, value in part.items():
                    done.into.setdefault(key, value)
        read = _Read(done.into, done.nodes, done.levels)
        if done.anchor:
            self._anchors[done.anchor] = read
        self._place(read, event)

    def _scalar(self, event: Any) -> None:
        parent = self._open[-1] if self._open else None
        if parent is not None and isinstance(parent.into, dict) and parent.key is None:
            if event.anchor:
                self._anchors[event.anchor] = _Read(event.value)
            self._name(parent, event.value, event)
            return
        read = _Read(_value(event))
        if event.anchor:
            self._anchors[event.anchor] = read
        self._place(read, event)

    def _name(self, parent: _Open, key: str, event: Any) -> None:
        if key in parent.into:
            raise YamlFault(f"the key {key[:80]!r} stands twice{_line(event.start_mark)}")
        parent.key = key

    def _aliased(self, event: Any) -> _Read:
        if event.anchor not in self._anchors:
            raise YamlFault(f"the alias *{event.anchor} is to nothing{_line(event.start_mark)}")
        read = self._anchors[event.anchor]
        if read is None:
            raise YamlFault(f"the alias *{event.anchor} is to what is around it{_line(event.start_mark)}")
        return read

    def _place(self, read: _Read, event: Any) -> None:
        """Put a finished value where it belongs."""
        if not self._open:
            self._result = read
            return
        parent = self._open[-1]
        parent.nodes += read.nodes
        parent.levels = max(parent.levels, read.levels + 1)
        if parent.nodes > MAX_NODES or len(self._open) + read.levels > MAX_LEVELS:
            raise YamlFault(f"aliases make the document too large{_line(event.start_mark)}")
        if isinstance(parent.into, list):
            parent.into.append(read.value)
        elif parent.key is None:
            if not isinstance(read.value, str):
                raise YamlFault(f"a key is no text{_line(event.start_mark)}")
            self._name(parent, read.value, event)
        else:
            if parent.key == "<<" and isinstance(read.value, (dict, list)):
                parent.merged.append(read.value)
            else:
                parent.into[parent.key] = read.value
            parent.key = None


def _value(event: Any) -> Json:
    """A scalar by its tag, or, if it is plain, by the core schema."""
    tag, text = event.tag, str(event.value)
    if tag in ("!", f"{_CORE}str") or (tag is None and not event.implicit[0]):
        return text
    if tag is not None and tag not in (f"{_CORE}{name}" for name in ("null", "bool", "int", "float", "timestamp")):
        raise YamlFault(f"the tag {tag!r} is not read{_line(event.start_mark)}")
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return text if number in (float("inf"), float("-inf")) else number
    return text


def _line(mark: Any) -> str:
    return f" (line {mark.line + 1})" if mark is not None else ""
