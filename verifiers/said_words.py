"""English number words of a text, written as figures (RULES G2).

In: a folded text (`said_text.fold`). Out: the same with `twenty-three` as `23` and `fifth` as `5th`.
text2num reads the words; we cut the runs of them, because its own reading of a text is quadratic and knows no hyphens.
Not promised: words of other languages; `half` and `dozen`, which `said_numbers` reads; numbers of more than 24 words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest

import regex
from text_to_num import find_numbers  # type: ignore[import-untyped]

from verifiers.said_text import any_of, letters

_SCALES = ("hundred", "thousand", "million", "billion", "trillion")
_CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth "
    "ninetieth hundredth thousandth millionth"
)
_PARTS = "thirds fourths fifths sixths sevenths eighths ninths tenths"
_WORDS = (*_SCALES, *_CARDINALS.split(), *_ORDINALS.split(), *_PARTS.split())
_WORD = rf"{any_of(_WORDS)}\b"
KNOWN = frozenset(_WORDS)
_LETTERS = re.compile(r"[a-z]+")
_BIG = f"(?:{'|'.join(_SCALES)})"
_RUN = regex.compile(
    rf"(?<!\w)(?:{_WORD}(?:(?<={_BIG})\sand\s(?={_WORD})|\spoint\s(?={_WORD})|[\s-](?={_WORD})|)){{1,24}}+(?!_)"
)
_LEADING_SCALES = regex.compile(rf"^(?:{_BIG}\b[\s-]?)++")
_AFTER_FIGURES = regex.compile(r"(?:\d|\bhalf|\bhalf a)[ -]$")
_FRACTION = regex.compile(r"\b(\d{1,9})[ -](\d{1,9})(?:rd|th)s?\b")


def spoken(text: str, words: frozenset[str] | None = None) -> str:
    """The folded text with English number words written as figures. `words`: its `letters`, where they are known."""
    if KNOWN.isdisjoint(letters(text) if words is None else words):
        return text
    pieces: list[str] = []
    done = 0
    for word in _LETTERS.finditer(text):  # a run begins with a known word: it is looked for nowhere else
        if word[0] in KNOWN and word.start() >= done and (run := _RUN.match(text, word.start())):
            pieces += text[done : run.start()], _written(run, text)
            done = run.end()
    written = "".join(pieces) + text[done:]
    return text if written == text else str(_FRACTION.sub(r"\1/\2", written))


def _written(run: regex.Match[str], text: str) -> str:
    """A run of number words as figures; a scale after figures or `half a` stays a word (`5 hundred thousand`)."""
    words, kept = run[0], 0
    if words.startswith(_SCALES) and _AFTER_FIGURES.search(text[max(0, run.start() - 10) : run.start()]):
        kept = len(words) - len(_LEADING_SCALES.sub("", words))
    return words[:kept] + _figures(words[kept:])


@lru_cache(maxsize=4096)
def _figures(words: str) -> str:
    tokens = list(regex.finditer("[a-z]+", words))
    pieces: list[str] = []
    done = 0
    for start, end, figures in _occurrences([token[0] for token in tokens]):
        pieces += words[done : tokens[start].start()], figures
        done = tokens[end - 1].end()
    return "".join(pieces) + words[done:]


def _occurrences(words: list[str]) -> Iterator[tuple[int, int, str]]:
    """Which words are which figures; `nineteen ninety-nine` is a year."""
    found = find_numbers([_Token(word) for word in words], "en", 0.0) if words else []
    year = False
    for here, after in zip_longest(found, found[1:]):
        if year:
            year = False
            continue
        adjacent = after is not None and after.start == here.end and not here.is_ordinal | after.is_ordinal
        year = adjacent and 16 <= here.value <= 20 and 10 <= after.value < 100
        yield here.start, after.end if year else here.end, here.text + (after.text if year else "")


class _Token:
    """One word as text2num wants it."""

    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: _Token) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False
