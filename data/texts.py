"""Texts that are looked through for near-duplicates: what they say and their sketches, outside of memory.

In: texts, numbered as they come. Out: a text, folded; its sketch; and the tags by which two texts are proposed to each
other: one for each band of a MinHash of the character trigrams (rensa), one of the whole folded text.
Texts and sketches lie in files without a name below TMPDIR, written one after the other, gone with the object. Memory
is 8 bytes a text, and what was read last.
Not promised: anything to two threads at once.
"""

from __future__ import annotations

import os
import tempfile
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rensa import RMinHash  # type: ignore[import-untyped]

from data.atomic import store_errors

BANDS = 16
TAGS = BANDS + 1
"""Tags of a text: its bands', and in the last place that of the folded text."""
VALUES = 128
"""Bytes of a sketch."""

Tags: TypeAlias = NDArray[np.uint32]
Sketches: TypeAlias = NDArray[np.uint8]

_ROWS, _SEED = 4, 1
_PENDING, _BLOCK = 1024, 1 << 16
_MULTIPLIERS = np.random.default_rng(_SEED).integers(1, 2**63, size=(BANDS, _ROWS), dtype=np.uint64) | np.uint64(1)
_SAME = str.maketrans({"_": " ", "-": " ", "\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'})


def folded(text: str) -> str:
    """The text without what does not make another question: case, width, spacing, the style of quotes and hyphens."""
    text = text.encode("utf-8", "replace").decode()  # A held-out file may hold lone surrogates.
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_SAME).split())


def _runs(text: str) -> frozenset[str]:
    return frozenset([text[i : i + 3] for i in range(max(1, len(text) - 2))])


@lru_cache(maxsize=2048)
def trigrams(text: str) -> frozenset[str]:
    """The runs of three characters of a folded text; a shorter text is its own."""
    return _runs(text)


def digest(plain: str) -> int:
    """64 bits that stand for a folded text."""
    return int.from_bytes(blake2b(plain.encode(), digest_size=8).digest(), "little")


def marks(plain: Sequence[str]) -> tuple[Tags, Sketches]:
    """Tags and sketch of each folded text."""
    whole = np.empty((len(plain), VALUES), np.uint64)
    tags = np.empty((len(plain), TAGS), np.uint32)
    for place, text in enumerate(plain):
        sketch = RMinHash(VALUES, _SEED)
        sketch.update(list(_runs(text)))
        whole[place] = sketch.digest()
        tags[place, BANDS] = digest(text) & 0xFFFFFFFF
    rows = whole[:, : BANDS * _ROWS].reshape(len(plain), BANDS, _ROWS)
    mixed = (rows * _MULTIPLIERS).sum(axis=2, dtype=np.uint64)
    tags[:, :BANDS] = (mixed ^ mixed >> np.uint64(29)) >> np.uint64(32)
    return tags, whole.astype(np.uint8)


class Texts:
    """Texts by number."""

    def __init__(self) -> None:
        self._pending: list[str] = []
        self._ends = array("Q", [0])
        self._files = self._said, self._tags, self._sketches = _file(), _file(), _file()
        self._sketch = lru_cache(maxsize=1 << 14)(partial(_sketch_at, self._sketches))

    def __len__(self) -> int:
        return len(self._ends) - 1 + len(self._pending)

    def add(self, text: str) -> int:
        """Take a text in. Returns its number."""
        self._pending.append(folded(text))
        if len(self._pending) == _PENDING:
            self._write()
        return len(self) - 1

    def text(self, number: int) -> str:
        """What the text says, folded."""
        self._write()
        start, end = self._ends[number], self._ends[number + 1]
        return os.pread(self._said.fileno(), end - start, start).decode()

    def sketch(self, number: int) -> bytes:
        """The sketch of the text."""
        self._write()
        return self._sketch(number)

    def tags(self) -> Iterator[Tags]:
        """Rows of tags in the order of the texts, many at a time."""
        self._write()
        size, width = len(self), 4 * TAGS
        for first in range(0, size, _BLOCK):
            block = os.pread(self._tags.fileno(), width * min(_BLOCK, size - first), width * first)
            yield np.frombuffer(block, np.uint32).reshape(-1, TAGS)

    def column(self, place: int) -> Tags:
        """One tag of every text."""
        return np.concatenate([np.empty(0, np.uint32), *(rows[:, place].copy() for rows in self.tags())])

    def _write(self) -> None:
        if not self._pending:
            return
        tags, sketches = marks(self._pending)
        said = [text.encode() for text in self._pending]
        with store_errors(tempfile.gettempdir(), "keep questions for comparison in"):
            for file, content in zip(self._files, (b"".join(said), tags.tobytes(), sketches.tobytes()), strict=True):
                file.write(content)
                file.flush()
        for one in said:
            self._ends.append(self._ends[-1] + len(one))
        self._pending.clear()


def _sketch_at(file: IO[bytes], number: int) -> bytes:
    """Not a method: a cache of those would keep its own object, and so the files, until the garbage is collected."""
    return os.pread(file.fileno(), VALUES, VALUES * number)


def _file() -> IO[bytes]:
    with store_errors(tempfile.gettempdir(), "keep questions for comparison in"):
        return tempfile.TemporaryFile()
