"""What an evolution came to: the last solver beside the first, on items that no decision saw.

In: the players that stand at the end and at the beginning. Out: an evaluation's metrics and paired differences on the
final half of the probe and on the benchmarks that were named. Done once for each number of rounds.
"""

from __future__ import annotations

from pathlib import Path

from flows.evaluation import Plan, evaluate
from flows.evolve_settings import EvolveConfig
from flows.progress import note
from flows.settings import policies_home
from flows.stages import Result, Stages
from policies.players import named
from solver.benches.base import Bench, some_of
from solver.benches.readers import read_bench

FINAL = "probe=final"


def evaluated(root: Path, config: EvolveConfig, first: str, last: str) -> Result:
    """The final evaluation of solver `last`, paired with `first` where they are not the same."""
    benches = {name: _bench(name, config) for name in (FINAL, *config.bench)}

    def work() -> Result:
        solvers = dict.fromkeys((last, first))
        return compared(root / "final", config, tuple(solvers), tuple(benches.values()))

    return Stages(root).once(f"final-{config.rounds:04d}", work)


def compared(root: Path, config: EvolveConfig, solvers: tuple[str, ...], benches: tuple[Bench, ...]) -> Result:
    """Solvers on the same items with the same seeds: metrics, and the first less the second."""
    plan = Plan(
        solvers=tuple(named(policies_home(), "solver", solver) for solver in solvers),
        harnesses=(config.harness,),
        benches=benches,
        style=config.style,
        seeds=config.seeds,
        temperature=config.temperature,
        seed=config.seed,
    )
    result, _ = evaluate(plan, str(root), note)
    return {name: result[name] for name in ("solvers", "metrics", "differences")}


def _bench(named: str, config: EvolveConfig) -> Bench:
    name, _, where = named.partition("=")
    found = read_bench(name, where)
    return some_of(found, config.probe_items) if config.probe_items else found
