"""Canonical JSON (RULES J6) and the digests made of it: the one place where an identity is computed.

In: plain JSON values (`data.records.Json`). Out: one text per value, and sha256 digests of such texts.
UTF-8, keys sorted by code point, no spaces, strings and keys in NFC, integers and integral floats in exact decimal
(`-0.0` is `0`), other floats as Python's `repr`. Two values that differ only in what J6 levels (key order, NFC/NFD,
`3` and `3.0`, tuple and list) have one text; text forms are not kept.
Not promised: reading JSON, or rules of size. What has no canonical form is refused by name and place, never changed.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import orjson
import re2

from data.errors import StoreError
from data.records import Json, Message

MAX_DEPTH = 254
"""Levels of nesting that canonical JSON takes (orjson's limit); RULES J3 lets 64 through, a task's layers on top."""

_Plain: TypeAlias = None | bool | int | float | str | orjson.Fragment | list["_Plain"] | dict[str, "_Plain"]

_SUSPECT = re2.compile(rb"(?:^|[:,\[])(?:null|-?[0-9]+[.e])|\\u0000")
"""What orjson's own text may hide: NaN (printed as null), floats in another notation, U+0000.

It may also fire on the inside of a string; then the careful way decides.
"""


class CanonicalError(StoreError, ValueError):
    """A value without canonical JSON: NaN, infinity, a lone surrogate, U+0000, a key that is no string or twice there.

    `reason` says what is wrong, `place` where, as a path from the root `$`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason, hint="refuse the value, or escape it, before it is stored or digested")
        self.reason = reason
        self._steps: list[str] = []

    @property
    def place(self) -> str:
        return "$" + "".join(reversed(self._steps))

    def inside(self, step: str) -> CanonicalError:
        """Add the container's step on the way out; returns itself."""
        self._steps.append(step)
        self.message = f"{self.reason} at {self.place}"
        return self


def canonical_text(text: str) -> str:
    """NFC of `text`; raises `CanonicalError` for U+0000 and lone surrogates (RULES J4)."""
    if "\0" in text:
        raise CanonicalError("U+0000 in a string")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise CanonicalError(f"lone surrogate U+{code:04X} in a string") from None
    return unicodedata.normalize("NFC", text)


def canonical_bytes(value: Json) -> bytes:
    """`canonical_json` as UTF-8, which is what gets hashed."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        if not _SUSPECT.search(text) and (text.isascii() or unicodedata.is_normalized("NFC", text.decode())):
            return text
    except orjson.JSONEncodeError:
        pass  # The careful way takes it, or says what is wrong with it.
    return orjson.dumps(_plain(value, MAX_DEPTH), option=orjson.OPT_SORT_KEYS)


def canonical_json(value: Json) -> str:
    """The one text of a JSON value (RULES J6); raises `CanonicalError` where there is none."""
    return canonical_bytes(value).decode()


def digest(value: Json) -> str:
    """sha256 (64 hex digits) of the canonical JSON of `value`."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def messages_json(messages: Sequence[Message]) -> list[Json]:
    """Messages as JSON: a list of `{"role", "content"}` objects."""
    return [{"role": message.role, "content": message.content} for message in messages]


def task_id(
    messages: Sequence[Message],
    tools: Json | bytes,
    calls: Json,
    accept: Json = None,
    may_omit: Json = None,
    world: Json = None,
    implementations: Json = None,
) -> str:
    """Identity of a task by its content, all in normal form (CONTRACT, `task_id`).

    The digest of one object with these seven keys. What a task lacks enters as null; an empty `accept` or `may_omit`
    says as much as none and enters as null too. An empty `world` is a world, and stays. Tools that many tasks share may
    come as their canonical JSON, made once.
    """
    text = b'{"accept":%s,"calls":%s,"implementations":%s,"may_omit":%s,"messages":%s,"tools":%s,"world":%s}' % (
        _part(accept or None),
        _part(calls),
        _part(implementations),
        _part(may_omit or None),
        _messages(messages),
        _part(tools),
        _part(world),
    )
    return hashlib.sha256(text).hexdigest()


def _part(value: Json | bytes) -> bytes:
    """One part of a task. Part by part, for a null would send the whole object the slow way."""
    return b"null" if value is None else value if isinstance(value, bytes) else canonical_bytes(value)


def _messages(messages: Sequence[Message]) -> bytes:
    """Canonical messages. They hold texts alone: of what `_SUSPECT` looks for, nothing but U+0000 can stand in them."""
    listed = messages_json(messages)
    try:
        text = orjson.dumps(listed, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return canonical_bytes(listed)
    return text if text.isascii() and b"\\u0000" not in text else canonical_bytes(listed)


def _plain(value: object, depth: int) -> _Plain:
    """The value as orjson prints it canonically; numbers it would print otherwise become fragments."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return canonical_text(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _float(value)
    if not isinstance(value, (Mapping, list, tuple)):
        raise CanonicalError(f"a {type(value).__name__} is not JSON")
    if depth == 0:
        raise CanonicalError(f"more than {MAX_DEPTH} levels")
    return _object(value, depth - 1) if isinstance(value, Mapping) else _array(value, depth - 1)


def _object(value: Mapping[object, object], depth: int) -> dict[str, _Plain]:
    plain: dict[str, _Plain] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise CanonicalError(f"the key {key!r} is not a string")
        try:
            plain[canonical_text(key)] = _plain(item, depth)
        except CanonicalError as error:
            raise error.inside(f"[{key[:40]!a}]") from None
    if len(plain) < len(value):
        raise CanonicalError("two keys are the same after NFC")
    return plain


def _array(value: Sequence[object], depth: int) -> list[_Plain]:
    plain: list[_Plain] = []
    for place, item in enumerate(value):
        try:
            plain.append(_plain(item, depth))
        except CanonicalError as error:
            raise error.inside(f"[{place}]") from None
    return plain


def _integer(value: int) -> int | orjson.Fragment:
    if -(2**63) <= value < 2**63:
        return int(value)
    try:
        return orjson.Fragment(int.__repr__(value))
    except ValueError:
        raise CanonicalError("an integer of more digits than Python prints") from None


def _float(value: float) -> float | int | orjson.Fragment:
    if not math.isfinite(value):
        raise CanonicalError(f"{value} is not a JSON number")
    if value.is_integer():
        return _integer(int(value))
    # orjson writes small exponents in its own way (1e-7 for 1e-07).
    return float(value) if abs(value) >= 1e-4 else orjson.Fragment(float.__repr__(value))
