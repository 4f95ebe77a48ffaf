"""What dropping near-duplicates costs as questions grow: processor time a question, and memory.

In: sizes (default 10,000 and 100,000; add 1,000,000). Out: a line for each size, each measured in a process of its own.
Questions are made of 400 patterns with names, places, numbers and clauses in them; one in ten says an earlier one again
with a word changed.

    python -m benchmarks.dedup 10000 100000 1000000
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from random import Random

from benchmarks.sizes import main, taking
from data.neardup import Buckets, NearDuplicates
from data.texts import Texts

_SYLLABLES = [a + b for a in "bcdfghjklmnprstvwz" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "os", "um")]
_PATTERNS, _WORDS = 400, 20_000


def questions(count: int) -> Iterator[str]:
    """`count` questions, the same every time; the last thousand can be said again."""
    rng = Random("0:words")
    words = ["".join(rng.choices(_SYLLABLES, k=rng.choice((1, 2, 2, 3)))) for _ in range(_WORDS)]
    patterns = [
        [rng.choice((None, *rng.sample(words, 2))) for _ in range(rng.randrange(6, 16))] for _ in range(_PATTERNS)
    ]
    recent: list[str] = []
    for index in range(count):
        own = Random(f"1:{index}")
        if recent and own.random() < 0.1:
            said = own.choice(recent).split()
            said[own.randrange(len(said))] = own.choice(words)
            yield " ".join(said)
            continue
        pattern = own.choice(patterns)
        text = " ".join(word or own.choice((own.choice(words), str(own.randrange(10_000)))) for word in pattern)
        text += f" {own.choice(words)} {own.choice(words)}?"
        recent = [*recent[-999:], text]
        yield text


def measure(count: int) -> tuple[int, float]:
    """How many are alike, and the processor's seconds without those that making the questions took."""
    texts = Texts()
    spent = taking(lambda source: deque(map(texts.add, source), maxlen=0), questions(count))
    start = time.process_time()
    kept = NearDuplicates(Buckets(texts))
    found = sum(kept.keep(number) is not None for number in range(count))
    return found, spent + time.process_time() - start


if __name__ == "__main__":
    main(measure, "alike", [10_000, 100_000])
