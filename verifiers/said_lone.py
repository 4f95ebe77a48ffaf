"""A quick yes to a number that stands alone among plain words: what comes before the readings of `said`.

In: a folded ASCII text and a number. Out: True where its figures stand as a token of their own, and no word beside them
can make them part of a date, a time, a fraction or another number. False means nothing: then the text is read.
Not promised: that every such number gets a True. A test holds each True to the reading.
"""

from __future__ import annotations

import re

from verifiers.said_dates import MONTHS
from verifiers.said_numbers import SCALE_WORDS
from verifiers.said_words import KNOWN

_AROUND = 48
_JOINTS = frozenset(("the", "of"))
"""Words that may stand between a month and its figures."""
_CHANGED_AFTER = KNOWN.union(MONTHS, SCALE_WORDS, ("minus", "negative", "past", "half"))
_CHANGED_BEFORE = "|".join(
    sorted(KNOWN.union(MONTHS, SCALE_WORDS, ("and a half", "o'clock", "in the", "of", "day", "below", "am", "pm")))
)
_DEGREES = "degrees?|celsius|fahrenheit"
_AFTER = re.compile(rf"[.,?!]?(?:\Z| (?!(?:{_CHANGED_BEFORE}|{_DEGREES})(?![a-z])|[ap]\.)[a-z])")


def stands_alone(text: str, value: int | float) -> bool:
    """Whether a folded text of ASCII says a number, in the first place where its figures begin a word."""
    if not 0 <= value < 1e15:
        return False
    figures = str(int(value)) if value == int(value) else repr(value)
    start = text.find(f" {figures}") + 1
    if not start or "e" in figures or not _AFTER.match(text, start + len(figures)):
        return False
    since = max(0, start - _AROUND)
    before = text[since:start].split()
    if not before or not before[-1].isalpha() or before[-1] in _CHANGED_AFTER:
        return False
    if before[-1] not in _JOINTS:
        return len(before) > 1 or since == 0
    return len(before) > 2 and before[-2].isalpha() and before[-2] not in _CHANGED_AFTER
