"""What an evolution came to: the last solver beside the first, on items that no decision saw.

In: the players that stand at the end and at the beginning. Out: an evaluation's metrics and paired differences on the
final half of the probe and on the benchmarks that were named. Done once for each number of rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flows.evaluation import Plan, evaluate
from flows.evolve_settings import EvolveConfig
from flows.progress import note
from flows.settings import policies_home
from flows.stages import Result, Stages
from policies.players import Player, named
from solver.benches.base import Bench, some_of
from solver.benches.readers import read_bench

FINAL = "probe=final"


def evaluated(root: Path, config: EvolveConfig, first: str, last: str) -> Result:
    """The final evaluation of solver `last`, paired with `first` and with its base where these are others."""

    def work() -> Result:
        base = named(policies_home(), "solver", last).base
        benches = [probe(name, config) for name in (FINAL, *config.bench)]
        return compared(root / f"final-{config.rounds:04d}", config, (last, first, base), benches)

    return Stages(root).once(f"final-{config.rounds:04d}", work)


def compared(root: Path, config: EvolveConfig, solvers: Sequence[str], benches: Sequence[Bench]) -> Result:
    """Different solvers on the same items with the same seeds: metrics, and paired differences in their order."""
    players: dict[str, Player] = {}
    for one in (named(policies_home(), "solver", text) for text in solvers):
        players.setdefault(one.digest, one)
    plan = Plan(
        solvers=tuple(players.values()),
        harnesses=(config.harness,),
        benches=tuple(benches),
        style=config.style,
        seeds=config.seeds,
        temperature=config.temperature,
        seed=config.seed,
    )
    result, _ = evaluate(plan, str(root), note)
    return {name: result[name] for name in ("solvers", "metrics", "differences")}


def probe(text: str, config: EvolveConfig) -> Bench:
    """A benchmark as `--bench` names it, as much of it as is asked for."""
    name, _, where = text.partition("=")
    found = read_bench(name, where)
    return some_of(found, config.probe_items) if config.probe_items else found
