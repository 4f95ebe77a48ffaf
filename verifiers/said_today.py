"""Days that a text says only because it gives the day it is asked on (RULES G3, last sentence).

In: a folded text and the `Moments` read from it. Out: the days it says besides, by `today is 2026-03-02`: a day without
its year, `tomorrow`, a weekday, `in 3 days`. Where words have two readings (`next Friday`), both are said.
Not promised: weeks, months and years counted from there; two different days called today.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import regex

from verifiers.said_dates import Day, Moments, exists, names

_WEEKDAYS = names("days")
_WEEKDAY = rf"(?:{'|'.join(name for name in _WEEKDAYS if len(name) > 3)})"
_TODAY = regex.compile(
    r"\b(?:today(?:'s date)?|now|asked on|"
    r"(?:(?:the|current|present|reference)[ -])+(?:date|day|time|datetime)(?: and time)?)"
    rf"(?: is| =|:)?+(?: now)?+ (?:{_WEEKDAY},? )?(?:the )?$"
)
_RELATIVE = regex.compile(
    r"\b(?P<plain>day after tomorrow|day before yesterday|today|tonight|tomorrow|yesterday)\b"
    r"|\bin (?P<ahead>\d{1,4}) (?P<weeks_ahead>day|week)s?\b|\b(?P<back>\d{1,4}) (?P<weeks_back>day|week)s? ago\b"
    rf"|\b(?:(?P<which>next|last) )?(?P<weekday>{_WEEKDAY})\b"
)
_STEPS = {
    "day before yesterday": -2, "yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1, "day after tomorrow": 2,
}  # fmt: skip


def days_from_today(text: str, said: Moments) -> frozenset[Day]:
    """The days that the text says besides those in `said`."""
    today = next((day for start, _, read in said.places for day in sorted(read) if _is_today(text, start, day)), None)
    if today is None:
        return frozenset()
    now = date(*today)
    days: set[Day] = set()
    for _, month, day in (day for day in said.days if not day[0]):
        this_year = (now.year, month, day)
        days |= {this_year} if this_year >= today else {this_year, (now.year + 1, month, day)}
    for found in _RELATIVE.finditer(text):
        days |= {(day.year, day.month, day.day) for day in _dates(now, _steps(found, now))}
    return frozenset(filter(exists, days))


def _is_today(text: str, start: int, day: Day) -> bool:
    return bool(day[0] and day[2] and _TODAY.search(text[max(0, start - 60) : start]))


def _steps(found: regex.Match[str], now: date) -> set[int]:
    if found["plain"]:
        return {_STEPS[found["plain"]]}
    if found["ahead"]:
        return {int(found["ahead"]) * (7 if found["weeks_ahead"] == "week" else 1)}
    if found["back"]:
        return {-int(found["back"]) * (7 if found["weeks_back"] == "week" else 1)}
    ahead = (_WEEKDAYS[found["weekday"]] - now.weekday() - 1) % 7 + 1
    if found["which"] == "next":
        return {ahead, ahead + 7}
    return {ahead - 7 if ahead < 7 else -7} if found["which"] == "last" else {ahead % 7, ahead}


def _dates(now: date, steps: set[int]) -> Iterator[date]:
    for step in steps:
        try:
            yield now + timedelta(days=step)
        except OverflowError:
            continue
