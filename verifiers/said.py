"""What a task's text says (RULES G1 to G5): one reading of the text, of which every value is asked.

In: the messages of a task. Out: a `Said`, kept for the last few texts; each kind of reading is made when first needed.
Not promised: which turn says a value, or that it is meant for the argument that it stands in.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

import regex

from data.records import Message
from verifiers import algebra, said_units
from verifiers.algebra_exact import MAX_QUESTIONS, at_most
from verifiers.algebra_parse import MAX_CHARACTERS
from verifiers.said_codes import is_also_a_word, names_of
from verifiers.said_dates import Moments, moments
from verifiers.said_lone import stands_alone
from verifiers.said_numbers import figures_in, numbers
from verifiers.said_text import Text, fold, lazy, letters
from verifiers.said_today import days_from_today
from verifiers.said_words import spoken

MAX_PLACES = 20
_FIGURE = regex.compile(r"\d")
_PLAIN = regex.compile(r"−?(?:0|[1-9]\d*+)(?:\.\d*[1-9])?")


class Said:
    """The text of one task, ready to be asked whether it says a value."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self._text = Text(tuple(message.content for message in messages))
        self.renew()

    def renew(self) -> None:
        """Let as many expressions be compared exactly as if nobody had asked yet: a kept reading forgets its askers."""
        self._exactly = at_most(MAX_QUESTIONS)

    @lazy
    def spoken(self) -> str:
        """The text with raised digits as powers and number words as figures."""
        return spoken(self._written, self._letters)

    def may_hold(self, words: frozenset[str]) -> bool:
        """Whether one of these words of letters may stand in `spoken`: to write numbers as figures brings in none."""
        raw = self._text.raw
        return any(map((self._text.folded if raw.isascii() else self.spoken).__contains__, words))

    @lazy
    def _written(self) -> str:
        raw = self._text.raw
        return self._text.folded if raw.isascii() else fold(algebra.raised(raw))

    @lazy
    def _letters(self) -> frozenset[str]:
        return letters(self._written)

    @lazy
    def _moments(self) -> Moments:
        return moments(self.spoken, self._letters)  # to write numbers as figures brings in no word

    @lazy
    def _numbers(self) -> frozenset[Decimal]:
        return numbers(self._moments.rest)

    @lazy
    def _floats(self) -> frozenset[float]:
        return frozenset(map(float, self._numbers))

    @lazy
    def _expressions(self) -> tuple[algebra.Expression, ...]:
        return algebra.expressions(self._moments.rest)

    @lazy
    def _resolved(self) -> Moments:
        """The moments, with the days that a text says which gives the day it is asked on."""
        said = self._moments
        return replace(said, days=said.days | days_from_today(self.spoken, said))

    @lazy
    def figures_at(self) -> tuple[tuple[int, int, float], ...]:
        """The plain figures of `spoken` with their places."""
        return figures_in(self.spoken)

    @lazy
    def figures(self) -> frozenset[float]:
        """The same without their places."""
        return frozenset(figure for _, _, figure in self.figures_at)

    def places(self, value: str | int | float) -> list[tuple[int, int]]:
        """Where `spoken` holds a value as it is, at most twenty times: words whole, numbers as plain figures."""
        if not isinstance(value, str):
            return [(start, end) for start, end, figure in self.figures_at if figure == value][:MAX_PLACES]
        needle, text = fold(value), self.spoken
        found: list[tuple[int, int]] = []
        start = text.find(needle) if needle else -1
        while start >= 0 and len(found) < MAX_PLACES:
            end = start + len(needle)
            if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
                found.append((start, end))
            start = text.find(needle, end)
        return found

    @lazy
    def _quantities(self) -> tuple[said_units.Quantity, ...]:
        return said_units.quantities(self._moments.rest)

    def quantity(self, value: int | float, unit: said_units.Unit) -> bool:
        """RULES G5 for a number of a unit: whether the text says as much of it, in any unit of the kind."""
        return said_units.says(self._quantities, value, unit)

    def number(self, value: int | float) -> bool | None:
        """RULES G2, and G5 for a number that an expression equals; None where that could not be decided."""
        if self._text.raw.isascii() and stands_alone(self._text.folded, value):
            return True
        if value in self._numbers or (isinstance(value, float) and value in self._floats):
            return True
        return self._expression(algebra.number(value))

    def string(self, value: str) -> bool | None:
        """RULES G1, and what a string may be besides text: a moment (G3), a code (G4), a number, an expression (G5)."""
        exact = is_also_a_word(value)
        if not exact and self._text.plainly_says(value):
            return True
        said = self._text.says_exactly(value) if exact else self._text.says(value)
        if said and (value.isalpha() or not _FIGURE.search(value)):
            return True
        folded = fold(value.strip())
        if len(folded) > MAX_CHARACTERS:
            return said
        moment = moments(folded)
        if moment.alone and not (said and moment.days):
            return self._resolved.says(moment)  # 7:30 is not said by 7:30 pm
        return said or self._code(value) or self._figures(folded) or self._formula(value)

    def _code(self, value: str) -> bool:
        return any(self._text.says(name) for name in names_of(value))

    def _figures(self, folded: str) -> bool:
        """A string that is a number in its plain form: `12`, not `007`."""
        return _PLAIN.fullmatch(folded) is not None and Decimal(folded.replace("−", "-")) in self._numbers

    def _formula(self, value: str) -> bool | None:
        folded = fold(algebra.raised(value.strip()))
        return algebra.is_expression(folded) and self._expression(algebra.read(folded))

    def _expression(self, value: algebra.Expression | None) -> bool | None:
        if value is None:
            return False
        found: bool | None = False
        for said in self._expressions:
            equal = algebra.equal(value, said, self._exactly)
            if equal:
                return True
            found = None if equal is None else found
        return found


@lru_cache(maxsize=8)
def said_in(messages: tuple[Message, ...]) -> Said:
    """What these messages say."""
    return Said(messages)
