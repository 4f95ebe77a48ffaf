"""The flow of self-evolution: rounds of train, propose, verify, solve, publish, train, evaluate, promote or keep.

In: `EvolveConfig`. Out: what it came to, in the work folder as `result.json` and `report.md`, and in the UI. Each round
is a flow run of its own, whose state has the name of what is wrong with it (`Starved`, `Collapsed`, `Gamed`), and each
stage of it is done once (`flows.stages`): the same command goes on where a killed one was, also with more rounds.
A round that fails leaves the last good players in place, for promotion is its last stage.
Not promised: that players get better. The end says by the final half of the probe, which no decision saw.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from loguru import logger
from prefect import flow
from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed, Failed

from data.atomic import write_bytes
from flows import evolve_final, evolve_round
from flows.evolve_report import headline, report, round_report
from flows.evolve_settings import EvolveConfig
from flows.evolve_turn import Turn
from flows.flow_options import begin, checked, flow_options
from flows.own_tools import gathered
from flows.progress import note
from flows.stages import RESULT, Result, Stages
from flows.workdir import open_workdir

DEFAULT = EvolveConfig.model_validate({})


def _round_name() -> str:
    return f"round-{flow_run.parameters.get('number', '')}"


@flow(name="evolve", **flow_options(EvolveConfig, "name", "seed"))
def evolve(config: EvolveConfig = DEFAULT) -> State[Any]:
    """Let two players evolve by rounds of tasks that the one makes for the other.

    Args:
        config: How many rounds, of what, for whom, and how they are trained.
    """
    config = checked(EvolveConfig, config, "evolve")
    begin()
    config = gathered(config)
    root = config.work_folder.absolute()
    with open_workdir(root, config.evolution):
        return _evolve(root, config)


def _evolve(root: Path, config: EvolveConfig) -> State[Any]:
    rounds: list[Result] = []
    lineup = first = evolve_round.start(root, config)
    for number in range(1, config.rounds + 1):
        stages = Stages(Turn(root, config, number).folder)
        if (done := stages.find(evolve_round.DONE)) is None:
            played(config, number, lineup)
            done = stages.find(evolve_round.DONE)
            assert done is not None
        rounds.append(done)
        lineup = done["after"]
    final = evolve_final.evaluated(root, config, first, lineup)
    whole: Result = {"name": config.name, "rounds": rounds, "final": final, "report": str(root / "report.md")}
    text = report(config, rounds, final)
    write_bytes(root / "report.md", text.encode())
    write_bytes(root / RESULT, json.dumps(whole, indent=1, sort_keys=True).encode())
    create_markdown_artifact(text, key=f"evolve-{config.name}", description=headline(rounds))
    logger.info("{}", headline(rounds))
    if wrong := rounds[-1]["alarms"]:
        words = "; ".join(f"{one['name']}: {one['why']}" for one in wrong)
        return Failed(name=wrong[0]["name"], message=f"the last round ended so: {words}")
    return Completed(message=headline(rounds))


@flow(name="evolve-round", **{**flow_options(EvolveConfig), "flow_run_name": _round_name})
def one_round(config: EvolveConfig, number: int, lineup: dict[str, str]) -> State[Any]:
    """One round, from the players in `lineup` to those after it."""
    done = evolve_round.play(Turn(config.work_folder.absolute(), config, number), lineup)
    text = round_report(config, done)
    create_markdown_artifact(text, key=f"evolve-{config.name}-round-{number}", description=headline([done]))
    logger.info("{}", headline([done]))
    if alarms := done["alarms"]:
        return Completed(name=alarms[0]["name"], message="; ".join(one["why"] for one in alarms))
    return Completed(message=headline([done]))


def played(config: EvolveConfig, number: int, lineup: dict[str, str]) -> None:
    """Play a round to its end, and say how it ended. Raises what the round raises."""
    state = one_round(config, number, lineup, return_state=True)
    if state.is_failed() or state.is_crashed():
        state.result()
    note(f"round {number} of {config.rounds}: {state.name}: {state.message}")
