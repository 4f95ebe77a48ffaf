"""Difficulty: every figure of a score has the value that its definition gives."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Attempt, Score, Verdict
from solver.difficulty import (
    band_of,
    band_probability,
    difficulty_reward,
    jeffreys_interval,
    rate,
    signal,
)

ATTEMPT = Attempt(
    task_id="t",
    harness="json",
    index=0,
    seed=0,
    completion="",
    calls=[],
    outcome="wrong_value",
    reward=0.0,
    prompt_tokens=1,
    completion_tokens=1,
    finish_reason="stop",
)


def attempts(outcomes: list[tuple[str, float]]) -> list[Attempt]:
    return [
        replace(ATTEMPT, index=i, outcome=outcome, reward=reward, answer_key="gold" if outcome == "correct" else "")
        for i, (outcome, reward) in enumerate(outcomes)
    ]


def scored(outcomes: list[tuple[str, float]]) -> Score:
    score = rate(attempts(outcomes))
    assert isinstance(score, Score)
    return score


@pytest.mark.parametrize(
    ("passes", "reward"), [(0, 0.0), (1, 0.581), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 0.581), (8, 0.114)]
)
def test_difficulty_reward_has_the_values_of_tool_r0_at_k_8(passes: int, reward: float) -> None:
    assert difficulty_reward(passes / 8, 8) == pytest.approx(reward, abs=5e-4)


@pytest.mark.parametrize(
    ("passes", "attempts", "low", "high"),
    # Quantiles of Beta(x + 1/2, n - x + 1/2), as R's qbeta and binom.bayes(prior.shape = 0.5) give them.
    [(0, 8, 0.0, 0.262), (8, 8, 0.738, 1.0), (4, 8, 0.199, 0.801), (1, 8, 0.014, 0.454), (5, 10, 0.224, 0.776)],
)
def test_the_interval_is_jeffreys(passes: int, attempts: int, low: float, high: float) -> None:
    assert jeffreys_interval(passes, attempts) == pytest.approx((low, high), abs=1e-3)


@pytest.mark.parametrize(
    ("rate", "band"),
    [(0, "hard"), (0.2499, "hard"), (0.25, "frontier"), (0.75, "frontier"), (0.7501, "easy"), (1, "easy")],
)
def test_both_ends_of_the_frontier_belong_to_it(rate: float, band: str) -> None:
    assert band_of(rate) == band


@given(st.integers(1, 64), st.data())
def test_the_three_bands_share_the_whole_probability(attempts: int, data: st.DataObject) -> None:
    passes = data.draw(st.integers(0, attempts))
    assert math.fsum(
        band_probability(passes, attempts, band) for band in ("hard", "frontier", "easy")
    ) == pytest.approx(1)


@given(st.integers(1, 64), st.data())
def test_failures_mirror_passes(attempts: int, data: st.DataObject) -> None:
    passes = data.draw(st.integers(0, attempts))
    low, high = jeffreys_interval(passes, attempts)
    mirrored = jeffreys_interval(attempts - passes, attempts)
    assert mirrored == pytest.approx((1 - high, 1 - low))
    assert band_probability(passes, attempts, "hard") == pytest.approx(
        band_probability(attempts - passes, attempts, "easy")
    )


def test_probability_of_a_band_is_the_posteriors() -> None:
    # Beta(0.5, 4.5) has 11.67 % between 0.25 and 0.75.
    assert band_probability(0, 4, "frontier") == pytest.approx(0.1167, abs=1e-4)


@pytest.mark.parametrize(("p", "value"), [(0, 0), (1, 0), (0.5, 1 - 2 / 256), (0.25, 1 - 0.25**8 - 0.75**8)])
def test_signal_is_the_chance_that_a_group_of_8_disagrees(p: float, value: float) -> None:
    assert signal(p) == pytest.approx(value)


def test_a_score_counts_passes_and_describes_the_rewards() -> None:
    score = scored([("correct", 1.0), ("wrong_value", 0.75), ("wrong_tool", 0.0), ("wrong_value", 0.75)])
    assert (score.attempts, score.passes, score.pass_rate, score.band) == (4, 1, 0.25, "frontier")
    assert score.reward_mean == 0.625
    assert score.reward_std == pytest.approx(math.sqrt((0.375**2 + 0.125**2 + 0.625**2 + 0.125**2) / 4))
    assert score.reward_values == 3


def test_rewards_that_differ_by_rounding_are_one_value() -> None:
    assert scored([("wrong_value", 0.1 + 0.2), ("wrong_value", 0.3)]).reward_values == 1


@pytest.mark.parametrize("ours", ["infrastructure", "checker_error"])
def test_our_own_failures_are_outside_the_denominator(ours: str) -> None:
    with_failures = scored([("correct", 1.0), (ours, 0.0), ("wrong_value", 0.5), (ours, 0.0)])
    assert with_failures == scored([("correct", 1.0), ("wrong_value", 0.5)])


def test_a_truncated_answer_is_a_failure() -> None:
    assert scored([("correct", 1.0), ("truncated", 0.0)]).pass_rate == 0.5


@pytest.mark.parametrize("outcomes", [[], [("infrastructure", 0.0)] * 3])
def test_without_a_valid_attempt_the_fate_has_a_name(outcomes: list[tuple[str, float]]) -> None:
    fate = rate(attempts(outcomes))
    assert isinstance(fate, Verdict)
    assert (fate.check, fate.code) == ("reachability", "no_valid_attempt")


def test_only_fresh_attempts_confirm() -> None:
    drawn = attempts([("correct", 1.0), ("correct", 1.0)])
    fresh = [replace(one, fresh=True) for one in drawn]
    assert isinstance(score := rate(fresh), Score)
    assert score.confirmed
    assert isinstance(score := rate([drawn[0], fresh[1]]), Score)
    assert not score.confirmed


@given(st.lists(st.sampled_from(["correct", "wrong_value", "truncated", "infrastructure"]), min_size=1, max_size=64))
def test_every_figure_is_finite(outcomes: list[str]) -> None:
    score = rate(attempts([(outcome, float(outcome == "correct")) for outcome in outcomes]))
    if isinstance(score, Score):
        figures = [value for name in Score.__slots__ if isinstance(value := getattr(score, name), float)]
        assert all(math.isfinite(value) for value in figures)
        assert score.pass_low <= score.pass_rate <= score.pass_high
