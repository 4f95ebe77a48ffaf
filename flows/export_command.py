"""`sparring sets export`: a version in the format of an RL trainer, with the reward that measured it.

In: a version, the name of an export, perhaps a harness and a place. Out: the folder, by default beside the version's
data, where the card's `configs:` let `load_dataset(version, NAME)` find it. Knows no Prefect.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from data.errors import UsageError
from data.exports.folder import FORMATS, export, format_of
from data.records import Message, Task
from data.version import open_version
from flows.settings import default_store
from solver.harness import HARNESSES, Harness, harness
from verifiers import answer


def export_command(
    reference: Annotated[str, typer.Argument(help="NAME, NAME@v0003 or a version's folder")],
    to: Annotated[str, typer.Option("--to", help=f"one of {', '.join(FORMATS)}")],
    asked: Annotated[str, typer.Option("--harness", help="answer format; default: the one that measured the set")] = "",
    out: Annotated[str, typer.Option(help="the new folder; default exports/NAME in the version's own")] = "",
    store: Annotated[str, typer.Option("--store", help="where versions lie; default data/sets")] = "",
) -> None:
    """Write a version for a trainer: rows, reward.py and a command line for GRPO."""
    format_of(to)
    version = open_version(Path(store) if store else default_store(), reference)
    measured = str(version.manifest.origin.difficulty.get("harness", HARNESSES[0]))
    way = harness(asked or measured, "chat")
    folder = Path(out).absolute() if out else version.path / "exports" / to
    leaf = Path(answer.__file__).read_text(encoding="utf-8")
    export(version, to, folder, harness=way.name, render=partial(_messages, way), leaf=leaf)
    console = Console()
    console.print(f"{version.manifest.rows} tasks of {version.manifest.name}@{version.manifest.version} for {to}")
    console.print(f"  folder   {folder}", markup=False, soft_wrap=True)


def _messages(way: Harness, task: Task) -> tuple[Message, ...]:
    messages = way.prompt(task).messages
    if messages is None:
        raise UsageError(f"the harness {way.name} has no chat prompt", hint="choose another with --harness")
    return messages
