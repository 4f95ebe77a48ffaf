"""What the runs of `benchmarks.evolution.play` come to, over seeds: results.jsonl in, results.md out.

    python -m benchmarks.evolution.summary [--check]

For each arm: pass@1 of the base and of the last solver, on the final half of the probe and on BFCL, and the paired
difference of items by training seeds with its 95 % interval (`solver.intervals`: items and seeds are both drawn again);
frontier tasks of 1,000 samples by the base generator and by the last, and their ratio with a bootstrap interval over
briefs and seeds. Nothing is left out: what an arm lacks is a line that says so. `--check` fails if results.md is stale.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evolution.play import ARMS, SEEDS, lines
from flows.escaping import markdown_table
from solver.intervals import Estimate, difference, estimate

WRITTEN = Path(__file__).with_name("results.md")
REPLICATES = 10_000
Matrix = NDArray[np.float64]


def passes(runs: Sequence[dict[str, Any]], bench: str, which: str) -> Matrix:
    """Items by training seeds: the share of right answers of the `last` or the `base` solver of each run."""
    columns = []
    for run in runs:
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for one in run["final"]["items"]:
            if one["bench"] == bench:
                found[one["solver"]][one["id"]] = float(np.mean(one["passed"]))
        solvers = run["final"]["solvers"]  # The last one first, its base behind it, or one alone that nobody replaced.
        chosen = found[solvers[0 if which == "last" else -1]["engine"]]
        columns.append([chosen[name] for name in sorted(chosen)])
    return np.array(columns, dtype=np.float64).T


def frontier(runs: Sequence[dict[str, Any]]) -> tuple[Matrix, Matrix]:
    """Briefs by runs whose generator was replaced: 1 for a task at the frontier; of the last and of the first."""
    pairs = [run["final"]["generators"]["compared"] for run in runs if run["final"]["generators"]["compared"]]
    last, first = (
        np.array([[value for (value,) in pair[place]["briefs"]] for pair in pairs], dtype=np.float64).T
        for place in (0, 1)
    )
    return last, first


def ratio(last: Matrix, first: Matrix) -> Estimate:
    """How many times as many frontier tasks, with an interval over briefs and runs drawn again with replacement."""
    random = np.random.default_rng(0)
    briefs, runs = last.shape
    drawn = []
    for _ in range(REPLICATES):
        rows, columns = random.integers(0, briefs, briefs), random.integers(0, runs, runs)
        below = first[np.ix_(rows, columns)].sum()
        drawn.append(last[np.ix_(rows, columns)].sum() / below if below else np.inf)
    low, high = np.quantile(drawn, [0.025, 0.975], method="higher")
    return Estimate(float(last.sum() / first.sum()), float(low), float(high))


def told(runs: Sequence[dict[str, Any]]) -> str:
    """The tables. Raises `SystemExit` for runs of several budgets."""
    budgets = {str(sorted(run["budget"].items())): run["budget"] for run in runs}
    if len(budgets) > 1:
        raise SystemExit(f"runs of {len(budgets)} budgets cannot be compared: {list(budgets.values())}")
    (budget,) = budgets.values()
    lacking = [
        f"{arm} seed {seed}"
        for arm in ARMS
        for seed in SEEDS
        if not any((one["arm"], one["seed"]) == (arm, seed) for one in runs)
    ]
    parts = [
        "# Evolution of SmolLM2-135M from zero human tasks",
        "Written by `python -m benchmarks.evolution.summary` from results.jsonl; every run is a line there. Budget of "
        f"each run: {', '.join(f'{name} {value}' for name, value in budget.items())}.",
        f"Not run yet: {', '.join(lacking)}." if lacking else "All arms and seeds were run.",
        _solver_table(runs),
        _generator_table(runs),
        _run_table(runs),
    ]
    return "\n\n".join(parts) + "\n"


def _solver_table(runs: Sequence[dict[str, Any]]) -> str:
    rows: list[tuple[object, ...]] = []
    for arm, mine in _by_arm(runs).items():
        for bench in sorted({one["bench"] for one in mine[0]["final"]["items"]}):
            last, base = (passes(mine, bench, which) for which in ("last", "base"))
            gain = _percent(difference(last, base), sign="+")
            rows.append((arm, bench, len(mine), _percent(estimate(base)), _percent(estimate(last)), gain))
    head = ("arm", "benchmark", "seeds", "base pass@1, %", "after, %", "paired difference, points")
    return markdown_table(head, rows, right=(2, 3, 4, 5))


def _generator_table(runs: Sequence[dict[str, Any]]) -> str:
    rows: list[tuple[object, ...]] = []
    for arm, mine in _by_arm(runs).items():
        other = [run for run in mine if run["final"]["generators"]["compared"]]
        if not other:
            rows.append((arm, f"0 of {len(mine)}", "not measured", "not measured", "not measured"))
            continue
        last, first = frontier(other)
        one = ratio(last, first)
        shown = f"{one.mean:.2f} [{one.low:.2f}, {one.high:.2f}]"
        rows.append(
            (arm, f"{len(other)} of {len(mine)}", *(f"{1000 * two.mean():.0f}" for two in (first, last)), shown)
        )
    head = ("arm", "runs with another generator", "base, frontier tasks of 1,000", "after", "ratio")
    return markdown_table(head, rows, right=(2, 3, 4))


def _run_table(runs: Sequence[dict[str, Any]]) -> str:
    rows = [
        (
            arm, run["seed"],
            *(sum(one["decisions"][slot]["promoted"] for one in run["rounds"]) for slot in ("generator", "solver")),
            ", ".join(f"{one['figures']['in_band_share']:.0%}" for one in run["rounds"]),
            ", ".join(alarm["name"] for one in run["rounds"] for alarm in one["alarms"]) or "none",
            run["seconds"],
        )
        for arm, mine in _by_arm(runs).items()
        for run in mine
    ]  # fmt: skip
    head = (
        "arm",
        "seed",
        "generators promoted",
        "solvers promoted",
        "frontier of measured, by round",
        "alarms",
        "seconds",
    )
    return markdown_table(head, rows, right=(1, 2, 3, 6))


def _by_arm(runs: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The runs of each arm that has any, by seed."""
    found = {arm: sorted((one for one in runs if one["arm"] == arm), key=lambda one: one["seed"]) for arm in ARMS}
    return {arm: mine for arm, mine in found.items() if mine}


def _percent(one: Estimate, sign: str = "") -> str:
    return f"{100 * one.mean:{sign}.1f} [{100 * one.low:{sign}.1f}, {100 * one.high:{sign}.1f}]"


def main() -> int:
    """Write results.md, or say whether it is what results.jsonl comes to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    text = told(lines())
    if check:
        return int(WRITTEN.read_text(encoding="utf-8") != text)
    WRITTEN.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
