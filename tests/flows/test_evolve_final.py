"""What an evolution is said to have come to: both players, paired, on what no decision saw, once."""

from pathlib import Path
from typing import Any

import pytest

from flows import evolve_final
from flows.evolve_final import evaluated
from flows.evolve_report import lines
from flows.evolve_settings import EvolveConfig
from flows.stages import Result

GOOD, POOR = "scripted:ability=0.9", "scripted:ability=0.2"


def final(tmp_path: Path, last: str, first: str, **given: Any) -> tuple[EvolveConfig, Result]:
    values = {"engine": "scripted", "train": False, "probe_items": 4, "seeds": 2, "workdir": str(tmp_path / "work")}
    config = EvolveConfig.model_validate(values | given)
    players = ({"generator": one, "solver": one} for one in (first, last))
    return config, evaluated(tmp_path / "work", config, *players)


def test_both_players_are_compared_with_those_of_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, found = final(tmp_path, GOOD, POOR)
    (gain,) = [one for one in found["differences"] if one["category"] == "overall"]
    assert (gain["first"], gain["second"]) == (GOOD, POOR)
    assert gain["pass_at_1"]["mean"] > 0
    rows = {solver: [one for one in found["items"] if one["solver"] == solver] for solver in (GOOD, POOR)}
    right = {solver: sum(map(sum, (one["passed"] for one in mine))) for solver, mine in rows.items()}
    count = sum(len(one["passed"]) for one in rows[GOOD])
    assert gain["pass_at_1"]["mean"] == pytest.approx((right[GOOD] - right[POOR]) / count)
    generators = found["generators"]
    assert [one["generator"] for one in generators["compared"]] == [GOOD, POOR]
    assert generators["solver"] == POOR
    for one in generators["compared"]:
        assert one["frontier_per_1000"] == 1000 * sum(value for (value,) in one["briefs"]) / len(one["briefs"])
    last, before = (one["frontier_per_1000"] for one in generators["compared"])
    assert generators["difference"]["mean"] == pytest.approx((last - before) / 1000)
    assert "frontier tasks of 1,000 samples" in "\n".join(lines([], found))


def test_players_that_stayed_have_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, found = final(tmp_path, GOOD, GOOD)
    assert found["differences"] == found["generators"]["compared"] == []


def test_the_final_figures_are_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, first = final(tmp_path, GOOD, POOR)
    monkeypatch.setattr(evolve_final, "evaluate", None)
    monkeypatch.setattr(evolve_final, "learnable", None)
    assert final(tmp_path, GOOD, POOR)[1] == first


def test_a_benchmark_that_is_named_later_is_measured_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    final(tmp_path, GOOD, POOR)
    _, found = final(tmp_path, GOOD, POOR, bench=("probe=promotion",))
    assert {one["bench"] for one in found["metrics"]} == {"probe=final", "probe=promotion"}


def test_the_briefs_of_the_end_are_others_than_those_of_the_decisions() -> None:
    config = EvolveConfig.model_validate({"engine": "scripted", "train": False})
    assert config.seed_of("final") not in {config.seed_of(number) for number in range(-1000, 1001)}
