"""English number words of a text, written as figures (RULES G2).

In: a folded text (`said_text.fold`). Out: the same with `twenty-three` as `23` and `fifth` as `5th`.
text2num reads the words; we cut them, because its own reading of texts is quadratic and knows no hyphens.
Not promised: words of other languages; `half` and `dozen`, which `said_numbers` reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest

import regex
from text_to_num import find_numbers  # type: ignore[import-untyped]

_SCALES = ("hundred", "thousand", "million", "billion", "trillion")
_WORDS = regex.compile(
    r"\b(?:zero|one\b|two\b|three\b|thir|four|five|fif|six|seven|eigh|nine|nint|ten\b|tenth|eleven|twel|twent|fort[iy]"
    r"|hundred|thousand|million|billion|trillion|first\b|second\b)"
)
_FRACTION = regex.compile(r"\b(\d{1,9})[ -](\d{1,9})(?:rd|th)s?\b")
_WORD = regex.compile(r"[a-z]++")


def spoken(text: str) -> str:
    """The folded text with English number words written as figures, as far as text2num reads them."""
    if not _WORDS.search(text):
        return text
    pieces: list[str] = []
    done = 0
    for run in _runs(text):
        for start, end, figures in _read(run, text):
            pieces += text[done:start], figures
            done = end
    return str(_FRACTION.sub(r"\1/\2", "".join(pieces) + text[done:]))


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


_token = lru_cache(maxsize=256)(_Token)


@lru_cache(maxsize=4096)
def _is_number_word(word: str) -> bool:
    return (
        len(word) < 20
        and (word[-1] != "s" or word.endswith("ths") or word == "thirds")
        and bool(find_numbers([_Token(word)], "en", 0.0))
    )


def _runs(text: str) -> Iterator[list[regex.Match[str]]]:
    """Runs of number words side by side, with the `and` of `hundred and five` and the `point` of decimals."""
    run: list[regex.Match[str]] = []
    glue: regex.Match[str] | None = None
    for found in _WORD.finditer(text):
        word, last = found[0], glue or (run[-1] if run else None)
        near = last is not None and text[last.end() : found.start()] in (" ", "-", "\n")
        if _is_number_word(word) and _borders(text, found):
            if run and not near:
                yield run
                run, glue = [], None
            run += [glue, found] if glue else [found]
            glue = None
        elif near and not glue and (word == "point" or (word == "and" and run[-1][0] in _SCALES)):
            glue = found
        elif run:
            yield run
            run, glue = [], None
    if run:
        yield run


def _borders(text: str, found: regex.Match[str]) -> bool:
    start, end = found.span()
    return not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum())


def _read(run: list[regex.Match[str]], text: str) -> Iterator[tuple[int, int, str]]:
    """Where figures go, and which: `nineteen ninety-nine` is a year, scales after figures or `half a` stay words."""
    first = run[0].start()
    scaled = regex.search(r"(?:\d|\bhalf|\bhalf a)[ -]$", text[max(0, first - 10) : first])
    if scaled:
        run = run[next((place for place, word in enumerate(run) if word[0] not in _SCALES), len(run)) :]
    found = find_numbers([_token(word[0]) for word in run], "en", 0.0) if run else []
    skip = False
    for here, after in zip_longest(found, found[1:]):
        if skip:
            skip = False
            continue
        end, figures = here.end, here.text
        adjacent = after is not None and after.start == end
        if adjacent and not here.is_ordinal | after.is_ordinal and 16 <= here.value <= 20 and 10 <= after.value < 100:
            end, figures, skip = after.end, here.text + after.text, True
        yield run[here.start].start(), run[end - 1].end(), figures
