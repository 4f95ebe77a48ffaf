"""Non-inferiority: a child that may be worse than the margin allows never replaces its parent, and vetoes are final."""

import pytest

from flows.promotion import decide, overall
from solver.intervals import Estimate, difference


@pytest.mark.parametrize(
    ("low", "promoted"), [(-0.06, False), (-0.05, False), (-0.049, True), (0.0, True), (0.1, True)]
)
def test_the_lower_end_decides(low: float, promoted: bool) -> None:
    assert decide(Estimate(0.2, low, 0.4), 0.05).promoted is promoted


def test_a_veto_is_final_and_named() -> None:
    found = decide(Estimate(0.2, 0.1, 0.3), 0.05, ["Collapsed"])
    assert not found.promoted
    assert "Collapsed" in found.why


def test_the_reason_gives_interval_and_margin() -> None:
    why = decide(Estimate(-0.012, -0.04, 0.016), 0.05).why
    assert "-1.2 points [-4.0, +1.6]" in why
    assert "margin 5 points" in why


def test_equal_players_are_promoted_where_there_are_items_enough_and_few_prove_nothing() -> None:
    for items, promoted in ((144, True), (4, False)):
        same = [[float(place % 2)] * 3 for place in range(items)]
        assert decide(difference(same, same), 0.05).promoted is promoted


def test_the_figure_is_the_pair_s_on_its_own_benchmark() -> None:
    def row(bench: str, category: str, mean: float) -> dict[str, object]:
        return {"bench": bench, "category": category, "pass_at_1": {"mean": mean, "low": mean, "high": mean}}

    rows = [row("a", "x", 0.1), row("a", "overall", 0.2), row("b", "overall", 0.3)]
    assert overall(rows, "a") == Estimate(0.2, 0.2, 0.2)
