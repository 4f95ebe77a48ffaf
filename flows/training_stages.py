"""The stages of a round that train: either player, the paired tests, and the promotions.

In: the round's configuration, the players that stand, its version. Out: each stage's result, a JSON object. Players
travel as what a person writes for them (`Player.title`). A training that is killed goes on from its last save; its
checkpoint is added once. Shared weights are one lineage: each training goes on from the other's.
Not promised: the same weights from the same seed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data.digests import file_digest, plain_values
from data.version import Version
from flows.evolve_final import compared, probe
from flows.evolve_turn import Lineup, Turn
from flows.generator_probe import learnable
from flows.promotion import Decision, decide, overall
from flows.settings import policies_home
from flows.stages import Result
from flows.training_data import prepare_generator_data, prepare_solver_data
from generator.briefs import plan
from policies import checkpoints, model_folder, training_job
from policies.connect import SLOTS, Role, engine_kind, open_policy
from policies.players import CHECKPOINT, Player, check_trained, find, named
from policies.promotions import promote
from policies.training.job import ABOUT, TrainingJob
from policies.training_job import DEFAULTS
from solver.intervals import difference

BRIEFS = 512
"""Briefs that a generator is trained on at most: other ones than it is asked in its round."""
PROMOTION = "probe=promotion"
AGAINST_GENERATOR = frozenset({"Collapsed", "Gamed"})
"""Alarms with which a generator is never promoted, whatever the paired test says; of a starved band that test knows."""
NOT_TRAINED = "not trained"


def train_generator(turn: Turn, lineup: Lineup, accepted: Mapping[str, float], versions: Sequence[Version]) -> Result:
    """The generator against the frozen solver, warmed by what was proved in `versions`."""
    run = turn.context(lineup, accepted, seed=turn.config.seed_of(-turn.number))
    data = prepare_generator_data(
        turn.folder / "train-generator" / "data",
        [plan(run.briefs, index) for index in range(BRIEFS)],
        style=run.style(run.generator),
        settings=run.settings(),
        versions=versions,
    )
    return _trained(turn, run.generator, run.solver, data)


def train_solver(turn: Turn, lineup: Lineup, version: Version) -> Result:
    """The solver on the round's version; one on whose tasks all answers got the same reward teaches nothing."""
    if not any(spread for table in version.tasks("train") for spread in plain_values(table["reward_std"])):
        return {"player": "", "why": "no task of the version had answers of different rewards"}
    run = turn.context(lineup, {}, seed=0)
    data = prepare_solver_data(turn.folder / "train-solver" / "data", version, style=run.style(run.solver))
    return _trained(turn, run.solver, run.generator, data)


def _trained(turn: Turn, player: Player, other: Player, data: Path) -> Result:
    """A training from `player` on, and its checkpoint."""
    slot, config = player.name, turn.config
    weights = model_folder.find(player.engine.partition(":")[2])
    job = TrainingJob(
        data.parent / "job",
        slot,
        weights.base,
        data,
        Path(getattr(config, f"{slot}_config") or DEFAULTS[slot]),
        adapter=weights.adapter,
        seed=config.seed_of(turn.number),
        steps=config.steps,
        opponent=other.engine if slot == "generator" else "",
        judge=config.judge if slot == "generator" else "",
        difficulty=config.difficulty,
    )
    done = training_job.run(job)
    if weights.adapter and _tensors(weights.adapter) == _tensors(done.weights):
        return {"player": "", "why": "the training changed nothing: no group of answers had different rewards"}
    new = checkpoints.add(
        policies_home(),
        slot,
        done.weights,
        base=player.base,
        parent=player.digest if player.checkpoint else None,
        round=player.round + 1,
        seed=job.seed,
        trained_on=json.loads((data / ABOUT).read_bytes())["trained_on"],
        metrics=done.metrics,
        config={
            "evolution": config.name, "round": turn.number, "steps": done.steps, "difficulty": config.difficulty,
            "trainer": file_digest(job.config),
        },
        shared=config.weights == "shared",
    )  # fmt: skip
    check_trained(policies_home(), new, other)
    return {"player": CHECKPOINT + new.name, "parent": player.title, "digest": new.digest, "metrics": done.metrics}


def _tensors(adapter: Path) -> list[str]:
    """What an adapter says, file by file."""
    return [file_digest(path) for path in sorted(adapter.glob("*.safetensors"))]


def decisions(turn: Turn, lineup: Lineup, trained: Mapping[str, Result], alarms: Sequence[Mapping[str, Any]]) -> Result:
    """Who plays after the round, and why: each trained player against the one that stood there."""
    children = {slot: trained[slot]["player"] for slot in SLOTS if trained.get(slot, {}).get("player")}
    shared = turn.config.weights == "shared"
    if shared and children:  # One set of weights: what came of both trainings.
        children = dict.fromkeys(SLOTS, children.get("solver") or children["generator"])
    found: Result = {slot: _kept(lineup[slot], trained.get(slot, {}).get("why") or NOT_TRAINED) for slot in SLOTS}
    with held(children):
        for slot, child in children.items():
            test = _test_generator if slot == "generator" else _test_solver
            decision = test(turn, child, lineup, alarms)
            found[slot] = decision.to_json() | {"player": child if decision.promoted else lineup[slot]}
    if shared and not all(one["promoted"] for one in found.values()):
        found = {
            slot: one | _kept(lineup[slot], f"neither slot without the other: {one['why']}")
            for slot, one in found.items()
        }
    return found


def _kept(player: str, why: str) -> Result:
    return {"promoted": False, "player": player, "why": why}


def _test_generator(turn: Turn, child: str, lineup: Lineup, alarms: Sequence[Mapping[str, Any]]) -> Decision:
    """By what the same briefs came to, tried by the solver that stood there."""
    vetoes = [one["name"] for one in alarms if one["name"] in AGAINST_GENERATOR]
    both = (child, lineup["generator"])
    values = learnable(
        turn.folder / "probe-generator", turn.root, turn.config, lineup["solver"], both, seed=turn.config.seed_of(0)
    )
    return decide(difference(*values), turn.config.margin, vetoes)


def _test_solver(turn: Turn, child: str, lineup: Lineup, alarms: Sequence[Mapping[str, Any]]) -> Decision:
    """By the promotion half of the probe."""
    both = (child, lineup["solver"])
    result = compared(turn.folder / "probe-solver", turn.config, both, [probe(PROMOTION, turn.config)])
    return decide(overall(result["differences"], PROMOTION), turn.config.margin)


@contextmanager
def held(lineup: Mapping[Role, str]) -> Iterator[None]:
    """Players on a vLLM server of ours stay open meanwhile: it is not started anew for each who asks them."""
    engines = {slot: named(policies_home(), slot, title).engine for slot, title in lineup.items()}
    opened = [open_policy(engine, role=slot) for slot, engine in engines.items() if engine_kind(engine) == "vllm"]
    try:
        yield
    finally:
        for one in opened:
            asyncio.run(one.close())


def promoted(decision: Mapping[str, Mapping[str, Any]]) -> Result:
    """Put those that were decided for into their slots. Repeating it changes nothing."""
    done: Result = {}
    for slot in SLOTS:
        said = decision[slot]
        if said["promoted"]:
            figures = {**said["difference"], "margin": said["margin"]}
            promote(
                policies_home(),
                find(policies_home(), said["player"].removeprefix(CHECKPOINT)),
                said["why"],
                figures,
                slot=slot,
            )
            done[slot] = said["player"]
    return done
