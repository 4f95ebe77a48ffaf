"""Near-duplicate questions: does this text say almost the same as one that was kept?

In: texts, one after the other. Out: the key of a kept text with which it shares at least `THRESHOLD` of the character
trigrams (exact Jaccard similarity), Tool-R0's own measure of repetition. MinHash with banded LSH (rensa) only proposes
whom to compare, so nothing is ever called a duplicate by estimate.
Not promised: that every pair just above the threshold is proposed (1 in 100 at 0.70 is missed, 1 in 10,000 at 0.80);
texts that are equal after folding are always found.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from rensa import RMinHash, RMinHashLSH  # type: ignore[import-untyped]

THRESHOLD = 0.7

_BANDS, _ROWS, _SEED = 25, 5, 1
_UNLIKELY = 0.58
"""By an estimate this low (three standard errors below the threshold) a pair is not worth an exact look."""
_SAME = str.maketrans({"_": " ", "-": " ", "\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'})


def folded(text: str) -> str:
    """The text without what does not make another question: case, width, spacing, the style of quotes and hyphens."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_SAME).split())


@lru_cache(maxsize=4096)
def trigrams(text: str) -> frozenset[str]:
    """The runs of three characters of a folded text; a shorter text is its own."""
    return frozenset(text[i : i + 3] for i in range(max(1, len(text) - 2)))


class NearDuplicates:
    """The texts kept so far. The same texts in the same order give the same answers."""

    def __init__(self) -> None:
        self._index = RMinHashLSH(THRESHOLD, _BANDS * _ROWS, _BANDS)
        self._texts: dict[int, str] = {}
        self._sketches: dict[int, RMinHash] = {}
        self._keys: dict[str, int] = {}

    def keep(self, key: int, text: str) -> tuple[int, bool] | None:
        """Keep the text under `key`, unless a kept one is alike: then that one's key, and whether they are equal."""
        plain = folded(text)
        if plain in self._keys:
            return self._keys[plain], True
        grams = trigrams(plain)
        sketch = RMinHash(_BANDS * _ROWS, _SEED)
        sketch.update(sorted(grams))
        for other in sorted(self._index.query(sketch)):
            likely = sketch.jaccard(self._sketches[other]) >= _UNLIKELY
            if likely and _jaccard(grams, trigrams(self._texts[other])) >= THRESHOLD:
                return other, False
        self._index.insert(key, sketch)
        self._texts[key] = plain
        self._sketches[key] = sketch
        self._keys[plain] = key
        return None


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)
