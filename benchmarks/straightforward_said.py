"""Whether a question says a value (RULES G1 to G4), as the straightforward loop asks it.

In: a question. Out: yes or no for each value. Text after NFKC and case folding, between word borders; numbers in digits
with separators, signs, percent and words of scale, and in words by text2num; dates and times in the common forms; codes
by babel's names. What the text as it stands does not say is looked for in the other forms, read when first needed.
Weaker than `verifiers.said`: no other scripts' words and digits, phone numbers and codes are no numbers only by their
borders, no days counted from today.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from functools import cache, cached_property

from babel import Locale
from babel.numbers import get_currency_name
from text_to_num import alpha2digit  # type: ignore[import-untyped]

QUOTES = str.maketrans({"_": " ", "-": " ", "\u2019": "'", "\u2018": "'", "\u201c": "'", "\u201d": "'", '"': "'"})
SCALES = {"k": 10**3, "thousand": 10**3, "m": 10**6, "million": 10**6, "bn": 10**9, "billion": 10**9, "dozen": 12}
MONTHS = {name.lower(): month for month, name in Locale("en").months["format"]["wide"].items()}
MONTHS |= {name.lower(): month for month, name in Locale("en").months["format"]["abbreviated"].items()}
MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
NUMBER = re.compile(
    r"(?<![\w.])([-\u2212]?)[$\u20ac\u00a3]?(\d{1,3}(?:,\d{3})+|\d+)?(\.\d+)?(?<=\d)(e[+-]?\d+)?"
    r"\s?(?:(k|m|bn|thousand|million|billion|dozen)\b|(%|percent\b))?"
)
MINUS = re.compile(r"\b(?:minus|negative) (?=\d)")
DATE = re.compile(
    rf"\b(?:(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}})|(\d{{1,2}})[/.-](\d{{1,2}})[/.-](\d{{4}})"
    rf"|({MONTH})\.? ?(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?,? ?(\d{{4}})"
    rf"|(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})\.?,? ?(\d{{4}}))\b"
)
TIME = re.compile(r"\b(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([ap])\.?m\b)?|\b(\d{1,2}) ?([ap])\.?m\b")
LIKE_A_DATE = re.compile(r"\d.*\d{4}|\d{4}.*\d")


@cache
def codes() -> dict[str, list[str]]:
    """The names that say a code of a country, a currency or a language."""
    english = Locale("en")
    found: dict[str, list[str]] = {}
    for table in (english.territories, english.currencies, english.languages, english.currency_symbols):
        for code, name in table.items():
            found.setdefault(code.upper(), []).append(fold(name))
    for code in map(str, english.currencies):
        found[code].append(fold(get_currency_name(code, 2, locale="en")))
    return found


def fold(text: str) -> str:
    """Text as it is compared."""
    return unicodedata.normalize("NFKC", text).casefold().translate(QUOTES)


def stands(needle: str, text: str) -> bool:
    """Whether it stands in the text in whole words."""
    start = text.find(needle)
    while start >= 0:
        end = start + len(needle)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(needle, start + 1)
    return False


def dates(text: str) -> Iterator[date]:
    """The days said, in either reading."""
    for found in DATE.findall(text):
        year, month, day, one, other, last, name, named_day, named_year, day_first, later, later_year = found
        readings = [(year, month, day), (last, one, other), (last, other, one)]
        readings += [(named_year, MONTHS.get(name), named_day), (later_year, MONTHS.get(later), day_first)]
        for reading in readings:
            if all(reading):
                try:
                    yield date(*map(int, reading))
                except ValueError:
                    continue


def times(text: str) -> Iterator[tuple[int, int]]:
    """The times said, in hours and minutes."""
    for hour, minute, _, half, plain_hour, plain_half in TIME.findall(text):
        read, later = int(hour or plain_hour), half or plain_half
        yield (read % 12 + 12 * (later == "p") if later else read), int(minute or 0)


class Question:
    """One question, ready to be asked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = fold(text)

    @cached_property
    def _lower(self) -> str:
        return unicodedata.normalize("NFKC", self._text).casefold()

    @cached_property
    def _digits(self) -> set[float]:
        return set(self._numbers(self._lower))

    @cached_property
    def _words(self) -> set[float]:
        return set(self._numbers(str(alpha2digit(self._lower.replace("-", " "), "en", threshold=0))))

    @cached_property
    def _dates(self) -> set[date]:
        return set(dates(self._lower))

    @cached_property
    def _times(self) -> set[tuple[int, int]]:
        return set(times(self._lower))

    def _numbers(self, text: str) -> Iterator[float]:
        """The numbers of a text, without those of its dates and times."""
        text = MINUS.sub("-", TIME.sub(" ", DATE.sub(" ", text)))
        if "half" in text:
            yield 0.5
        for sign, whole, part, power, scale, percent in NUMBER.findall(text):
            value = float(f"{whole.replace(',', '')}{part}{power}") * (-1 if sign else 1)
            yield value
            if scale:
                yield value * SCALES[scale]
            elif percent:
                yield value / 100

    def says(self, value: str | int | float) -> bool:
        """Whether it says a value."""
        if not isinstance(value, str):
            return value in self._digits or value in self._words
        if stands(fold(value.strip()), self._folded):
            return True
        if 2 <= len(value) <= 3 and any(stands(name, self._folded) for name in codes().get(value.upper(), ())):
            return True
        if LIKE_A_DATE.search(value) and (days := set(dates(value.casefold()))):
            return bool(days & self._dates)
        if ":" in value and (hours := set(times(value.casefold()))):
            return bool(hours & self._times)
        try:
            return float(value) in self._digits
        except ValueError:
            return False
