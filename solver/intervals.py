"""Means with 95 % intervals over items and seeds, of one measurement or of the difference of two on the same items.

In: a matrix with a row for each item and a column for each seed. Out: `Estimate`. Items are resampled with their seeds.
A seed may also move all items at once (weights trained with it, a server's mood): what the seeds differ beyond chance
is estimated by analysis of variance, and resampled beside the items (the residual bootstrap for crossed random effects,
Carpenter, Goldstein and Rasbash 2003), so that seeds that differ by chance alone hardly widen the interval. Few items
and few seeds widen it as Student's t does. Where no item differs from another there is nothing to resample: the bound
is then the one-sided Jeffreys bound on how often an unseen item might differ. Paired: give the matrix of differences.
Not promised: quite 95 % where 2 or 3 seeds differ strongly; docs/evaluation.md has what was measured.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

REPLICATES = 2_000
_BATCH = 1 << 22
"""Draws that are held at once."""
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


def estimate(values: ArrayLike, *, least: float = 0.0, most: float = 1.0) -> Estimate:
    """The mean of items x seeds with its interval, in [`least`, `most`]. Deterministic: the values seed the resampling.

    Raises `ValueError` for no values, or for one that is not finite: a metric is never null.
    """
    matrix: Matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise ValueError(f"values of {matrix.shape} items and seeds, all finite, are wanted")
    items = matrix.mean(axis=1)
    mean = float(items.mean())
    count = len(items)
    if np.ptp(items) == 0:
        unseen = float(stats.beta.ppf(0.975, 0.5, count + 0.5))
        return Estimate(mean, mean - unseen * (mean - least), mean + unseen * (most - mean))
    random = np.random.default_rng(int.from_bytes(hashlib.sha256(matrix.tobytes()).digest()[:8], "big"))
    drawn = _resampled(items, random) + _shifts(matrix, random)
    # Resamples of few items spread too little: as if the spread of all items were known, and that of n - 1.
    drawn = mean + (drawn - mean) * np.sqrt(count / (count - 1)) * _student(count)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(mean, float(max(low, least)), float(min(high, most)))


def difference(one: ArrayLike, other: ArrayLike) -> Estimate:
    """How much higher `one` is than `other`, paired: the same items in the same rows, the same seeds in the columns."""
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"{first.shape} and {second.shape} are not the same items and seeds")
    return estimate(first - second, least=-1.0)


def _student(count: int) -> float:
    """How much wider an interval is whose spread is known from so few."""
    return float(stats.t.ppf(0.975, count - 1) / stats.norm.ppf(0.975))


def _resampled(items: Matrix, random: np.random.Generator) -> Matrix:
    """Means of items drawn with replacement."""
    count, found = len(items), []
    for start in range(0, REPLICATES, batch := max(1, _BATCH // count)):
        chosen = random.integers(0, count, size=(min(batch, REPLICATES - start), count))
        found.append(items[chosen].mean(axis=1))
    return np.concatenate(found)


def _shifts(matrix: Matrix, random: np.random.Generator) -> Any:
    """What seeds drawn with replacement add to the mean: nothing, unless they differ by more than chance."""
    count, seeds = matrix.shape
    if seeds < 2:
        return 0.0
    effects = matrix.mean(axis=0) - matrix.mean()
    spread = float((effects**2).sum()) / (seeds - 1)
    rest = matrix - matrix.mean(axis=1, keepdims=True) - effects
    chance = float((rest**2).sum()) / ((count - 1) * (seeds - 1)) / count
    if spread <= chance:
        return 0.0
    # Scaled so that drawn effects have the variance that is beyond chance, which a draw of few seeds would shrink.
    scaled = effects * np.sqrt((spread - chance) / spread * seeds / (seeds - 1)) * _student(seeds)
    return random.choice(scaled, size=(REPLICATES, seeds)).mean(axis=1)
