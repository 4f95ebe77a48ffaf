"""`sparring rescore`: an old version measured by a newer solver or under another harness, as a new version.

In: a version and how to measure. Out: what was published and what to open next, or one JSON object with `--json`.
"""

from __future__ import annotations

from typing import Annotated

import typer

from flows import task_options as options
from flows.executing import carry_out
from flows.rescore_settings import RescoreConfig
from flows.settings import build


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("rescore")(rescore_command)


def rescore_command(
    version: Annotated[str, typer.Argument(help="NAME@v0003, or a version's folder or URL")],
    solver: Annotated[
        str, typer.Option(help="what is measured: an engine or checkpoint:NAME; default the promoted one")
    ] = "",
    harness: options.Harness = "json",
    style: options.Style = "auto",
    k: options.Attempts = 8,
    k_max: options.MostAttempts = 0,
    temperature: options.Temperature = 0.7,
    seed: options.Seed = 0,
    store: Annotated[str, typer.Option(help="where versions lie: a folder or s3://bucket/prefix")] = "",
    workdir: Annotated[
        str, typer.Option(help="where the chunks lie: a folder or s3://bucket/prefix; default below .sparring")
    ] = "",
    runner: options.Runner = "threads",
    as_json: options.EndJson = False,
) -> None:
    """Measure an old version again; nothing is generated. The same command resumes an interrupted one."""
    values = {
        "version": version,
        "solver": solver,
        "harness": harness,
        "style": style,
        "k": k,
        "k_max": k_max or k,
        "temperature": temperature,
        "seed": seed,
        "store": store,
        "workdir": workdir,
        "runner": runner,
    }
    config = build(RescoreConfig, values, "rescore")
    carry_out(config.work_folder, lambda: _flow(config), store=store, as_json=as_json)


def _flow(config: RescoreConfig) -> str:
    from flows.rescore import rescore

    return rescore(config)
