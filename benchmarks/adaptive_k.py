"""How many rollouts adaptive k spends against a fixed k, and how often each names a task's band right.

In: nothing. Out: a table, exact and not sampled: every path of waves is weighed by its binomial probability, over
true pass rates that are uniform or U-shaped (arcsine). The last column is the fixed k (interpolated) that is as often
right, so the ratio compares at equal accuracy. Not promised: anything about wall time.

    python -m benchmarks.adaptive_k
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise

from solver.difficulty import band_of
from solver.rollouts import MOST, WAVE, settled

Rule = Callable[[int, int], bool]
_GRID = 80
RATES = {
    "uniform": [(i + 0.5) / _GRID for i in range(_GRID)],
    "U-shaped": [math.sin(math.pi * (i + 0.5) / (2 * _GRID)) ** 2 for i in range(_GRID)],
}


def expected(rates: list[float], cap: int, stop: Rule) -> tuple[float, float]:
    """Mean rollouts a task, and the share of tasks whose band by point estimate is the true one."""
    rollouts = right = 0.0
    for p in rates:
        paths = {(0, 0): 1.0}
        while paths:
            longer: defaultdict[tuple[int, int], float] = defaultdict(float)
            for (passes, drawn), chance in paths.items():
                if drawn == cap or stop(passes, drawn):
                    rollouts += chance * drawn
                    right += chance * (band_of(passes / drawn) == band_of(p))
                    continue
                size = min(WAVE, cap - drawn)
                for more in range(size + 1):
                    step = math.comb(size, more) * p**more * (1 - p) ** (size - more)
                    longer[passes + more, drawn + size] += chance * step
            paths = longer
    return rollouts / len(rates), right / len(rates)


def as_accurate(curve: list[tuple[float, float]], accuracy: float) -> float:
    """The fixed k, between two of the curve's, that reaches `accuracy`; the largest where none does."""
    for (k, low), (longer, high) in pairwise(curve):
        if low <= accuracy <= high:
            return k + (longer - k) * (accuracy - low) / (high - low)
    return curve[-1][0]


def main() -> None:
    print("pass rates  k max  rollouts  band right  of k = 8  equal fixed k  ratio")
    for name, rates in RATES.items():
        curve = [expected(rates, k, lambda passes, drawn: False) for k in range(WAVE, MOST + 1, WAVE)]
        for cap in (8, 16, 32, MOST):
            rollouts, right = expected(rates, cap, settled)
            equal = as_accurate(curve, right)
            row = f"{name:10} {cap:6} {rollouts:9.2f} {right:11.3f} {rollouts / 8:8.2f}x"
            print(f"{row} {equal:14.1f} {rollouts / equal:5.2f}x")


if __name__ == "__main__":
    main()
