"""What dropping near-duplicates costs as questions grow: processor time a question, and memory.

In: sizes (default 10,000 and 100,000; add 1,000,000). Out: a line for each size, each measured in a process of its own.
Questions are made of 400 patterns with names, places, numbers and clauses in them; one in ten says an earlier one again
with a word changed. Linear time shows as a ratio near 1 in the last column (processor time a question, against the
first size).

    python -m benchmarks.dedup 10000 100000 1000000
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random

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
    texts, spent = Texts(), 0.0
    source = questions(count)
    while batch := list(islice(source, 10_000)):
        start = time.process_time()
        for text in batch:
            texts.add(text)
        spent += time.process_time() - start
    start = time.process_time()
    kept = NearDuplicates(Buckets(texts))
    found = sum(kept.keep(number) is not None for number in range(count))
    return found, spent + time.process_time() - start


def main(module: str, one: Callable[[int], tuple[int, float]], what: str, sizes: Sequence[int]) -> None:
    """Each size in a process of its own, and a line of what it took."""
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        wall = time.monotonic()
        found, spent = one(int(sys.argv[2]))
        print(found, spent, time.monotonic() - wall, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    print(f"{'questions':>10} {what:>8} {'cpu s':>8} {'wall s':>8} {'us each':>8} {'peak MiB':>9} {'ratio':>6}")
    first = 0.0
    for size in [int(word) for word in sys.argv[1:]] or sizes:
        command = [sys.executable, "-m", module, "--one", str(size)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        count, cpu, wall, peak = map(float, done.stdout.split())
        each = 1e6 * cpu / size
        first = first or each
        row = f"{size:10,} {count:8,.0f} {cpu:8.1f} {wall:8.1f} {each:8.0f} {peak:9.0f}"
        print(f"{row} {each / first:5.2f}x", flush=True)


if __name__ == "__main__":
    main("benchmarks.dedup", measure, "alike", [10_000, 100_000])
