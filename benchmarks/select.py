"""What selection costs as candidates grow: a tenth of them chosen, in bands, domains and turns of tools.

In: numbers of candidates (default 10,000 and 100,000; add 1,000,000). Out: a line for each, each measured in a process
of its own. Questions are those of `benchmarks.dedup`; 32 domains call one to three of 25 tools each, many of them
shared, so that thousands of groups of tools wait behind each other. Seconds are of taking the candidates in and of one
selection; memory is the process's, which with all its imports begins near 65 MiB.

    python -m benchmarks.select 10000 100000 1000000
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from random import Random

from benchmarks.dedup import questions
from benchmarks.sizes import main, taking
from data.candidates import Candidate, Candidates
from data.records import Band
from data.rule import Rule
from data.select import select


def pool(count: int) -> Iterator[Candidate]:
    """`count` candidates, the same every time."""
    for index, question in enumerate(questions(count)):
        own = Random(f"2:{index}")
        rate = own.randrange(9) / 8
        band: Band = "hard" if rate < 0.25 else "easy" if rate > 0.75 else "frontier"
        domain = own.randrange(32)
        tools = tuple(sorted({f"tool_{domain + own.randrange(25)}" for _ in range(own.choice((1, 1, 1, 2, 2, 3)))}))
        yield Candidate(
            index, question, f"domain {domain}", tools, rate, band, own.random() < 0.05, own.random() / 2,
            rate**8 + (1 - rate) ** 8,
        )  # fmt: skip


def measure(count: int) -> tuple[int, float]:
    """How many were chosen, and the processor's seconds without those that making the candidates took."""
    candidates = Candidates()
    spent = taking(lambda source: deque(map(candidates.add, source), maxlen=0), pool(count))
    start = time.process_time()
    found = select(candidates, Rule(count // 10))
    return len(found.chosen), spent + time.process_time() - start


if __name__ == "__main__":
    main(measure, "chosen", [10_000, 100_000])
