"""What a text says as text (RULES G1).

In: a text, and a string that it may say. Out: whether it says it, in whole words: after NFKC and case folding, `_`
and `-` as spaces, quotes alike, white space as one space. Word borders are those of UAX 29; besides, before `'s`,
anywhere in scripts that write no spaces, and between Hangul.
Not promised: that a said string means the same there (numbers, dates and codes are read by their own modules).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

import regex

UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Yi}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Javanese}\p{Balinese}"
    r"\p{Tai_Le}\p{New_Tai_Lue}\p{Tai_Tham}\p{Tai_Viet}\p{Tibetan}\u30fc\u3005"
)
_MARKED = str.maketrans(
    dict.fromkeys('"‘’‚‛“”„‟«»‹›`´′″＇＂', "'") | dict.fromkeys("\u2010\u2011\u2043\ufe63\uff0d", "-")
)
_HIDDEN = regex.compile(r"(?<=\w)[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]+(?=\w)")
_LETTER = "\ua78f"
"""Stands for hidden characters inside a word: they are a letter of it, so that it does not say its visible parts."""
_MAX_CHARACTERS = 1 << 20
_THIN = regex.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_SIGN = regex.compile(r"(?<![^\s(\[{,;:=<>'$€£¥₹])-(?=[$€£¥₹]?\.?\d)")
_BORDER = regex.compile(
    rf"(?w)\b|(?<=[{UNSPACED}])|(?=[{UNSPACED}])|(?<=\p{{Hangul}})(?=\p{{Hangul}})|(?='s\b)", regex.V0
)
_FIGURES = regex.compile(r"[+−]?\d[\d.,]*")
_TOKEN_BEFORE = regex.compile(r"(?<![^\W][.,:/+@'&\\-]?)(?<![-−+])", regex.V0)
_TOKEN_AFTER = regex.compile(r"(?![.,:/+@&\\-]?\w)", regex.V0)


_DIGIT, _LETTERS = re.compile(r"\d"), re.compile(r"[a-z]+")
_AROUND = frozenset(("", " ", "\n"))
_OPENS = frozenset((*_AROUND, "(", "["))
_CLOSES = frozenset((*_AROUND, ")", "]"))
_AFTER = frozenset(f"{mark}{behind}" for mark in ".,:;?!" for behind in _AROUND)
_QUOTED = frozenset(f"'{behind}" for behind in (*_CLOSES, *".,:;?!"))
"""A quotation mark with what may come after it: between letters it is a part of the word."""


Made = TypeVar("Made")


class lazy(Generic[Made]):
    """`functools.cached_property` without its lock, which costs more than most readings of a short text."""

    def __init__(self, make: Callable[[Any], Made]) -> None:
        self._make, self._name = make, make.__name__

    def __get__(self, holder: Any, owner: type) -> Made:
        made = holder.__dict__[self._name] = self._make(holder)
        return made


def fold(text: str) -> str:
    """The text after NFKC and case folding, with straight quotes and hyphens, and `−` for a minus that is a sign.

    Of a text that NFKC blows up, the first million characters.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _THIN.sub(",", text.translate(_MARKED)))[:_MAX_CHARACTERS].translate(
            _MARKED
        )
        text = _HIDDEN.sub(_LETTER, text)
    text = text.casefold().replace('"', "'").replace("`", "'")
    return str(_SIGN.sub("−", text)) if "-" in text else text


def letters(folded: str) -> frozenset[str]:
    """The runs of ASCII letters in a folded text. A word that is none of them stands in the text nowhere as a whole."""
    return frozenset(_LETTERS.findall(folded))


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of these words, by their first letters: alternatives are tried one after the other.

    Of words that begin alike the longer comes first.
    """
    by_letter: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        by_letter.setdefault(word[0], []).append(word[1:])
    return f"(?:{'|'.join(f'{letter}(?:' + '|'.join(rest) + ')' for letter, rest in sorted(by_letter.items()))})"


def words(folded: str) -> str:
    """A folded text as words: `_` and `-` as spaces, white space as one space."""
    return " ".join(folded.replace("-", " ").replace("_", " ").split())


class Text:
    """One text, ready to be asked what it says."""

    def __init__(self, parts: tuple[str, ...]) -> None:
        self.raw = "\n\n".join(parts)
        self._parts = parts

    @lazy
    def _folded(self) -> list[str]:
        return [fold(part) for part in self._parts]

    @lazy
    def folded(self) -> str:
        """The text after `fold`."""
        return "\n\n".join(self._folded)

    @lazy
    def _words(self) -> str:
        return "\n".join(map(words, self._folded))

    def plainly_says(self, value: str) -> bool:
        """A quick yes to ASCII text without digits that stands there in any case, between white space and punctuation.

        What this says yes to, `says` does too; a no means nothing.
        """
        if not value.isascii() or not value[:1].isalpha() or not value[-1].isalpha():
            return False
        if not value.isalpha() and _DIGIT.search(value):
            return False
        folded = self.folded
        start = folded.find(value.lower())
        end = start + len(value)
        before, after = folded[max(0, start - 2) : max(0, start)], folded[end : end + 2]
        opened = before[-1:] in _OPENS or (before[-1:] == "'" and before[:-1] in _OPENS)
        return start >= 0 and opened and (after[:1] in _CLOSES or after in _AFTER or after in _QUOTED)

    def says(self, value: str) -> bool:
        """RULES G1; figures (`007`) only as a whole token, empty text only as an empty pair of quotes."""
        folded = fold(value.strip())
        if _FIGURES.fullmatch(folded):
            return _stands(self.folded, folded, _TOKEN_BEFORE, _TOKEN_AFTER)
        needle = words(folded)
        if not needle:
            return (folded or "''") in self.folded
        return _stands(self._words, needle, _BORDER, _BORDER)

    def says_exactly(self, value: str) -> bool:
        """Whether the string stands in the text as it is, in whole words."""
        return _stands(self.raw, value, _BORDER, _BORDER)


def _stands(text: str, needle: str, before: regex.Pattern[str], after: regex.Pattern[str]) -> bool:
    """Whether the needle stands between borders. Of a text that repeats it inside words, the first thousand places."""
    signed = needle[0].isdecimal()
    start = text.find(needle)
    for _ in range(1000):
        if start < 0:
            return False
        if (
            before.match(text, start)
            and after.match(text, start + len(needle))
            and not (signed and text.startswith("−", start - 1))
        ):
            return True
        start = text.find(needle, start + 1)
    return False
