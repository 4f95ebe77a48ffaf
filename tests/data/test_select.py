"""Selection: exactly n, mixed by measured pass rate, spread, no question twice, and a reason for everyone else."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.candidates import Candidate
from data.errors import UsageError
from data.records import Band, JsonObject, Message, Score, Task
from data.rule import BANDS, DEFAULT_MIX, Rule, seats
from data.select import Selection, candidate_of
from data.select import select as select_by


def question(index: int) -> str:
    """No two of these share 70 % of their trigrams."""
    return "".join(random.Random(index).choices("abcdefghijklmnopqrstuvwxyz", k=40))


def candidate(
    index: int, rate: float = 0.5, *, domain: str = "d", tool: str = "t", text: str = "", **rest: bool
) -> Candidate:
    band: Band = "hard" if rate < 0.25 else "easy" if rate > 0.75 else "frontier"
    return Candidate(index, text or question(index), domain, (tool,), rate, band, rest.get("suspect", False))


def select(candidates: Iterable[Candidate], n: int, mix: Mapping[Band, float] = DEFAULT_MIX, **rest: Any) -> Selection:
    return select_by(candidates, Rule(n, mix, **rest))


def many(count: int) -> list[Candidate]:
    rng = random.Random(0)
    return [
        candidate(i, rng.randrange(9) / 8, domain=f"d{rng.randrange(4)}", tool=f"t{rng.randrange(6)}")
        for i in range(count)
    ]


def codes(refused: Mapping[int, object]) -> Counter[str]:
    return Counter(getattr(verdict, "code", "") for verdict in refused.values())


def test_exactly_n_are_chosen_in_the_default_mix() -> None:
    found = select(many(300), 20)
    assert len(found.chosen) == len(set(found.chosen)) == 20
    assert found.got == {"frontier": 12, "hard": 4, "easy": 4}
    assert found.mixed
    assert found.describe() == ""


@given(st.integers(0, 60), st.integers(0, 40), st.randoms(use_true_random=False))
def test_each_candidate_is_chosen_or_refused_and_never_both(count: int, n: int, rng: random.Random) -> None:
    given_ = many(count)
    rng.shuffle(given_)
    found = select(given_, n)
    assert sorted([*found.chosen, *found.refused]) == list(range(count))
    assert len(found.chosen) + found.missing == n
    assert {verdict.check for verdict in found.refused.values()} <= {"select"}


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(rng: random.Random) -> None:
    shuffled = many(40)
    rng.shuffle(shuffled)
    assert select(shuffled, 10) == select(many(40), 10)


def test_a_task_that_nobody_passed_is_unreachable() -> None:
    found = select([candidate(0, 0.0), candidate(1, 0.125)], 2)
    assert found.chosen == (1,)
    assert found.refused[0].code == "unreachable"


def test_a_suspect_is_out_unless_asked_for() -> None:
    doubtful = [candidate(0, suspect=True)]
    assert select(doubtful, 1).refused[0].code == "suspect"
    assert select(doubtful, 1, suspects=True).chosen == (0,)


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ("What is the weather in Zürich on Sunday morning?", "duplicate"),
        ("  what is the WEATHER in\u00a0Zu\u0308rich on sunday-morning?", "duplicate"),
        ("What is the weather in Zürich on Monday morning?", "near_duplicate"),
        ("What was the weather in Zürich on Sunday morning?", "near_duplicate"),
    ],
)
def test_no_question_comes_twice(other: str, code: str) -> None:
    first = candidate(0, text="What is the weather in Zürich on Sunday morning?")
    found = select([first, candidate(1, text=other)], 2)
    assert found.chosen == (0,)
    assert found.refused[1].code == code
    assert "brief 0" in found.refused[1].detail


def test_other_questions_of_one_pattern_stay() -> None:
    texts = [
        "Book a table for two at Luigi's",
        "Is it raining in Oslo?",
        "Is there a train to Bonn?",
        "Book a flight to Oslo",
    ]
    assert select([candidate(i, text=text) for i, text in enumerate(texts)], 4).missing == 0


def test_a_duplicate_of_what_was_not_chosen_is_no_duplicate() -> None:
    pair = [candidate(0, 0.0, text="the same words"), candidate(1, text="the same words")]
    assert select(pair, 1).chosen == (1,)


def test_seats_that_a_band_cannot_fill_go_to_the_others_and_the_selection_says_so() -> None:
    found = select([candidate(i, 1.0) for i in range(10)], 5)
    assert found.missing == 0
    assert not found.mixed
    assert found.describe() == "5 of 5 tasks (frontier 0 of 3, hard 0 of 1, easy 5 of 1); not chosen: 5 surplus"


def test_a_band_without_a_share_is_never_used() -> None:
    found = select([candidate(0), candidate(1, 1.0)], 2, {"frontier": 1.0})
    assert found.chosen == (0,)
    assert found.refused[1].code == "band_excluded"
    assert found.missing == 1


def test_a_shortfall_is_counted_and_explained() -> None:
    found = select([candidate(0, 0.0), candidate(1, 0.5), candidate(2, 0.5, suspect=True)], 4)
    assert found.missing == 3
    assert found.describe() == (
        "1 of 4 tasks (frontier 1 of 2, hard 0 of 1, easy 0 of 1); not chosen: 1 suspect, 1 unreachable"
    )


def test_no_domain_and_no_tool_dominates() -> None:
    crowd = [candidate(i, domain="big", tool="one") for i in range(100)]
    rest = [candidate(100 + i, domain=f"d{i % 3}", tool=f"t{i}") for i in range(9)]
    found = select([*crowd, *rest], 12, {"frontier": 1})
    domains = Counter(one.domain for one in [*crowd, *rest] if one.index in set(found.chosen))
    assert domains == {"big": 3, "d0": 3, "d1": 3, "d2": 3}


def test_within_a_domain_the_tool_used_least_comes_next() -> None:
    pool = [candidate(i, tool="a") for i in range(5)] + [candidate(5, tool="b"), candidate(6, tool="c")]
    assert set(select(pool, 3, {"frontier": 1}).chosen) == {0, 5, 6}


def test_what_lies_nearer_to_the_frontier_comes_first() -> None:
    assert select([candidate(0, 1.0), candidate(1, 0.875)], 1, {"easy": 1}).chosen == (1,)


@given(st.integers(0, 1000), st.lists(st.integers(0, 10), min_size=3, max_size=3).filter(any))
def test_seats_add_up_and_follow_the_shares(n: int, shares: list[int]) -> None:
    mix: dict[Band, float] = dict(zip(BANDS, map(float, shares), strict=True))
    given_ = seats(n, mix)
    assert sum(given_.values()) == n
    assert all(abs(given_[band] - n * mix[band] / sum(shares)) < 1 for band in BANDS)


def test_a_band_without_a_share_gets_no_seat() -> None:
    assert seats(7, {"easy": 1.0}) == {"frontier": 0, "hard": 0, "easy": 7}


def test_the_default_mix_reaches_the_frontier_that_the_issue_asks_for() -> None:
    assert seats(32, DEFAULT_MIX)["frontier"] >= 12


@pytest.mark.parametrize("mix", [{}, {"easy": 0.0}, {"easy": -1.0, "hard": 2.0}, {"easy": float("nan")}])
def test_a_mix_without_shares_is_refused(mix: dict[Band, float]) -> None:
    with pytest.raises(UsageError, match="has no shares"):
        Rule(4, mix)


def test_a_candidate_is_made_of_all_that_the_user_says_and_the_tools_called() -> None:
    messages = (Message("user", "a"), Message("assistant", "which?"), Message("user", "b"))
    calls: tuple[JsonObject, ...] = tuple({"name": name, "arguments": {}} for name in "yxy")
    task = Task("id", "parallel", 2, "travel", "open", messages, (), calls)
    score = Score("id", "tags", 8, 2, 0.25, 0.1, 0.5, False, "frontier", 0.5, 1, 0.3, 0.1, 2, 0.9, 0.5, False)
    assert candidate_of(3, task, score) == Candidate(
        3, "a\nb", "travel", ("x", "y"), 0.25, "frontier", True, 0.1, 1 - 0.9
    )


def test_an_unanswerable_task_spreads_by_the_tool_that_was_taken_from_it() -> None:
    proof: JsonObject = {"removed": {"name": "t"}, "calls": [{"name": "t", "arguments": {}}]}
    parts = ("abstain", 1, "d", "catalogue", (Message("user", "q"),), (), ())
    score = Score("a", "json", 8, 4, 0.5, 0.2, 0.8, False, "frontier", 0.9, 1.0, 0.6, 0.3, 3, 0.99, 0.5, True)
    assert candidate_of(0, Task("a", *parts, unanswerable=proof), score).tools == ("t",)  # type: ignore[arg-type]
    assert candidate_of(0, Task("a", *parts), score).tools == ("",)  # type: ignore[arg-type]
