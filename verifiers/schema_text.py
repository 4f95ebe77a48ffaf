"""What a schema says of texts: `pattern` in linear time (RULES M8) and the three asserted formats (M9).

In: a pattern of ECMA-262 as models write it, or a text and the name of a format. Out: an RE2 pattern; yes or no.
Not promised: every detail of ECMA-262 (`\\s` and `\\w` are ASCII), and formats other than `date`, `date-time`, `time`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import Protocol

import re2


class Pattern(Protocol):
    """A compiled RE2 pattern; `programsize` says how much room its program takes."""

    programsize: int

    def search(self, text: str) -> object | None: ...


class UnsupportedPattern(ValueError):
    """A pattern that RE2 cannot say: look-around, back-references, or a program beyond its limit of 8 MiB."""


_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_MAX_GROUPS = 1_000
"""RE2 takes time quadratic in how deep groups nest."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    """RE2's form of a pattern; raises `UnsupportedPattern`."""
    if text.count("(") > _MAX_GROUPS:
        raise UnsupportedPattern(f"more than {_MAX_GROUPS} groups")
    try:
        pattern: Pattern = re2.compile(_ESCAPE.sub(_escape, text), _OPTIONS)
    except re2.error as fault:
        raise UnsupportedPattern(fault.args[0].decode(errors="replace")) from None  # RE2's own words, in bytes
    return pattern


def _escape(found: re.Match[str]) -> str:
    """RE2 writes `\\uXXXX` in another way."""
    return f"\\x{{{found[1]}}}" if found[1] else found[0]


_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?([zZ]|[+-][0-9]{2}:[0-9]{2})?")


def is_date(text: str) -> bool:
    """RFC 3339 `full-date`, a day of the calendar."""
    found = _DATE.fullmatch(text)
    if not found:
        return False
    try:
        # The year 0000 is one of RFC 3339 and a leap year, but none of Python's.
        date(int(found[1]) or 2000, int(found[2]), int(found[3]))
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """RFC 3339 `full-time`, whose seconds and offset may be left out."""
    found = _TIME.fullmatch(text)
    if not found:
        return False
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    offset = _minutes(found[4] or "Z")
    if hour > 23 or minute > 59 or offset is None:
        return False
    leap = second == 60 and (hour * 60 + minute - offset) % 1440 == 1439
    return second < 60 or leap


def is_date_time(text: str) -> bool:
    """RFC 3339 `date-time`, whose offset may be left out."""
    day, clock = text[:10], text[11:]
    return text[10:11] in ("T", "t") and is_date(day) and clock[5:6] == ":" and is_time(clock)


FORMATS: dict[str, Callable[[str], bool]] = {"date": is_date, "time": is_time, "date-time": is_date_time}
"""The formats that are asserted; all others are annotations."""


def _minutes(offset: str) -> int | None:
    """Minutes east of UTC, or None for a time zone that cannot be."""
    if offset in "zZ":
        return 0
    hours, minutes = int(offset[1:3]), int(offset[4:])
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (1 if offset[0] == "+" else -1)
