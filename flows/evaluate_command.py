"""`sparring evaluate`: solvers and harnesses on benchmarks, with intervals on everything.

In: options. Out: a table on the terminal, or one JSON object with `--json`; the whole result, every item's outcome for
every seed, in a file. Exit 0 when every answer came, 1 when some are missing (there is no result then), 2 for wrong
usage. The same command resumes an interrupted one. Starts no Prefect.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from data.atomic import write_bytes
from data.errors import StoreError, UsageError
from data.version import open_version
from flows.escaping import printable
from flows.evaluation import Plan, evaluate
from flows.evaluation_table import print_tables
from flows.settings import policies_home
from flows.store_option import StoreOption, given_store
from policies.players import BASE, Player, named, passed_over, resolve
from solver.benches import own
from solver.benches.base import Bench, some_of
from solver.benches.readers import PROBE, READERS, read_bench
from solver.handoff import handed_over
from solver.harness import HARNESSES, HarnessName

RESULT = "result.json"
_SOLVER = "embedded, vllm[:folder], scripted, a URL with #model, or checkpoint:NAME; default the promoted one"
_BENCHES = f"{PROBE}, {PROBE}=promotion, {PROBE}=final, or NAME=PATH with NAME of {', '.join(READERS)}; may be repeated"


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
    style: Annotated[str, typer.Option(help="prompts for chat models (chat) or as plain examples (plain)")] = "auto",
    temperature: Annotated[float, typer.Option(min=0, max=2, help="of the solvers")] = 0.7,
    max_tokens: Annotated[int, typer.Option(min=0, help="of an answer; 0: what the style needs")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="the same seed draws the same")] = 0,
    store: StoreOption = "",
    workdir: Annotated[str, typer.Option(help="where answers are kept; default below .sparring")] = "",
    out: Annotated[str, typer.Option(help=f"the result's file; default {RESULT} in the work folder")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="the result without its items on standard output")] = False,
) -> None:
    """Measure pass@1 and graded reward on benchmarks, paired between solvers and between harnesses."""
    benches = _benches(bench or [], store)
    if items:
        benches = [some_of(one, items) for one in benches]
    if handoff:
        benches += _handed_over(benches)
    plan = Plan(
        solvers=tuple(_player(name) for name in [solver, *filter(None, [against])]),
        harnesses=tuple(_harness(name) for name in harness or ["json"]),
        benches=tuple(benches),
        style=style,
        seeds=seeds,
        temperature=temperature,
        max_tokens=max_tokens or None,
        seed=seed,
    )
    result, folder = evaluate(plan, workdir, lambda line: print(line, file=sys.stderr))
    path = Path(out).expanduser() if out else folder / RESULT
    _write(path, result)
    if as_json:
        short = {name: part for name, part in result.items() if name != "items"}
        print(json.dumps({**short, "result": str(path)}))
    else:
        print_tables(result, str(path))


def _benches(named: list[str], store: str) -> list[Bench]:
    """Each benchmark once; the files of one that is named several times together."""
    found: dict[str, Bench] = {}
    for text in named:
        name, _, where = text.partition("=")
        one = _set(where, store) if name == "set" else read_bench(name, where)
        known = found.get(one.name)
        if known and {item.id for item in known.items} & {item.id for item in one.items}:
            raise UsageError(f"--bench {text} repeats items of another --bench {name}", hint="give each file once")
        found[one.name] = one if known is None else _joined(known, one)
    if not found:
        raise UsageError("nothing to evaluate on", hint=f"give --bench {_BENCHES}")
    return list(found.values())


def _joined(one: Bench, other: Bench) -> Bench:
    return Bench(one.name, one.files + other.files, one.items + other.items, one.left_out + other.left_out)


def _set(where: str, store: str) -> Bench:
    """A set of our own: a Parquet file, or what names a version."""
    path = Path(where).expanduser()
    if where.endswith(".parquet") and path.is_file():
        return own.read(path)
    return own.read_version(open_version(given_store(store), where))


def _handed_over(benches: list[Bench]) -> list[Bench]:
    parts = [part for part in map(handed_over, benches) if part.items]
    if not parts:
        raise UsageError(
            "--handoff: no benchmark has a task of several calls with a world",
            hint="give a set that has some: sparring run --kinds world=1, then --bench set=NAME",
        )
    return parts


def _harness(name: str) -> HarnessName:
    for known in HARNESSES:
        if known == name:
            return known
    raise UsageError(f"there is no harness {name!r}", hint=f"there are {', '.join(HARNESSES)}")


def _player(text: str) -> Player:
    """The weights that were named, as they are; of nothing, the promoted solver, at first the embedded model."""
    home = policies_home()
    if text:
        return named(home, "solver", text)
    found = resolve(home, "solver", BASE)
    if words := passed_over(home, found):
        print(printable(words), file=sys.stderr)
    return found


def _write(path: Path, result: dict[str, Any]) -> None:
    try:
        write_bytes(path, json.dumps(result, indent=1, ensure_ascii=True).encode())
    except OSError as fault:
        raise StoreError(
            f"the result cannot be written to {path}: {fault.strerror}", hint="name another place with --out"
        ) from fault
