"""How hard a task is for one solver: pass rate with error bars, band, difficulty reward and training signal.

In: the attempts of one task under one harness. Out: a `Score`, or a `Verdict` when no attempt counts.
Not promised: that an adaptively stopped pass rate is unbiased. Stopping early and selecting afterwards both
bias it, which is what `--confirm` is for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from scipy.special import betainc, betaincinv

from data.records import Attempt, Band, Score, Verdict
from solver.consensus import consensus

LOW, HIGH = 0.25, 0.75
"""The frontier, both ends included."""
_WIDTH = 0.12
_GROUP = 8
UNCOUNTED = frozenset({"infrastructure", "checker_error"})
"""Outcomes that are our fault, not the solver's: outside every denominator (RULES A9, DESIGN 5)."""


@cache
def jeffreys_interval(passes: int, attempts: int) -> tuple[float, float]:
    """The 95 % Jeffreys interval of a pass rate (Brown, Cai & DasGupta 2001): quantiles of Beta(x + 1/2, n - x + 1/2).

    As there, the lower end is 0 without a pass and the upper end 1 without a failure.
    """
    a, b = passes + 0.5, attempts - passes + 0.5
    low = 0.0 if passes == 0 else float(betaincinv(a, b, 0.025))
    high = 1.0 if passes == attempts else float(betaincinv(a, b, 0.975))
    return low, high


def band_of(pass_rate: float) -> Band:
    """`hard` below 0.25, `easy` above 0.75, else `frontier` (CONTRACT, `band`)."""
    if pass_rate < LOW:
        return "hard"
    return "easy" if pass_rate > HIGH else "frontier"


@cache
def band_probability(passes: int, attempts: int, band: Band) -> float:
    """The posterior probability, under Jeffreys' prior, that the true pass rate lies in `band`."""
    a, b = passes + 0.5, attempts - passes + 0.5
    below_low, below_high = float(betainc(a, b, LOW)), float(betainc(a, b, HIGH))
    return {"hard": below_low, "frontier": below_high - below_low, "easy": 1.0 - below_high}[band]


def difficulty_reward(pass_rate: float, attempts: int) -> float:
    """Tool-R0's difficulty reward (DESIGN 3): 0 below 1/k, 1 at the frontier, else a Gaussian of the distance to it."""
    if pass_rate * attempts < 1:
        return 0.0
    distance = max(LOW - pass_rate, pass_rate - HIGH, 0.0)
    return math.exp(-(distance**2) / (2 * _WIDTH**2))


def signal(pass_rate: float, group: int = _GROUP) -> float:
    """The chance that a GRPO group of `group` rollouts disagrees on pass or fail: `1 - p^G - (1-p)^G`."""
    return 1.0 - float(pass_rate**group) - float((1.0 - pass_rate) ** group)


def rate(attempts: Sequence[Attempt]) -> Score | Verdict:
    """The score of one task from all its attempts under one harness; infrastructure failures count nowhere.

    `reward_std` is the population's (the attempts are the group, not a sample of it); rewards that agree to nine
    decimals are one value. Without a valid attempt: `Verdict("reachability", "no_valid_attempt", ...)`.
    """
    valid = [attempt for attempt in attempts if attempt.outcome not in UNCOUNTED]
    if not valid:
        reason = attempts[0].detail if attempts else "no attempt was made"
        return Verdict("reachability", "no_valid_attempt", f"{len(attempts)} attempts, none counts: {reason}")
    k = len(valid)
    passes = sum(attempt.outcome == "correct" for attempt in valid)
    rewards = [attempt.reward for attempt in valid]
    p, mean = passes / k, math.fsum(rewards) / k
    low, high = jeffreys_interval(passes, k)
    band = band_of(p)
    agreed = consensus(valid)
    return Score(
        task_id=valid[0].task_id,
        harness=valid[0].harness,
        attempts=k,
        passes=passes,
        pass_rate=p,
        pass_low=low,
        pass_high=high,
        confirmed=all(attempt.fresh for attempt in valid),
        band=band,
        band_probability=band_probability(passes, k, band),
        difficulty_reward=difficulty_reward(p, k),
        reward_mean=mean,
        reward_std=math.sqrt(math.fsum((reward - mean) ** 2 for reward in rewards) / k),
        reward_values=len({round(reward, 9) for reward in rewards}),
        signal_g8=signal(p),
        consensus_share=agreed.share,
        consensus_is_gold=agreed.is_gold,
    )
