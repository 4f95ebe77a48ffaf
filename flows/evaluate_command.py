"""`sparring evaluate`: solvers and harnesses on benchmarks, with intervals on everything.

In: options. Out: a table on the terminal, or one JSON object with `--json`; the whole result, every item's outcome for
every seed, in a file. Exit 0 when every answer came, 1 when some are missing (there is no result then), 2 for wrong
usage. The same command resumes an interrupted one. Starts no Prefect.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from data.atomic import write_bytes
from flows import task_options as options
from flows.evaluate_settings import BENCHES, EvaluateConfig, plan_of
from flows.evaluation import RESULT, evaluate
from flows.evaluation_table import print_tables
from flows.settings import build
from flows.store_option import StoreOption
from solver.harness import HARNESSES

_SOLVER = "embedded, vllm[:folder], scripted, a URL with #model, or checkpoint:NAME; default the promoted one"
_BENCHES = f"{BENCHES}; may be repeated"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("evaluate")(evaluate_command)


def evaluate_command(
    solver: Annotated[str, typer.Option(help=_SOLVER)] = "",
    bench: Annotated[list[str] | None, typer.Option(help=_BENCHES)] = None,
    harness: Annotated[list[str] | None, typer.Option(help=f"of {', '.join(HARNESSES)}; twice: both")] = None,
    against: Annotated[str, typer.Option(help="another solver or checkpoint to compare with, item by item")] = "",
    seeds: Annotated[int, typer.Option(min=1, max=64, help="answers to each item")] = 3,
    items: Annotated[int, typer.Option(min=0, help="items of each category at most; 0: all")] = 0,
    handoff: Annotated[
        bool, typer.Option(help="also from the gold's intermediate states, where tasks have a world")
    ] = False,
    style: options.Style = "auto",
    temperature: Annotated[float, typer.Option(min=0, max=2, help="of the solvers")] = 0.7,
    max_tokens: Annotated[int, typer.Option(min=0, help="of an answer; 0: what the style needs")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="the same seed draws the same")] = 0,
    store: StoreOption = "",
    workdir: Annotated[str, typer.Option(help="where answers are kept; default below .sparring")] = "",
    out: Annotated[str, typer.Option(help=f"the result's file; default {RESULT} in the work folder")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="the result without its items on standard output")] = False,
) -> None:
    """Measure pass@1 and graded reward on benchmarks, paired between solvers and between harnesses."""
    values = {
        "solver": solver,
        "bench": tuple(bench or ()),
        "harness": tuple(harness or ["json"]),
        "against": against,
        "seeds": seeds,
        "items": items,
        "handoff": handoff,
        "style": style,
        "temperature": temperature,
        "max_tokens": max_tokens,
        "seed": seed,
        "store": store,
        "workdir": workdir,
    }
    plan = plan_of(build(EvaluateConfig, values, "evaluate"))
    result, folder = evaluate(plan, workdir, lambda line: print(line, file=sys.stderr))
    path = Path(out).expanduser() if out else folder / RESULT
    write_bytes(path, json.dumps(result, indent=1).encode())
    if as_json:
        short = {name: part for name, part in result.items() if name != "items"}
        print(json.dumps({**short, "result": str(path)}))
    else:
        print_tables(result, str(path))
