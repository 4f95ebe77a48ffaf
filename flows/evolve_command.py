"""`sparring evolve`: rounds of two players, the very flow of the deployment, watched from a terminal.

In: options. Out: progress on standard error; at the end each round and the final figures, or one JSON object with
`--json`. The last round's alarm ends it with exit code 1. The same command goes on where it was, with more `--rounds`
it goes further.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from data.errors import SparringError
from flows import task_options as options
from flows.evolve_settings import EvolveConfig
from flows.executing import execute
from flows.own_tools import gathered
from flows.round_health import ALARMS
from flows.settings import Mix, build, parse_shares
from flows.stages import RESULT, Result


class Alarmed(SparringError):
    """An evolution whose last round ended with an alarm; all of it is kept."""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("evolve")(evolve_command)


def evolve_command(
    rounds: Annotated[int, typer.Option(help="rounds in all; more than before go further")] = 3,
    name: Annotated[str, typer.Option(help="name of the task set, a version each round")] = "evolved",
    tasks: Annotated[int, typer.Option(help="tasks of each round's version")] = 32,
    seed: options.Seed = 0,
    budget: Annotated[int, typer.Option(help="candidates of a round at most; 0: 32 for each task")] = 0,
    engine: Annotated[
        str, typer.Option(help="vllm[:folder], which can be trained; or another one with --no-train")
    ] = "vllm",
    generator: options.Generator = "",
    solver: options.Solver = "",
    weights: Annotated[str, typer.Option(help="separate, or shared by both players (the ablation)")] = "separate",
    train: Annotated[bool, typer.Option("--train/--no-train", help="train both players in each round")] = True,
    difficulty: Annotated[
        bool, typer.Option("--difficulty/--no-difficulty", help="difficulty in the generator's reward (the ablation)")
    ] = True,
    steps: Annotated[int, typer.Option(help="training steps of each player in each round")] = 60,
    generator_config: Annotated[str, typer.Option(help="the generator's trainer, a YAML file")] = "",
    solver_config: Annotated[str, typer.Option(help="the solver's trainer, a YAML file")] = "",
    judge: Annotated[str, typer.Option(help="an engine that judges coherence in the generator's training")] = "",
    margin: Annotated[float, typer.Option(help="how much worse a promoted player may be, as a share")] = 0.05,
    seeds: Annotated[int, typer.Option(help="answers to each item of the probes")] = 3,
    probe_items: Annotated[int, typer.Option(help="items of each kind in a probe at most; 0: all")] = 0,
    bench: Annotated[list[str] | None, typer.Option(help="NAME=PATH, also evaluated at the end; repeatable")] = None,
    tools: Annotated[str, typer.Option(help="your own tools, as of `sparring run`")] = "",
    domain: options.Domain = None,
    mode: Annotated[str, typer.Option(help="catalogue, or open (the model writes the tools too)")] = "catalogue",
    kinds: Annotated[str, typer.Option(help="shares by kind of task, as single=0.6,parallel=0.4")] = "",
    harness: options.Harness = "json",
    style: options.Style = "auto",
    grammar: options.Grammar = True,
    k: options.Attempts = 8,
    k_max: options.MostAttempts = 0,
    confirm: options.Confirm = 0,
    mix: options.Shares = "",
    held_out: Annotated[list[Path] | None, typer.Option(help="a file whose questions may not come; repeatable")] = None,
    temperature: options.Temperature = 0.7,
    store: Annotated[str, typer.Option(help="where versions go: a folder or s3://bucket/prefix")] = "",
    workdir: Annotated[str, typer.Option(help="where the rounds lie; default below .sparring")] = "",
    as_json: options.EndJson = False,
) -> None:
    """Let two players evolve: train, propose, verify, solve, publish, train, evaluate, promote or keep."""
    values: dict[str, Any] = {
        "rounds": rounds,
        "name": name,
        "tasks": tasks,
        "seed": seed,
        "budget": budget,
        "engine": engine,
        "generator": generator,
        "solver": solver,
        "weights": weights,
        "train": train,
        "difficulty": difficulty,
        "steps": steps,
        "generator_config": generator_config,
        "solver_config": solver_config,
        "judge": judge,
        "margin": margin,
        "seeds": seeds,
        "probe_items": probe_items,
        "bench": tuple(bench or ()),
        "tools": tools,
        "domains": tuple(domain or ()),
        "mode": mode,
        "kinds": parse_shares("--kinds", kinds, "single=0.6,parallel=0.4"),
        "harness": harness,
        "style": style,
        "grammar": grammar,
        "k": k,
        "k_max": k_max or k,
        "confirm": confirm,
        "temperature": temperature,
        "held_out": tuple(map(str, held_out or ())),
        "store": store,
        "workdir": workdir,
    }
    config = gathered(build(EvolveConfig, values | ({"mix": Mix.parse(mix)} if mix else {}), "evolve"))
    execute(config.work_folder, lambda: _flow(config))
    whole = json.loads((config.work_folder / RESULT).read_bytes())
    if as_json:
        print(json.dumps(whole))
    else:
        print(_summary(whole))
    if alarms := whole["rounds"][-1]["alarms"]:
        words = "; ".join(f"{one['name']}: {one['why']}" for one in alarms)
        raise Alarmed(f"the last round ended with an alarm: {words}", hint=alarms[0]["advice"])


def _flow(config: EvolveConfig) -> None:
    from flows.evolve import evolve

    state = evolve(config, return_state=True)
    if not state.is_completed() and state.name not in ALARMS:
        state.result()  # It raises what ended the evolution.


def _summary(whole: Result) -> str:
    from flows.evolve_report import lines

    return "\n".join([*lines(whole["rounds"], whole["final"]), f"  report   {whole['report']}"])
