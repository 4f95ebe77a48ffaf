"""One round of an evolution, stage by stage, each done once.

In: the configuration, the round's number, and the players that stand when it begins, as texts that `--generator` and
`--solver` take. Out: what the round came to, a JSON object, and the players that stand after it.

    round-0001/briefs.json    how the briefs are thinned, learned from the rounds before (`generator.control`)
              generator.json  the generator trained against the frozen solver
              version.json    what it proposed, verified, solved, published: a run of its own, in run/
              health.json     the figures and alarms
              solver.json     the solver trained on the version
              decision.json   who replaces whom, by the promotion half of the probe
              promoted.json   it was done;  done.json: the round is over
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from prefect import task

from data.errors import Shortfall
from data.storage import open_storage
from flows import curriculum, round_health, training_stages
from flows.chunk_tasks import OPTIONS
from flows.evidence import evidence
from flows.evolve_settings import EvolveConfig
from flows.evolve_turn import Turn
from flows.mutual_information import information
from flows.preflight import players
from flows.report_facts import facts_of
from flows.report_health import examine, verdict
from flows.stages import Result, Stages
from generator.briefs import cell_shares
from generator.control import acceptances, faded, steered
from policies.connect import SLOTS

DONE = "done"
SHOWN = 12
"""Cells that are written down with their shares, those that moved most."""


def start(root: Path, config: EvolveConfig) -> dict[str, str]:
    """The players that stand when an evolution begins, written down: a resumed one goes on from the same."""
    return Stages(root).once("start", lambda: {player.name: player.title for player in players(config)})


def play(turn: Turn, lineup: dict[str, str]) -> Result:
    """Play a round, or go on with it. Raises what its stages raise; what is finished stays."""
    config, stages = turn.config, Stages(turn.folder)
    earlier = [done for before in range(1, turn.number) if (done := Stages(turn.at(before)).find(DONE))]
    versions = [turn.version(one["path"]) for one in earlier if one["path"]]
    briefs = stages.once("briefs", lambda: _briefs(turn, lineup, earlier))
    trained: dict[str, Result] = {}
    proposing = dict(lineup)
    if config.train:
        trained["generator"] = _stage(
            stages, "generator", lambda: training_stages.train_generator(turn, lineup, briefs["accepted"], versions)
        )
        if child := trained["generator"]["player"]:
            proposing |= {slot: child for slot in SLOTS if slot == "generator" or config.weights == "shared"}
    with training_stages.held({slot: proposing[slot] for slot in SLOTS}):
        made = stages.once("version", lambda: _version(turn, briefs["accepted"], proposing))
        health = _stage(stages, "health", lambda: _health(turn, made, proposing, earlier))
    if config.train and not any(one["name"] == "Starved" for one in health["alarms"]):
        trained["solver"] = _stage(
            stages, "solver", lambda: training_stages.train_solver(turn, proposing, turn.version(made["path"]))
        )
    decision = _stage(stages, "decision", lambda: training_stages.decisions(turn, lineup, trained, health["alarms"]))
    stages.once("promoted", lambda: training_stages.promoted(decision))
    after = {slot: decision[slot]["player"] for slot in SLOTS}
    whole = {"number": turn.number, "players": proposing, "after": after, "decisions": decision, "trained": trained}
    return stages.once(DONE, lambda: {**whole, **briefs, **made, **health})


@task(name="stage", task_run_name="{name}", **OPTIONS)
def _task(name: str, work: Callable[[], Result]) -> Result:
    return work()


def _stage(stages: Stages, name: str, work: Callable[[], Result]) -> Result:
    """A stage as a task of its own in the UI, unless it is finished; what an engine fails at is tried again."""
    return stages.once(name, lambda: _task(name, work))


def _briefs(turn: Turn, lineup: dict[str, str], earlier: list[Result]) -> Result:
    """How the briefs of the round are thinned: not at all in the first."""
    config = turn.config
    if not (seen := [one for one in earlier if one["path"]]):
        return {"accepted": {}, "moved": []}
    solvers = [one["players"]["solver"] for one in seen]
    changes = [
        sum(
            before != after
            for before, after in zip(solvers[place:], [*solvers[place + 1 :], lineup["solver"]], strict=True)
        )
        for place in range(len(seen))
    ]
    found = faded((evidence(turn.version(one["path"])), count) for one, count in zip(seen, changes, strict=True))
    shares = cell_shares(turn.context(lineup, {}, seed=config.seed_of(turn.number)).briefs)
    accepted = acceptances(shares, found, config.seed, turn.number)
    after = steered(shares, accepted)
    moved = sorted(shares, key=lambda cell: (-abs(after[cell] - shares[cell]), cell))[:SHOWN]
    told = [[str(cell), round(shares[cell], 4), round(after[cell], 4)] for cell in moved]
    return {"accepted": accepted, "moved": told}


def _version(turn: Turn, accepted: dict[str, float], lineup: dict[str, str]) -> Result:
    """The round's run. One that publishes nothing, or too little, is no fault here: the alarms say it."""
    run, short = turn.config.of_round(turn.number, turn.root, accepted, lineup), ""
    try:
        path = curriculum.curriculum(run)
    except Shortfall as fault:
        path, short = fault.path or "", fault.message
    if not path:
        return {"path": "", "version": "", "digest": "", "rows": 0, "short": short, "budget": run.candidates}
    manifest = turn.version(path).manifest
    return {
        "path": path, "version": manifest.reference, "digest": manifest.digest, "rows": manifest.rows, "short": short,
        "budget": run.candidates,
    }  # fmt: skip


def _health(turn: Turn, made: Result, lineup: dict[str, str], earlier: list[Result]) -> Result:
    config, why = turn.config, "nothing was published"
    if not made["path"]:
        found, told = round_health.nothing(made["budget"]), "Nothing was published."
    else:
        version = turn.version(made["path"])
        facts = facts_of(open_storage(config.store_location), version)
        found, told = round_health.figures(version, facts), verdict(examine(facts))
        run = turn.context(lineup, {}, seed=0)
        measured, why = information(version, run.generator, run.style(run.generator))
        found |= measured
    first = next((one["figures"] for one in earlier if one["path"]), found)
    alarms = [asdict(one) for one in round_health.alarms(found, first)]
    return {"figures": found, "not_measured": why, "verdict": told, "alarms": alarms}
