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
from collections.abc import Iterator
from random import Random

from data.neardup import NearDuplicates

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


def measure(count: int) -> None:
    kept, found, spent, index = NearDuplicates(), 0, 0.0, 0
    wall = time.monotonic()
    source = questions(count)
    while batch := [text for _, text in zip(range(1000), source, strict=False)]:
        start = time.process_time()
        for text in batch:
            found += kept.keep(index, text) is not None
            index += 1
        spent += time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(index, found, spent, time.monotonic() - wall, peak)


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        measure(int(sys.argv[2]))
        return
    print(f"{'questions':>10} {'alike':>8} {'cpu s':>8} {'wall s':>8} {'us each':>8} {'peak MiB':>9} {'ratio':>6}")
    first = 0.0
    for size in [int(word) for word in sys.argv[1:]] or [10_000, 100_000]:
        command = [sys.executable, "-m", "benchmarks.dedup", "--one", str(size)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        count, found, cpu, wall, peak = done.stdout.split()
        each = 1e6 * float(cpu) / int(count)
        first = first or each
        row = f"{int(count):10,} {int(found):8,} {float(cpu):8.1f} {float(wall):8.1f} {each:8.0f} {float(peak):9.0f}"
        print(f"{row} {each / first:5.2f}x", flush=True)


if __name__ == "__main__":
    main()
