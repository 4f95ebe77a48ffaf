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

from dataclasses import asdict
from pathlib import Path

from data.errors import Shortfall
from data.storage import open_storage
from data.version import Version, open_version
from flows import curriculum, round_health, training_stages
from flows.context import Context
from flows.evidence import evidence
from flows.evolve_settings import EvolveConfig
from flows.mutual_information import information
from flows.preflight import players
from flows.report_facts import facts_of
from flows.report_health import examine, verdict
from flows.stages import Result, Stages
from generator.briefs import cell_shares
from generator.control import acceptances, faded, steered

DONE = "done"
SLOTS = ("generator", "solver")
SHOWN = 12
"""Cells that are written down with their shares, those that moved most."""


def folder(root: Path, number: int) -> Path:
    """Where a round lies."""
    return root / f"round-{number:04d}"


def start(root: Path, config: EvolveConfig) -> dict[str, str]:
    """The players that stand when an evolution begins, written down: a resumed one goes on from the same."""

    def resolved() -> Result:
        found = dict(zip(SLOTS, players(config), strict=True))
        return {slot: player.engine for slot, player in found.items()}

    return Stages(root).once("start", resolved)


def play(config: EvolveConfig, number: int, lineup: dict[str, str]) -> Result:
    """Play a round, or go on with it. Raises what its stages raise; what is finished stays."""
    root = config.work_folder.absolute()
    stages = Stages(folder(root, number))
    earlier = [done for before in range(1, number) if (done := Stages(folder(root, before)).find(DONE))]
    briefs = stages.once("briefs", lambda: _briefs(root, config, number, lineup, earlier))
    trained: dict[str, Result] = {}
    proposing = dict(lineup)
    made = stages.once("version", lambda: _version(root, config, number, briefs["accepted"], proposing))
    health = stages.once("health", lambda: _health(root, config, made, proposing, earlier))
    decision = stages.once("decision", lambda: training_stages.decide(lineup, trained))
    after = {slot: decision[slot]["player"] for slot in SLOTS}
    return stages.once(
        DONE,
        lambda: {
            "number": number, "players": proposing, "after": after, "decisions": decision,
            "trained": trained, **briefs, **made, **health,
        },
    )  # fmt: skip


def _starved(health: Result) -> bool:
    return any(one["name"] == "Starved" for one in health["alarms"])


def _briefs(root: Path, config: EvolveConfig, number: int, lineup: dict[str, str], earlier: list[Result]) -> Result:
    """How the briefs of the round are thinned: not at all in the first."""
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
    found = faded((evidence(_open(config, one)), count) for one, count in zip(seen, changes, strict=True))
    run = config.of_round(number, root, {}, lineup)
    shares = cell_shares(
        Context(root, run.model_copy(update={"tools_digest": config.tools_digest}), *players(run)).briefs
    )
    accepted = acceptances(shares, found, config.seed, number)
    after = steered(shares, accepted)
    moved = sorted(shares, key=lambda cell: (-abs(after[cell] - shares[cell]), cell))[:SHOWN]
    told = [[str(cell), round(shares[cell], 4), round(after[cell], 4)] for cell in moved]
    return {"accepted": accepted, "moved": told}


def _version(
    root: Path, config: EvolveConfig, number: int, accepted: dict[str, float], lineup: dict[str, str]
) -> Result:
    """The round's run. One that publishes nothing, or too little, is no fault here: the alarms say it."""
    run, short = config.of_round(number, root, accepted, lineup), ""
    try:
        path = curriculum.curriculum(run)
    except Shortfall as fault:
        path, short = fault.path or "", fault.message
    if not path:
        return {"path": "", "version": "", "digest": "", "rows": 0, "short": short, "budget": run.candidates}
    manifest = open_version(open_storage(config.store_location), path).manifest
    return {
        "path": path, "version": manifest.reference, "digest": manifest.digest, "rows": manifest.rows, "short": short,
        "budget": run.candidates,
    }  # fmt: skip


def _health(root: Path, config: EvolveConfig, made: Result, lineup: dict[str, str], earlier: list[Result]) -> Result:
    why = "nothing was published"
    if not made["path"]:
        found, told = round_health.nothing(made["budget"]), "Nothing was published."
    else:
        version = _open(config, made)
        facts = facts_of(open_storage(config.store_location), version)
        found, told = round_health.figures(version, facts), verdict(examine(facts))
        generator, solver = players(config.of_round(0, root, {}, lineup))
        style = Context(root, config, generator, solver).style(generator)
        measured, why = information(version, generator, style)
        found |= measured
    first = next((one["figures"] for one in earlier if one["path"]), found)
    alarms = [asdict(one) for one in round_health.alarms(found, first)]
    return {"figures": found, "not_measured": why, "verdict": told, "alarms": alarms}


def _open(config: EvolveConfig, made: Result) -> Version:
    return open_version(open_storage(config.store_location), made["path"])
