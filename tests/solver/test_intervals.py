"""Intervals over items and seeds: known values, and how often they hold the truth in simulation."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from solver.intervals import Estimate, difference, estimate

TRIALS = 400
"""The share of 400 intervals that hold the truth is known to 1.1 points (one standard error at 95 %)."""


def held(estimates: list[Estimate], truth: float) -> float:
    return float(np.mean([one.low <= truth <= one.high for one in estimates]))


def answers(random: np.random.Generator, abilities: np.ndarray, seeds: int, shift: float = 0.0) -> np.ndarray:
    """Right or wrong: each item has its ability; each seed shifts all of them."""
    moved = np.clip(abilities[:, None] + random.normal(0, shift, size=(1, seeds)), 0, 1)
    return (random.random((len(abilities), seeds)) < moved).astype(float)


def test_the_mean_is_the_mean() -> None:
    assert estimate([[1, 0], [1, 1], [0, 0]]).mean == pytest.approx(0.5)


def test_one_seed_of_a_coin_has_the_binomial_spread() -> None:
    got = estimate([[float(i % 2)] for i in range(1000)])
    half = 1.96 * np.sqrt(0.25 / 1000)
    assert [got.low, got.high] == pytest.approx([0.5 - half, 0.5 + half], abs=0.003)


@pytest.mark.parametrize(("value", "bounds"), [(1.0, (0.9753, 1.0)), (0.0, (0.0, 0.0247))])
def test_all_alike_is_bounded_by_jeffreys(value: float, bounds: tuple[float, float]) -> None:
    got = estimate([[value]] * 100)
    assert [got.low, got.high] == pytest.approx(list(bounds), abs=5e-4)
    assert float(stats.beta.ppf(0.025, 100.5, 0.5)) == pytest.approx(estimate([[1.0]] * 100).low)


def test_no_difference_seen_is_no_proof_of_none() -> None:
    got = difference([[1.0]] * 50, [[1.0]] * 50)
    assert got.mean == 0
    assert got.low == -got.high < -0.01


def test_the_same_values_give_the_same_interval() -> None:
    values = np.random.default_rng(1).random((40, 3))
    assert estimate(values) == estimate(values.copy())


@pytest.mark.parametrize("values", [[], [[]], [[float("nan")]], [0.5, 0.5], [[None]]])
def test_nothing_is_no_metric(values: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        estimate(values)


def test_pairs_must_be_of_the_same_items() -> None:
    with pytest.raises(ValueError, match="same items"):
        difference([[1.0]], [[1.0], [0.0]])


def test_pairing_takes_the_spread_of_items_out() -> None:
    """Two solvers that agree on nine of ten items differ less surely known apart than together."""
    random = np.random.default_rng(2)
    ability = random.choice([0.05, 0.95], size=300)
    one, other = answers(random, ability, 3), answers(random, ability, 3)
    paired = difference(one, other)
    widths = [estimate(x).high - estimate(x).low for x in (one, other)]
    apart = float(np.hypot(widths[0], widths[1]))
    assert paired.high - paired.low < 0.6 * apart


@pytest.mark.parametrize("seeds", [1, 3, 5])
@pytest.mark.parametrize("items", [5, 40])
def test_the_interval_holds_the_truth_95_times_in_100(items: int, seeds: int) -> None:
    """Items are a sample of all items (uniform abilities); seeds differ by chance alone."""
    random = np.random.default_rng(items * 10 + seeds)
    got = [estimate(answers(random, random.random(items), seeds)) for _ in range(TRIALS)]
    assert 0.915 <= held(got, 0.5) <= 0.985


@pytest.mark.parametrize("seeds", [3, 5])
def test_the_paired_interval_holds_a_true_gain(seeds: int) -> None:
    random = np.random.default_rng(seeds)
    got = []
    for _ in range(TRIALS):
        ability = random.uniform(0, 0.8, size=100)
        got.append(difference(answers(random, ability + 0.1, seeds), answers(random, ability, seeds)))
    assert 0.92 <= held(got, 0.1) <= 0.985


def test_seeds_that_move_all_items_widen_the_interval() -> None:
    """Five trainings whose means spread by 5 points: resampling items alone would hold the truth far less often."""
    random = np.random.default_rng(9)
    got = [estimate(answers(random, random.uniform(0.2, 0.8, size=200), 5, shift=0.05)) for _ in range(TRIALS)]
    assert 0.90 <= held(got, 0.5) <= 0.985


def test_seeds_that_differ_by_chance_alone_hardly_widen_it() -> None:
    random = np.random.default_rng(10)
    ratios = []
    for _ in range(100):
        matrix = answers(random, random.random(100), 3)
        spread = float(matrix.mean(axis=1).std(ddof=1)) / 10 * 2 * 1.96
        got = estimate(matrix)
        ratios.append((got.high - got.low) / spread)
    assert np.median(ratios) < 1.1
    assert np.mean(ratios) < 1.3
