"""Questions that are known beforehand: is this text, which is none of them, almost the same as one?

In: texts under labels, all before the first question; then any text. Out: the known text that it resembles, by the
measure of `data.neardup`, as its label.
The tags of all texts are sorted once and lie in a file; of each 64 the first is in memory, so that a look-up reads one
piece a tag. Texts that are equal after folding stand there once, under their first label. Memory: 15 bytes a text.
Not promised: pairs that `data.neardup` does not promise either.
"""

from __future__ import annotations

import os
import tempfile
from array import array
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.atomic import store_errors
from data.neardup import BUCKET, THRESHOLD, find_alike, nearest
from data.texts import BANDS, TAGS, Tags, Texts, folded, marks

_PIECE = 64
_READ = _PIECE + BUCKET
"""Entries of a look-up: a tag's first ones begin somewhere in a piece."""
_ID, _NUMBER = np.uint64(32), np.uint64(0xFFFFFFFF)
_PLACES = np.arange(TAGS, dtype=np.uint64) << np.uint64(59)


class Resembled(NamedTuple):
    """The label of a known text, and whether the two are equal after folding."""

    label: int
    equal: bool


class Known:
    """Texts, each under a label; several may have one."""

    def __init__(self) -> None:
        self._texts = Texts()
        self._labels = array("I")
        self._index: _Index | None = None

    def add(self, label: int, text: str) -> None:
        """Know this text too."""
        self._texts.add(text)
        self._labels.append(label)
        self._index = None

    def alike(self, text: str) -> Resembled | None:
        """The known text that says almost the same, an equal one first."""
        if not self._labels:
            return None
        self._index = self._index or _Index(self._texts)
        plain = folded(text)
        tags, sketches = marks([plain])
        *shared, equals = self._index.named(tags[0])
        others = nearest(chain.from_iterable(shared))
        found = find_alike(self._texts, plain, sketches[0].tobytes(), equals, others, THRESHOLD)
        return found and Resembled(self._labels[found.number], found.equal)


class _Index:
    """Tag -> the first texts that have it, in a file of sorted entries: place, 27 bits of the tag, number."""

    def __init__(self, texts: Texts) -> None:
        numbers = _first_of_equals(texts)
        fence = []
        with store_errors(tempfile.gettempdir(), "sort questions in"):
            self._entries = tempfile.TemporaryFile()  # noqa: SIM115  It lives as long as its owner.
            for place in range(TAGS):
                entries = _keys(texts.column(place)[numbers], _PLACES[place]) | numbers
                entries.sort()
                self._entries.write(entries.data)
                fence.append(entries[-len(numbers) * place % _PIECE :: _PIECE])
            self._entries.write(b"\xff" * (8 * _READ))
            self._entries.flush()
        self._fence = np.concatenate(fence)

    def named(self, tags: Tags) -> list[list[int]]:
        """For each tag of a text the first known texts that have it."""
        wanted = _keys(tags, _PLACES)
        pieces = np.maximum(np.searchsorted(self._fence, wanted), 1) - 1
        handle = self._entries.fileno()
        read = b"".join([os.pread(handle, 8 * _READ, 8 * _PIECE * piece) for piece in pieces.tolist()])
        entries = np.frombuffer(read, np.uint64).reshape(TAGS, _READ)
        found = entries >> _ID == (wanted >> _ID)[:, None]
        return [row[mine][:BUCKET].tolist() for row, mine in zip(entries & _NUMBER, found, strict=True)]


def _keys(tags: Tags, places: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """An entry for each tag, still without its text's number."""
    return places | tags.astype(np.uint64) >> np.uint64(5) << _ID


def _first_of_equals(texts: Texts) -> NDArray[np.uint64]:
    """The numbers of the texts, of equal ones the first alone: a bucket shall not fill up with one question."""
    equals, band = texts.column(BANDS).astype(np.uint64), texts.column(0)
    _, first = np.unique(equals << _ID | band, return_index=True)
    return np.sort(first).astype(np.uint64)
