"""Strict JSON (RULES J), read quickly where a fast reader provably reads it as the careful one of `answer` does.

In: bytes. Out: the value, or `UNSURE`: then the careful reader decides, and names the fault. orjson reads; what it
takes otherwise than RULES J does is kept from it by three guards:

- one linear pattern over the text: numbers of many digits or with an exponent, minus zero, escapes of ASCII characters,
  white space before a colon;
- a key that stands twice is one that is gone: printed again, the value has fewer `":` than the text had. That counts
  nothing else, for inside a string both write a quote as `\\"` (other escapes are kept out by the pattern);
- outside of ASCII, the text is in NFC, so that no two keys become one, and marks do not stand in long rows.

Not promised: that everything sound is read; a test holds what is read to the careful reader.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Final

import orjson
import re2

UNSURE: Final = object()
_MARKS = re2.compile(r"[\p{M}\x{ff9e}\x{ff9f}]{9}")
_OTHERWISE = re2.compile(rb'[0-9]{16}|(?:^|[:,\[\s])(?:-?[0-9]+\.?[0-9]*[eE]|-0(?:[^.]|$))|\\u00[0-7]|"\s+:')


def quick_json(text: bytes, levels: int, size: int) -> Any:
    """The value of a JSON text of at most `levels` levels and `size` bytes, or `UNSURE`."""
    if len(text) > size or _OTHERWISE.search(text):
        return UNSURE
    deep = text.count(b"[") + text.count(b"{") > levels
    try:
        value = orjson.loads(text)
        written = orjson.dumps(value, option=orjson.OPT_INDENT_2 if deep else None)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return UNSURE
    if written.count(b'":') != text.count(b'":') or (deep and b"\n" + b"  " * (levels - 1) in written):
        return UNSURE
    if text.isascii() and b"\\u" not in text:
        return value
    spelt = written.decode()
    return value if not _MARKS.search(spelt) and unicodedata.is_normalized("NFC", spelt) else UNSURE
