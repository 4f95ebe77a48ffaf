"""`sparring run`: the very flow of the deployments, on a Prefect server, watched from a terminal.

In: options. Out: progress on standard error; at the end what was published and what to open next, or one JSON object
with `--json`. A set that is too small is published, said, and ends with exit code 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from flows import task_options as options
from flows.executing import carry_out
from flows.own_tools import gathered
from flows.settings import Mix, RunConfig, build, parse_shares


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("run")(run)


def run(
    name: Annotated[str, typer.Option(help="name of the task set")] = "curriculum",
    tasks: Annotated[int, typer.Option(help="tasks to publish")] = 32,
    seed: options.Seed = 0,
    budget: Annotated[int, typer.Option(help="candidates at most; 0: 32 for each task")] = 0,
    engine: Annotated[
        str,
        typer.Option(
            help="embedded, vllm[:folder], scripted[:options], URL#model, URL,URL#model or checkpoint:NAME; "
            "default: the promoted players, at first embedded"
        ),
    ] = "",
    generator: options.Generator = "",
    solver: options.Solver = "",
    tools: Annotated[
        str, typer.Option(help="your own tools: a file (a list, OpenAPI, Swagger), or mcp:URL, mcp:command of a server")
    ] = "",
    domain: options.Domain = None,
    mode: Annotated[str, typer.Option(help="catalogue, open (the model writes the tools too) or mutate")] = "catalogue",
    parent: Annotated[str, typer.Option(help="with --mode mutate: the version whose tasks are changed")] = "",
    kinds: Annotated[str, typer.Option(help="shares by kind of task, as single=0.6,parallel=0.2,unsaid=0.2")] = "",
    harness: options.Harness = "json",
    style: options.Style = "auto",
    grammar: options.Grammar = True,
    k: options.Attempts = 8,
    k_max: options.MostAttempts = 0,
    confirm: options.Confirm = 0,
    mix: options.Shares = "",
    quota: Annotated[str, typer.Option(help="shares by domain, as weather=0.2,travel=0.1; others share the rest")] = "",
    max_dead_share: Annotated[
        float, typer.Option(help="expected share of groups of 8 without disagreement, at most")
    ] = 1.0,
    eval_share: Annotated[float, typer.Option(help="share of a split eval whose tools no training row calls")] = 0.0,
    held_out: Annotated[
        list[Path] | None, typer.Option(help="a file whose questions may not come (JSONL, JSON, Parquet); repeatable")
    ] = None,
    temperature: options.Temperature = 0.7,
    suspects: Annotated[bool, typer.Option(help="publish tasks whose gold half of the attempts dispute")] = False,
    store: Annotated[
        str, typer.Option(help="where versions go: a folder or s3://bucket/prefix; default data/sets")
    ] = "",
    workdir: Annotated[
        str, typer.Option(help="where a run's chunks lie: a folder or s3://bucket/prefix; default below .sparring")
    ] = "",
    runner: options.Runner = "threads",
    as_json: options.EndJson = False,
) -> None:
    """Grow one task set: propose, verify, solve, publish. The same command resumes an interrupted run."""
    values: dict[str, Any] = {
        "name": name,
        "tasks": tasks,
        "seed": seed,
        "budget": budget,
        "engine": engine,
        "generator": generator,
        "solver": solver,
        "tools": tools,
        "domains": tuple(domain or ()),
        "mode": mode,
        "parent": parent,
        "kinds": parse_shares("--kinds", kinds, "single=0.6,parallel=0.2,unsaid=0.2"),
        "harness": harness,
        "style": style,
        "grammar": grammar,
        "k": k,
        "k_max": k_max or k,
        "confirm": confirm,
        "temperature": temperature,
        "suspects": suspects,
        "quotas": parse_shares("--quota", quota, "weather=0.2,travel=0.1"),
        "max_dead_share": max_dead_share,
        "eval_share": eval_share,
        "held_out": tuple(map(str, held_out or ())),
        "store": store,
        "workdir": workdir,
        "runner": runner,
    }
    config = gathered(build(RunConfig, values | ({"mix": Mix.parse(mix)} if mix else {}), "run"))
    carry_out(config.work_folder, lambda: _flow(config), store=store, as_json=as_json)


def _flow(config: RunConfig) -> str:
    from flows.curriculum import curriculum

    return curriculum(config)
