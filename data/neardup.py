"""Near-duplicate questions: does this text say almost the same as one that was kept?

In: texts, one after the other. Out: the label of a kept text with which it shares at least the threshold of the
character trigrams (exact Jaccard similarity), Tool-R0's own measure of repetition. MinHash with banded LSH (rensa
sketches) only proposes whom to compare, so nothing is ever called a duplicate by estimate.
The index is a private SQLite database: in memory while it is small, spilled to the folder for temporary files (TMPDIR)
beyond `_CACHE`, gone with the object. So memory is flat and a text costs the same among a thousand or a million.
Not promised: that every pair just above the threshold is proposed (at 0.7, 1 in 80 at 0.70 is missed, 1 in 5,000 at
0.80), nor pairs whose every shared band is common to `_BUCKET` kept texts; texts that are equal after folding are
always found.
"""

from __future__ import annotations

import sqlite3
import unicodedata
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rensa import RMinHash  # type: ignore[import-untyped]

THRESHOLD = 0.7

Sketch: TypeAlias = NDArray[np.uint64]

_VALUES, _BANDS, _ROWS, _SEED = 128, 16, 4, 1
_BUCKET = 16
"""Kept texts that a band names at most: the first ones. A band that more have in common says little."""
_LOOKS = 32
"""Kept texts that a text is compared with at most: those that share the most bands."""
_DOUBT = 0.12
"""By an estimate this far below the threshold (three standard errors) a pair is not worth an exact look."""
_CACHE = 64 << 20
"""Bytes of the index that stay in memory."""
_MULTIPLIERS = np.random.default_rng(_SEED).integers(1, 2**63, size=(_BANDS, _ROWS), dtype=np.uint64) | np.uint64(1)
_SAME = str.maketrans({"_": " ", "-": " ", "\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'})


class Alike(NamedTuple):
    """A kept text that says almost the same: its label, and whether the two are equal after folding."""

    label: int
    equal: bool


def folded(text: str) -> str:
    """The text without what does not make another question: case, width, spacing, the style of quotes and hyphens."""
    text = text.encode("utf-8", "replace").decode()  # A held-out file may hold lone surrogates.
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_SAME).split())


@lru_cache(maxsize=4096)
def trigrams(text: str) -> frozenset[str]:
    """The runs of three characters of a folded text; a shorter text is its own."""
    return frozenset(text[i : i + 3] for i in range(max(1, len(text) - 2)))


class NearDuplicates:
    """The texts kept so far. The same texts in the same order give the same answers."""

    def __init__(self, threshold: float = THRESHOLD) -> None:
        self._threshold = threshold
        self._index = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._index.executescript(f"""
            PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -{_CACHE >> 10};
            CREATE TABLE texts (id INTEGER PRIMARY KEY, label INTEGER, sketch BLOB, text TEXT);
            CREATE TABLE equals (digest INTEGER, id INTEGER, PRIMARY KEY (digest, id)) WITHOUT ROWID;
            CREATE TABLE bands (band INTEGER, id INTEGER, PRIMARY KEY (band, id)) WITHOUT ROWID;
            BEGIN;
        """)

    def keep(self, label: int, text: str) -> Alike | None:
        """Keep the text under `label`, unless a kept one is alike: then that one. Several texts may have one label."""
        plain = folded(text)
        sketch = _sketch(plain)
        bands = _bands(sketch)
        found, full = self._look(plain, sketch, bands)
        if found is None:
            row = self._index.execute(_INSERT, (label, sketch.astype(np.uint8).tobytes(), plain)).lastrowid
            self._index.execute("INSERT INTO equals VALUES (?, ?)", (_digest(plain), row))
            new = [(band, row) for band in bands if band not in full]
            self._index.executemany("INSERT OR IGNORE INTO bands VALUES (?, ?)", new)
        return found

    def alike(self, text: str) -> Alike | None:
        """A kept text that says almost the same."""
        plain = folded(text)
        sketch = _sketch(plain)
        return self._look(plain, sketch, _bands(sketch))[0]

    def _look(self, plain: str, sketch: Sketch, bands: list[int]) -> tuple[Alike | None, set[int]]:
        """The kept text that is alike, an equal one first, and the bands that are full."""
        for label, text in self._index.execute(_EQUAL, (_digest(plain),)):
            if text == plain:
                return Alike(label, True), set()
        hits = self._index.execute(_NAMED, bands).fetchall()
        shared = Counter(other for _, other in hits)
        nearest = sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:_LOOKS]
        for label, text in self._likely(sketch, [other for other, _ in nearest]):
            if jaccard(trigrams(plain), trigrams(text)) >= self._threshold:
                return Alike(label, False), set()
        sizes = Counter(band for band, _ in hits)
        return None, {band for band, size in sizes.items() if size >= _BUCKET}

    def _likely(self, sketch: Sketch, others: list[int]) -> list[tuple[int, str]]:
        """Label and text of those kept texts whose sketches let a near-duplicate be expected, in the same order."""
        if not others:
            return []
        marks = ", ".join("?" * len(others))
        rows = self._index.execute(
            f"SELECT id, label, sketch, text FROM texts WHERE id IN ({marks})", others
        ).fetchall()
        theirs = np.frombuffer(b"".join(row[2] for row in rows), np.uint8).reshape(len(rows), len(sketch))
        likely = (theirs == sketch.astype(np.uint8)).mean(axis=1) >= self._threshold - _DOUBT
        found = {row[0]: (row[1], row[3]) for row, good in zip(rows, likely.tolist(), strict=True) if good}
        return [found[other] for other in others if other in found]


_INSERT = "INSERT INTO texts (label, sketch, text) VALUES (?, ?, ?)"
_EQUAL = "SELECT label, text FROM equals JOIN texts USING (id) WHERE digest = ?"
_NAMED = f"SELECT band, id FROM bands WHERE band IN ({', '.join('?' * _BANDS)})"


def _digest(text: str) -> int:
    """63 bits of the text's digest."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1


def _sketch(plain: str) -> Sketch:
    """The MinHash of the text's trigrams."""
    sketch = RMinHash(_VALUES, _SEED)
    sketch.update(list(trigrams(plain)))
    return np.array(sketch.digest(), dtype=np.uint64)


def _bands(sketch: Sketch) -> list[int]:
    """One number a band: 59 bits of the hash of its rows, and its place."""
    mixed = (sketch[: _BANDS * _ROWS].reshape(_BANDS, _ROWS) * _MULTIPLIERS).sum(axis=1, dtype=np.uint64)
    mixed ^= mixed >> np.uint64(29)
    numbers: list[int] = ((mixed << np.uint64(4) | np.arange(_BANDS, dtype=np.uint64)) >> np.uint64(1)).tolist()
    return numbers


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared members over all members of two sets, of which one is not empty."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)
