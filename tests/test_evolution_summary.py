"""The summary of evolutions: pairs by item, seeds as columns, ratios over briefs; nothing is left out in silence."""

from typing import Any

import numpy as np
import pytest

from benchmarks.evolution.summary import frontier, passes, ratio, told

BUDGET = {"rounds": 1, "benches": ["probe=final"]}


def run(seed: int, last: list[bool], base: list[bool], **changes: Any) -> dict[str, Any]:
    """A run whose solvers answered so many items, each once."""
    items = [
        {"bench": "probe=final", "id": str(place), "solver": solver, "passed": [value]}
        for solver, values in (("checkpoint:a", last), ("vllm", base))
        for place, value in enumerate(values)
    ]
    briefs = [{"briefs": [[1.0], [1.0], [0.0]]}, {"briefs": [[1.0], [0.0], [0.0]]}]
    decision = {"promoted": True}
    rounds = [
        {"decisions": dict.fromkeys(("generator", "solver"), decision), "figures": {"in_band_share": 0.5}, "alarms": []}
    ]
    solvers = [{"engine": "checkpoint:a"}, {"engine": "vllm"}]
    final = {"solvers": solvers, "items": items[::-1], "generators": {"compared": briefs}}
    return {"arm": "separate", "seed": seed, "budget": BUDGET, "seconds": 9, "rounds": rounds, "final": final} | changes


def test_columns_are_training_seeds_and_rows_the_same_items() -> None:
    runs = [run(0, [True, True, False], [True, False, False]), run(1, [False, True, True], [False, False, True])]
    assert passes(runs, "probe=final", "last").tolist() == [[1, 0], [1, 1], [0, 1]]
    assert passes(runs, "probe=final", "base").tolist() == [[1, 0], [0, 0], [0, 1]]


def test_a_run_that_promoted_nobody_is_its_own_base() -> None:
    one = run(0, [True, False], [False, False])
    one["final"]["items"] = [item for item in one["final"]["items"] if item["solver"] == "vllm"]
    one["final"]["solvers"] = [{"engine": "vllm"}]
    assert (passes([one], "probe=final", "last") == passes([one], "probe=final", "base")).all()


def test_the_ratio_of_frontier_tasks_is_that_of_the_sums_and_lies_in_its_interval() -> None:
    last, first = frontier([run(seed, [True], [True]) for seed in range(3)])
    assert (last.sum(), first.sum()) == (6, 3)
    one = ratio(np.repeat(last, 40, axis=0), np.repeat(first, 40, axis=0))
    assert one.low < one.mean == 2.0 < one.high


def test_what_was_not_run_is_named_and_budgets_do_not_mix() -> None:
    runs = [run(0, [True, True, False], [True, False, False])]
    assert "separate seed 1" in told(runs)
    assert "shared seed 0" in told(runs)
    with pytest.raises(SystemExit, match="2 budgets"):
        told([*runs, run(1, [True], [True], budget=BUDGET | {"rounds": 2})])
