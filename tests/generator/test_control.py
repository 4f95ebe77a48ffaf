"""Curriculum control: briefs move to where tasks are learnable, no cell is starved, the same round draws the same."""

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Brief, BriefKind
from generator.briefs import BriefConfig, cell_shares, plan
from generator.catalogue import load_catalogue
from generator.control import (
    FLOOR,
    SAMPLED,
    Cell,
    Evidence,
    acceptances,
    cell_of,
    disagreement,
    faded,
    steered,
)

K = 8


def paper(**given: Any) -> BriefConfig:
    return BriefConfig(load_catalogue(), **given)


def small(**given: Any) -> BriefConfig:
    return BriefConfig(load_catalogue(), menu_sizes=(2, 3, 4), most_values=1, counts=(2,), **given)


PAPER, SMALL = paper(), small()
Make = Callable[..., BriefConfig]


def ability(brief: Brief) -> float:
    """A synthetic solver: two fifths of the domains are too hard, two fifths too easy; several calls are harder."""
    place = Random(f"ability of {brief.domain}").random()
    rate = 0.02 if place < 0.4 else 0.98 if place < 0.8 else 0.5
    return rate if brief.calls == 1 else 0.3 * rate


def played(config: BriefConfig, number: int, briefs: int) -> tuple[float, dict[Cell, Evidence]]:
    """A round: the share of briefs whose measured pass rate lies in the band, and the evidence."""
    band, seen = 0, dict[Cell, Evidence]()
    for index in range(briefs):
        brief, random = plan(config, index), Random(f"attempts {number}:{index}")
        passes = sum(random.random() < ability(brief) for _ in range(K))
        band += 0.25 <= passes / K <= 0.75
        seen.setdefault(cell_of(brief), Evidence()).add(1, disagreement(K, passes))
    return band / briefs, seen


def evolved(make: Make, rounds: int, briefs: int, seed: int) -> list[float]:
    """The share in the band, round by round."""
    bands, seen = list[float](), list[dict[Cell, Evidence]]()
    for number in range(1, rounds + 1):
        own: dict[str, Any] = {"seed": 1_000 * seed + number}
        if seen:
            cells = cell_shares(make(**own))
            own["accepted"] = acceptances(cells, faded((one, 0) for one in seen), seed, number)
        band, found = played(make(**own), number, briefs)
        bands.append(band)
        seen.append(found)
    return bands


@pytest.mark.parametrize("make", [paper, small])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_share_in_the_band_rises(make: Make, seed: int) -> None:
    first, *later = evolved(make, 4, 200, seed)
    assert min(later) > first + 0.05
    assert sum(later) / len(later) > 1.5 * first


def test_no_cell_falls_below_its_floor() -> None:
    shares = cell_shares(PAPER)
    _, seen = played(PAPER, 1, 2_000)
    accepted = acceptances(shares, seen, 1, 2)
    assert min(accepted.values()) == FLOOR
    assert max(accepted.values()) == 1.0
    after = steered(shares, accepted)
    assert all(after[cell] >= FLOOR * share for cell, share in shares.items())
    assert sum(after.values()) == pytest.approx(1)


def test_briefs_come_by_the_shares_after_thinning() -> None:
    """Each domain as often as said, but for what chance does to both counts."""
    shares = cell_shares(SMALL)
    _, seen = played(SMALL, 1, 500)
    config = small(accepted=acceptances(shares, seen, 1, 2))
    count, after = 4_000, steered(shares, config.accepted)
    found = Counter(plan(config, index).domain for index in range(count))
    names = {cell.domain for cell in shares}
    wanted = {name: count * sum(part for cell, part in after.items() if cell.domain == name) for name in names}
    assert max(wanted.values()) > 4 * min(wanted.values())
    for name, number in wanted.items():
        counted = SAMPLED * sum(share for cell, share in shares.items() if cell.domain == name)
        assert abs(found[name] - number) < 4 * number * (1 / counted + 1 / number) ** 0.5


def test_the_same_seed_round_and_index_give_the_same_brief() -> None:
    _, seen = played(SMALL, 1, 100)
    one, same = (small(accepted=acceptances(cell_shares(SMALL), seen, 3, 2)) for _ in range(2))
    assert [plan(one, index) for index in range(50)] == [plan(same, index) for index in range(50)]
    assert acceptances([], seen, 3, 2) != acceptances([], seen, 3, 3)
    assert acceptances([], seen, 3, 2) != acceptances([], seen, 4, 2)


def test_the_order_in_which_evidence_comes_changes_nothing() -> None:
    _, seen = played(SMALL, 1, 300)
    turned = dict(reversed(seen.items()))
    assert acceptances(sorted(seen, reverse=True), turned, 1, 2) == acceptances(seen, seen, 1, 2)


def test_acceptances_are_part_of_what_a_distribution_is() -> None:
    assert small(accepted={}).digest == SMALL.digest != small(accepted={"a": 0.5}).digest
    assert [plan(small(accepted={"a": 0.5}), index).index for index in range(3)] == [0, 1, 2]


def test_a_cell_half_too_easy_and_half_too_hard_is_worth_nothing() -> None:
    even, split = Cell("a", "2", "1", "flat"), Cell("b", "2", "1", "flat")
    seen = {even: Evidence(), split: Evidence()}
    for number in range(100):
        seen[even].add(1, disagreement(K, K // 2))
        seen[split].add(1, disagreement(K, K * (number % 2)))
    accepted = acceptances([], seen, 0, 1)
    assert accepted[str(split)] == FLOOR
    assert accepted[str(even)] == 1.0


@given(st.integers(2, 64).flatmap(lambda k: st.tuples(st.just(k), st.integers(0, k))))
def test_disagreement_is_the_share_of_pairs_that_disagree(case: tuple[int, int]) -> None:
    attempts, passes = case
    pairs = attempts * (attempts - 1) / 2
    assert disagreement(attempts, passes) == pytest.approx(passes * (attempts - passes) / pairs)
    assert 0 <= disagreement(attempts, passes) <= 1


def test_older_rounds_of_other_weights_count_less() -> None:
    cell = Cell("a", "2", "1", "flat")
    old, new = {cell: Evidence(8, 4)}, {cell: Evidence(2, 0)}
    assert faded([(old, 1), (new, 0)]) == {cell: Evidence(6, 2)}
    assert faded([(old, 0), (new, 0)]) == {cell: Evidence(10, 4)}


MANY: Mapping[str, tuple[int, int, BriefKind]] = {
    "2|1|flat": (2, 1, "single"),
    "3-4|2|flat": (4, 2, "parallel"),
    "5+|3+|nested": (8, 4, "dependent"),
}


@pytest.mark.parametrize(("shape", "case"), MANY.items(), ids=list(MANY))
def test_the_cell_of_a_brief(shape: str, case: tuple[int, int, BriefKind]) -> None:
    menu, calls, kind = case
    brief = Brief(0, 0, "open", kind, "music", menu, calls)
    assert str(cell_of(brief)) == f"music|{shape}"
