"""What an evolution came to: the last players beside the first, on items and briefs that no decision saw.

In: the players that stand at the end and at the beginning. Out, of the solver: an evaluation's metrics, paired
differences and each item's outcomes on the final half of the probe and on the benchmarks that were named. Of the
generator: how many of 1,000 samples are tasks at the frontier of the first solver, which stays the same for both, by
the same fresh briefs. Done once for each number of rounds, that of the solver for each choice of benchmarks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from data.canonical import digest
from flows.evaluation import Plan, evaluate
from flows.evolve_settings import EvolveConfig
from flows.evolve_turn import Lineup
from flows.generator_probe import learnable
from flows.progress import note
from flows.settings import policies_home
from flows.stages import Result, Stages
from policies.players import Player, named
from solver.benches.base import Bench, some_of
from solver.benches.readers import read_bench
from solver.intervals import difference

FINAL = "probe=final"


def evaluated(root: Path, config: EvolveConfig, first: Lineup, last: Lineup) -> Result:
    """The final evaluation of the players `last`: of the solver paired with that of `first`, and with its base where
    these are others; of the generator paired with that of `first`, if it is another."""
    name = f"final-{config.rounds:04d}"
    benches = (FINAL, *config.bench)
    measured = f"{name}-{digest(benches)[:12]}"

    def solvers() -> Result:
        base = named(policies_home(), "solver", last["solver"]).base
        asked = [probe(one, config) for one in benches]
        return compared(root / measured, config, (last["solver"], first["solver"], base), asked)

    def generators() -> Result:
        both = (last["generator"], first["generator"])
        if both[0] == both[1]:
            return {"compared": []}
        values = learnable(
            root / f"{name}-generator", root, config, first["solver"], both, seed=config.seed_of("final")
        )
        at_frontier = [[[float(value == 1.0)] for (value,) in one] for one in values]
        told = [
            {"generator": player, "frontier_per_1000": 1000 * sum(value for (value,) in one) / len(one), "briefs": one}
            for player, one in zip(both, at_frontier, strict=True)
        ]
        return {"compared": told, "difference": asdict(difference(*at_frontier)), "solver": first["solver"]}

    stages = Stages(root)
    return stages.once(measured, solvers) | {"generators": stages.once(f"{name}-generators", generators)}


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
    items = [
        {name: one[name] for name in ("bench", "id", "category", "solver")}
        | {"rewards": [answer["reward"] for answer in one["answers"]]}
        | {"passed": [answer["outcome"] == "correct" for answer in one["answers"]]}
        for one in result["items"]
    ]
    return {name: result[name] for name in ("solvers", "metrics", "differences")} | {"items": items}


def probe(text: str, config: EvolveConfig) -> Bench:
    """A benchmark as `--bench` names it, as much of it as is asked for."""
    name, _, where = text.partition("=")
    found = read_bench(name, where)
    return some_of(found, config.probe_items) if config.probe_items else found
