"""Which days and times a text says (RULES G3), and the text without them: a number is not said by a part of one.

In: a folded text (`said_text.fold`). Out: `Moments`. A day in figures (`3/5/2026`) is said in either reading.
What is not said is not filled in, unless the text gives the day it is asked on (`said_today`).
Not promised: half past seven, seasons, holidays, years of two digits, other calendars.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import regex
from babel import Locale

from verifiers.said_text import any_of, letters

Day = tuple[int, int, int]
"""Year, month, day; the year is 0 where it is not said, the day is 0 where a month is."""
Time = tuple[int, int, int, str]
"""Hour, minute, second, and the digits of a fraction without trailing zeros."""


def names(table: str) -> dict[str, int]:
    """English names of `months` or `days` (CLDR), folded, with their numbers."""
    forms = getattr(Locale("en"), table)["format"]
    return {str(name).casefold(): number for width in ("wide", "abbreviated") for number, name in forms[width].items()}


MONTHS = names("months") | {"sept": 9}
_MONTH = any_of(MONTHS)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_END = r"(?!\w|[-/.:]\w)"
_MOMENT = regex.compile(
    rf"""
    (?: (?<!\w|\w[.:/@-]) | (?<=\d\dt) | (?<=\d:\d\d[-–]) ) (?: (?=\d|the[ ]\d) (?:
      (?P<iso>\d{{4}}([-/.])\d{{1,2}}\2\d{{1,2}}) (?: t(?=\d\d:) | {_END} )
    | (?P<figures>\d{{1,2}}([-/.])\d{{1,2}}\4\d{{4}}) {_END}
    | (?P<cjk>\d{{4}}年\d{{1,2}}月\d{{1,2}}[日号])
    | (?P<year_first>\d{{4}},?[ ]{_MONTH}\.?[ ]{_DAY}\b)
    | (?P<day_first>(?:the[ ])?{_DAY}[ -](?:day[ ])?(?:of[ ])?{_MONTH}\b(?:\.?(?:,?[ ]|,|-)\d{{4}}\b)?)
    | (?P<year_month>\d{{4}}-(?:0[1-9]|1[0-2])) {_END}
    | (?P<month_figures>(?:0[1-9]|1[0-2])[-/]\d{{4}}) {_END}
    | (?P<time>
        (?: \d{{1,2}}:\d\d(?::\d\d(?:[.,]\d{{1,9}})?)? (?![:\d]) | \d{{1,2}}(?=[ ]?(?:[ap]\.?m\b|in[ ]the[ ][mae])) )
        (?: [ ]?(?:[ap]m\b|[ap]\.m\b\.?|in[ ]the[ ](?:morning|afternoon|evening)\b) )?
        (?P<offset> z\b | [ ]?\(?(?:utc|gmt)\b(?:[ ]?[+−-]\d{{1,2}}(?::?\d\d)?\b)?\)?
          | (?:(?<=t\d\d:\d\d)|(?<=:\d\d:\d\d)|(?<=\.\d{{1,9}}))[+−-]\d\d:?\d\d\b )?
      )
    | (?P<vague>\d{{1,2}}[ ]?o'clock\b)
    ) | (?=[adfhjmnos]) (?:
      (?P<month_first>{_MONTH}(?:\.?[ ](?:the[ ])?|\.){_DAY}\b(?:(?:,?[ ]|,|[ ]of[ ])\d{{4}}\b)?)
    | (?P<month_year>{_MONTH}\b\.?(?:,?[ ]|,|[ ]of[ ])\d{{4}}\b)
    | (?P<vague>half[ ]past[ ]\w+)
    | (?P<named>noon|midday|midnight)\b
    ) )
    """,
    regex.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_HINT = re.compile(r"\d(?::\d\d| ?[ap]\.?m\b| ?in the |[-/.]\d{1,2}[-/.]\d|\d{3}-[01]\d|\d[-/]\d{4})")
_HINT_MONTHS = frozenset((*MONTHS, *(f"t{name}" for name in MONTHS)))
_HINT_WORDS = frozenset(("noon", "midday", "midnight", "tnoon", "tmidday", "tmidnight", "clock", "past"))
_BESIDE = regex.compile(r"[\s,]++|\bat\b|\bon\b|\b[a-z]+day\b")
_UTC = regex.compile(r"\b(?:utc|gmt)\b(?! ?[+−-]\d)")


@dataclass(frozen=True, slots=True)
class Moments:
    """What a text says of days, times, and offsets from UTC in minutes.

    `places`: the days by where their words begin and end; `rest`: the text without any of it, `alone`: and nothing else
    stood there.
    """

    days: frozenset[Day]
    times: frozenset[Time]
    offsets: frozenset[int]
    places: tuple[tuple[int, int, frozenset[Day]], ...]
    rest: str
    alone: bool

    def says(self, value: Moments) -> bool:
        """Whether a value that is a moment is said: of an ambiguous one, any reading."""
        return (
            (not value.days or bool(value.days & self.days))
            and (not value.times or bool(value.times & self.times))
            and value.offsets <= self.offsets
        )


def moments(text: str, known: frozenset[str] | None = None) -> Moments:
    """Read a folded text. `known`: its `letters`, where they are known."""
    if not _hinted(text, letters(text) if known is None else known):
        return Moments(frozenset(), frozenset(), frozenset(), (), text, False)
    days: set[Day] = set()
    times: set[Time] = set()
    offsets: set[int] = set()
    places: list[tuple[int, int, frozenset[Day]]] = []
    pieces: list[str] = []
    done = 0
    for found in _MOMENT.finditer(text):
        kind, words = str(found.lastgroup), found[0]
        start, end = found.span()
        if kind in ("time", "named"):
            offset = found["offset"] or ""
            time = _time(words.removesuffix(offset))
            if time is None:
                continue
            times.add(time)
            if offset:
                offsets.add(_offset(offset))
        elif kind != "vague":
            read = _days(kind, words)
            if not read:
                continue
            days |= read
            places.append((start, end, read))
            if "may" in words and kind.endswith("first") and not words[-4:].isdecimal():
                continue  # "may 5 people come": a month or not, 5 is said
        pieces += text[done:start], " "
        done = end
    rest = "".join(pieces) + text[done:]
    if times and _UTC.search(rest):
        offsets.add(0)
    alone = bool(days or times) and len(rest) < 100 and not _BESIDE.sub("", rest)
    return Moments(frozenset(days), frozenset(times), frozenset(offsets), tuple(places), rest, alone)


def _hinted(text: str, words: frozenset[str]) -> bool:
    """Whether a moment may stand in the text: no kind of it is without one of these."""
    if not _HINT_WORDS.isdisjoint(words) or (not text.isascii() and "年" in text):
        return True
    return _DIGIT.search(text) is not None and (not _HINT_MONTHS.isdisjoint(words) or _HINT.search(text) is not None)


@lru_cache(maxsize=4096)
def _days(kind: str, words: str) -> frozenset[Day]:
    """The readings of a day, those that exist."""
    figures = [int(part) for part in regex.findall(r"\d+", words)]
    month = next((MONTHS[name] for name in regex.findall(r"[a-z]+", words) if name in MONTHS), 0)
    if kind == "year_month":
        return frozenset({(figures[0], figures[1], 0)})
    if kind == "month_figures":
        return frozenset({(figures[1], figures[0], 0)})
    if kind == "month_year":
        return frozenset({(figures[0], month, 0)})
    if kind in ("iso", "cjk"):
        readings = [(figures[0], figures[1], figures[2])]
    elif kind == "figures":
        readings = [(figures[2], figures[1], figures[0]), (figures[2], figures[0], figures[1])]
    elif kind == "year_first":
        readings = [(figures[0], month, figures[1])]
    else:
        readings = [(figures[1] if len(figures) > 1 else 0, month, figures[0])]
    return frozenset(filter(exists, readings))


def exists(day: Day) -> bool:
    """Whether the calendar has that day, in some year where the year is not said."""
    try:
        date(day[0] or 2000, day[1], day[2])
    except ValueError:
        return False
    return True


@lru_cache(maxsize=4096)
def _time(words: str) -> Time | None:
    if words in ("noon", "midday"):
        return (12, 0, 0, "")
    if words == "midnight":
        return (0, 0, 0, "")
    hour, minute, second, fraction = [*regex.findall(r"\d+", words), "0", "0", "0"][:4]
    if ":" in words and words.count(":") == 1:
        second = fraction = "0"
    read = int(hour), int(minute), int(second)
    half = regex.search(r"([ap])\.?m|in the ([mae])", words)
    if half:
        if not 1 <= read[0] <= 12:
            return None
        read = (read[0] % 12 + (0 if (half[1] or half[2]) in "m" + "a" * bool(half[1]) else 12), *read[1:])
    return (*read, fraction.rstrip("0")) if read[0] < 24 and read[1] < 60 and read[2] <= 60 else None


def _offset(words: str) -> int:
    digits = regex.sub(r"\D", "", words) or "0"
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    return (int(hours) * 60 + int(minutes)) * (1 if "+" in words else -1)
