"""A deployment's run that is killed at random moments ends as one that was not; `benchmarks.kill_rounds` does more."""

from random import Random

import pytest

from benchmarks import kill_rounds
from tests.flows.served_support import Served


@pytest.mark.flow
def test_two_rounds_of_kill_9_lose_nothing_and_give_nothing_twice(served: Served) -> None:
    calm = kill_rounds.undisturbed(served)
    for number in range(2):
        assert "equal" in kill_rounds.one_round(served, f"round-{number}", calm, Random(f"test:{number}"))
