"""API keys and passwords that public benchmarks carry, masked before anything is asked, logged or stored.

In: the turns and gold calls of a row. Out: the same with each value that looks like a key replaced by a placeholder,
the same one wherever it stands, so that the row stays answerable. A value is taken for a key by the name of its
argument, or by being long and of letters and digits without a word in it; never a text with spaces. Not promised: that
every key is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from data.records import Message
from verifiers.calls import rewritten

_NAME = re.compile(r"(api|access|secret|private|auth)[_-]?(key|token)|^(app_?id|secret|password|passwd)$", re.I)
_MAYBE = re.compile(r"^(key|token)$", re.I)
"""Names that also stand for keys of music, of tables, and for words."""
_SHORTEST_NAMED, _SHORTEST = 6, 20
_KEY = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_-]+")
_WORD = re.compile(r"[A-Za-z]{7,}")


def masked(messages: Sequence[Message], calls: Any, accept: Any = None) -> tuple[Sequence[Message], Any, Any]:
    """Turns, calls and alternatives without keys. Nothing is copied where there are none."""
    found = sorted({value for part in (calls, accept) for name, value in _texts(part) if _secret(name, value)})
    if not found:
        return messages, calls, accept
    instead = {value: f"MASKED-KEY-{place}" for place, value in enumerate(found, 1)}

    def cover(text: str) -> str:
        for value, placeholder in sorted(instead.items(), key=lambda pair: -len(pair[0])):
            text = text.replace(value, placeholder)
        return text

    turns = [Message(turn.role, cover(turn.content)) for turn in messages]

    def replaced(text: str) -> str:
        return instead.get(text, text)

    return turns, rewritten(calls, replaced), rewritten(accept, replaced)


def _secret(name: str, value: str) -> bool:
    if len(value) < _SHORTEST_NAMED or " " in value:
        return False
    if _NAME.search(name):
        return True
    keylike = _KEY.fullmatch(value) is not None
    return keylike and (_MAYBE.search(name) is not None or (len(value) >= _SHORTEST and not _WORD.search(value)))


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value, with the name of the argument it stands in."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, name)
