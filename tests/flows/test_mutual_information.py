"""The proxy is the logarithm of the number of pairs where each completion has its own prompt, else nothing."""

from math import log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import PolicyError
from flows import mutual_information
from flows.mutual_information import information, measured
from policies.players import Player
from tests.flows.training_support import make_tasks, make_version

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


def test_what_the_engine_fails_at_is_not_measured_and_has_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> list[list[float]]:
        raise PolicyError("the server died")

    monkeypatch.setattr(mutual_information, "likelihoods", fails)
    version = make_version(tmp_path, make_tasks(8), {})
    player = Player("generator", "vllm", "sha256:0", "vllm")
    assert information(version, player, "plain") == ({}, "the server died")


@pytest.mark.parametrize("engine", ["embedded", "scripted", "http://host:8000/v1#model"])
def test_other_engines_are_not_asked(tmp_path: Path, engine: str) -> None:
    version = make_version(tmp_path, make_tasks(8), {})
    found, why = information(version, Player("generator", engine, "sha256:0", engine), "plain")
    assert not found
    assert "no log-probabilities" in why


def test_too_few_candidates_tell_nothing(tmp_path: Path) -> None:
    found, why = information(
        make_version(tmp_path, make_tasks(3), {}), Player("generator", "vllm", "", "vllm"), "plain"
    )
    assert not found
    assert "it takes 4" in why
