"""What a cost becomes as its size grows: CPU seconds of what is measured alone, and memory of a process of its own.

In: something to measure. Out: its figures, or with `main` a line for each size on the command line. CPU seconds are of
all threads, so that what else runs on the machine matters little; linear time shows as a ratio near 1 in the last
column (CPU time for each item, against the first size).
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")
Item = TypeVar("Item")


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def taking(take: Callable[[Iterator[Item]], object], source: Iterator[Item]) -> float:
    """CPU seconds of a call that goes through a stream, without those that it takes to make the items."""
    making = 0.0

    def got() -> Iterator[Item]:
        nonlocal making
        while True:
            start = time.process_time()
            item = next(source, None)
            making += time.process_time() - start
            if item is None:
                return
            yield item

    return seconds(lambda: take(got())) - making


def apart(work: Callable[..., Found], *given: object) -> tuple[Found, float]:
    """What a function of a module finds, in a process of its own, and the most memory of that process (MiB)."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_with_peak, (work, *given))


def _with_peak(work: Callable[..., Found], *given: object) -> tuple[Found, float]:
    found = work(*given)
    # `getrusage` would begin with the peak of the process that this one was started from.
    (line,) = [one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmHWM")]
    return found, int(line.split()[1]) / 1024


def main(measure: Callable[[int], tuple[int, float]], what: str, sizes: Sequence[int]) -> None:
    """A line for each size: how many `measure` found, and in how many CPU seconds; `wall s` includes the start."""
    print(f"{'questions':>10} {what:>8} {'cpu s':>8} {'wall s':>8} {'us each':>8} {'peak MiB':>9} {'ratio':>6}")
    first = 0.0
    for size in [int(word) for word in sys.argv[1:]] or sizes:
        start = time.monotonic()
        (count, cpu), peak = apart(measure, size)
        each = 1e6 * cpu / size
        first = first or each
        row = f"{size:10,} {count:8,} {cpu:8.1f} {time.monotonic() - start:8.1f} {each:8.0f} {peak:9.0f}"
        print(f"{row} {each / first:5.2f}x", flush=True)
