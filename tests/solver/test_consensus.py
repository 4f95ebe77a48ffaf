"""Consensus: what the attempts agree on, and when that speaks against the gold."""

import json
from collections.abc import Sequence

import pytest

from data.records import Score
from solver.difficulty import rate
from solver.rollouts import Settings, attempt
from tests.solver.solver_cases import Told, book, task

ROMA, MILANO, OSLO = (json.dumps([book(city)]) for city in ("Roma", "Milano", "Oslo"))
INVALID = json.dumps([{"name": "book_table", "arguments": {"restaurant": "Milano"}}])


async def score_of(answers: Sequence[str], **fields: object) -> Score:
    (attempts,) = await attempt([task(**fields)], Told(lambda key, index: answers[index]), Settings(k=len(answers)))  # type: ignore[arg-type]
    score = rate(attempts)
    assert isinstance(score, Score)
    return score


@pytest.mark.parametrize(
    ("answers", "share", "is_gold", "suspect"),
    [
        ([ROMA, ROMA, ROMA, MILANO], 0.75, True, False),
        ([ROMA, MILANO, MILANO, OSLO], 0.5, False, True),
        ([ROMA, ROMA, MILANO, MILANO], 0.5, True, False),
        ([ROMA, MILANO, OSLO, "nothing"], 0.25, True, False),
        ([INVALID, INVALID, INVALID, ROMA], 0.25, True, False),
        (["[]", "[]", "[]", MILANO], 0.25, False, False),
        (["nothing"] * 4, 0.0, False, False),
    ],
    ids=["gold", "dissent", "tie", "scattered", "invalid", "empty", "unreadable"],
)
async def test_a_valid_answer_of_half_the_attempts_that_is_not_the_gold_makes_a_suspect(
    answers: list[str], share: float, is_gold: bool, suspect: bool
) -> None:
    score = await score_of(answers)
    assert (score.consensus_share, score.consensus_is_gold, score.suspect) == (share, is_gold, suspect)


async def test_parallel_calls_agree_in_any_order() -> None:
    one_way = json.dumps([book("Milano"), book("Oslo")])
    other_way = json.dumps([book("Oslo"), book("Milano")])
    assert (await score_of([one_way, other_way, ROMA, ROMA])).consensus_share == 0.5
    assert (await score_of([one_way, other_way, one_way, ROMA])).suspect


async def test_alternatives_of_the_gold_agree_with_it() -> None:
    score = await score_of([ROMA, MILANO, MILANO, OSLO], accept=[{"restaurant": ["Milano"]}])
    assert (score.consensus_share, score.consensus_is_gold) == (0.75, True)


async def test_no_call_is_an_answer_where_it_is_the_gold() -> None:
    score = await score_of(["[]", "[]", "[]", ROMA], calls=())
    assert (score.passes, score.consensus_share, score.consensus_is_gold) == (3, 0.75, True)
