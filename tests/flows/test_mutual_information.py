"""The proxy is the logarithm of the number of pairs where each completion has its own prompt, else nothing."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.mutual_information import measured

FAR = -1e3


@pytest.mark.parametrize("count", [2, 8])
def test_completions_that_fit_their_own_prompt_alone(count: int) -> None:
    found = measured([[-0.5 if mine == theirs else FAR for theirs in range(count)] for mine in range(count)])
    assert found["mutual_information"] == pytest.approx(log(count))
    assert found["entropy"] == pytest.approx(0.5)


def test_completions_that_fit_every_prompt_alike_tell_nothing_whatever_their_entropy() -> None:
    found = measured([[-2.0] * 4, [-1.0] * 4, [-3.0] * 4, [-2.0] * 4])
    assert found["mutual_information"] == pytest.approx(0)
    assert found["entropy"] == pytest.approx(2)


@given(
    st.integers(2, 6).flatmap(
        lambda n: st.lists(st.lists(st.floats(-20, 0), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_it_never_exceeds_the_logarithm_of_the_pairs(matrix: list[list[float]]) -> None:
    assert measured(matrix)["mutual_information"] <= log(len(matrix)) + 1e-9
