"""The circuit breaker, by a clock of our own."""

from __future__ import annotations

import pytest

from data.errors import EngineUnavailable
from policies.breaker import Breaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def broken(clock: Clock) -> Breaker:
    breaker = Breaker("it", limit=2, cooldown=30, clock=clock)
    breaker.failed("one")
    breaker.failed("two")
    return breaker


def test_it_opens_after_failures_in_a_row_and_says_the_last(broken: Breaker) -> None:
    with pytest.raises(EngineUnavailable, match="it failed 2 times in a row, the last time with: two"):
        broken.enter()


def test_a_success_between_failures_keeps_it_closed(clock: Clock) -> None:
    breaker = Breaker("it", limit=2, clock=clock)
    for _ in range(5):
        breaker.failed("x")
        breaker.succeeded()
    breaker.enter()


def test_after_the_cooldown_one_probe_goes_through(broken: Breaker, clock: Clock) -> None:
    clock.now += 31
    broken.enter()
    with pytest.raises(EngineUnavailable):
        broken.enter()


def test_a_probe_that_succeeds_closes_it(broken: Breaker, clock: Clock) -> None:
    clock.now += 31
    broken.enter()
    broken.succeeded()
    broken.enter()
    broken.enter()


def test_a_probe_that_fails_opens_it_again(broken: Breaker, clock: Clock) -> None:
    clock.now += 31
    broken.enter()
    broken.failed("three")
    clock.now += 29
    with pytest.raises(EngineUnavailable, match="three"):
        broken.enter()
