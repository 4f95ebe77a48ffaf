"""Near-duplicate questions: does this text say almost the same as one that was kept?

In: all texts that may be kept (`data.texts`), then the numbers of those that ask to be, in any order. Out: the kept
text with which one shares at least the threshold of the character trigrams (exact Jaccard similarity), Tool-R0's own
measure of repetition. MinHash with banded LSH only proposes whom to compare, so nothing is ever called a duplicate by
estimate.
Two passes: the tags of all texts are sorted, a band at a time, and those that several texts have become buckets; then a
text looks into the 17 buckets of its own. So a text costs the same among a thousand or a million, whatever the order,
and nothing is written at random. Memory: 4 bytes a text for each band of its that is not its alone, 68 at most.
Not promised: that every pair just above the threshold is proposed (at 0.7, 1 in 80 at 0.70 is missed, 1 in 5,000 at
0.80), nor pairs whose every shared band is common to `BUCKET` kept texts; texts that are equal after folding are
always found.
"""

from __future__ import annotations

import os
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.atomic import store_errors
from data.texts import BANDS, TAGS, VALUES, Texts, trigrams

THRESHOLD = 0.7
BUCKET = 16
"""Kept texts that a band names at most: the first ones. A band that more have in common says little."""
_LOOKS = 32
"""Kept texts that a text is compared with at most: those that share the most bands."""
_DOUBT = 0.12
"""By an estimate this far below the threshold (three standard errors) a pair is not worth an exact look."""
_SIZE_BITS = np.uint64(5)
_WINDOW = np.arange(BUCKET, dtype=np.uint64)


class Alike(NamedTuple):
    """A kept text that says almost the same: its number, and whether the two are equal after folding."""

    number: int
    equal: bool


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared members over all members of two sets, of which one is not empty."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)


def nearest(shared: Iterable[int]) -> list[int]:
    """Whom to compare with, of those named once for each shared band: who shares the most first, then the first."""
    return [other for other, _ in sorted(Counter(shared).items(), key=lambda item: (-item[1], item[0]))[:_LOOKS]]


def find_alike(
    texts: Texts, plain: str, sketch: bytes, equals: Iterable[int], others: Sequence[int], threshold: float
) -> Alike | None:
    """Which of `texts` a folded text resembles: the first of `equals` that it equals, else the first of `others`."""
    for other in equals:
        if texts.text(other) == plain:
            return Alike(other, True)
    if not others:
        return None
    theirs = np.frombuffer(b"".join(map(texts.sketch, others)), np.uint8).reshape(len(others), VALUES)
    same = (theirs == np.frombuffer(sketch, np.uint8)).sum(axis=1)
    for place in np.flatnonzero(same >= VALUES * (threshold - _DOUBT)).tolist():
        if jaccard(trigrams(plain), trigrams(texts.text(others[place]))) >= threshold:
            return Alike(others[place], False)
    return None


class Buckets:
    """For each text the buckets that it shares with other texts: a row of `start << 5 | size`, 0 for none."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.slots = 0
        """Room that all buckets need."""
        self.size = count = len(texts)
        with store_errors(tempfile.gettempdir(), "sort questions in"), tempfile.TemporaryFile() as columns:
            for place in range(TAGS):
                columns.write(self._column(texts.column(place)).data)
            columns.flush()
            self._rows = tempfile.TemporaryFile()  # noqa: SIM115  It lives as long as its owner.
            for first in range(0, count, 1 << 16):
                size = min(1 << 16, count - first)
                parts = [os.pread(columns.fileno(), 8 * size, 8 * (place * count + first)) for place in range(TAGS)]
                block = np.frombuffer(b"".join(parts), np.uint64).reshape(TAGS, size)
                self._rows.write(np.ascontiguousarray(block.T).data)
            self._rows.flush()

    def row(self, number: int) -> NDArray[np.uint64]:
        """The buckets of a text."""
        return np.frombuffer(os.pread(self._rows.fileno(), 8 * TAGS, 8 * TAGS * number), np.uint64)

    def _column(self, tags: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """The bucket of each text by one of its tags."""
        keys = tags.astype(np.uint64) << np.uint64(32) | np.arange(len(tags), dtype=np.uint64)
        keys.sort()
        firsts = np.flatnonzero(np.diff(keys >> np.uint64(32), prepend=np.uint64(1 << 63)))
        counts = np.diff(firsts, append=len(keys))
        sizes = np.where(counts > 1, np.minimum(counts, BUCKET), 0).astype(np.uint64)
        starts = self.slots + np.cumsum(sizes) - sizes
        self.slots += int(sizes.sum())
        found = np.empty(len(keys), np.uint64)
        found[keys & np.uint64(0xFFFFFFFF)] = np.repeat(np.where(sizes, starts << _SIZE_BITS | sizes, 0), counts)
        return found


class NearDuplicates:
    """The texts kept so far. The same texts in the same order give the same answers."""

    def __init__(self, buckets: Buckets, threshold: float = THRESHOLD) -> None:
        self._buckets = buckets
        self._texts = buckets.texts
        self._threshold = threshold
        self._slots = np.zeros(buckets.slots + BUCKET, np.uint32)
        """Kept texts by their place among them, from 1 on; 0 is free."""
        self._kept = array("I")

    def keep(self, number: int) -> Alike | None:
        """Keep the text, unless a kept one is alike: then that one."""
        row = self._buckets.row(number)
        starts, sizes = row >> _SIZE_BITS, row & np.uint64((1 << 5) - 1)
        inside = self._slots[starts[:, None] + _WINDOW]
        inside[sizes[:, None] <= _WINDOW] = 0
        if (found := self._alike(number, inside)) is not None:
            return found
        self._kept.append(number)
        filled = np.count_nonzero(inside, axis=1).astype(np.uint64)
        free = filled < sizes
        self._slots[(starts + filled)[free]] = len(self._kept)
        return None

    def _alike(self, number: int, inside: NDArray[np.uint32]) -> Alike | None:
        """The kept text that is alike."""
        hits = inside[:BANDS]
        equals = [self._kept[place - 1] for place in inside[BANDS].tolist() if place]
        others = [self._kept[place - 1] for place in nearest(hits[hits > 0].tolist())]
        if not equals and not others:
            return None
        texts = self._texts
        return find_alike(texts, texts.text(number), texts.sketch(number), equals, others, self._threshold)
