"""`sparring sets export`: a version in the format of an RL trainer, with the reward that measured it.

In: a version, the name of an export, perhaps a harness and a place. Out: the folder, by default beside the version's
data, where the card's `configs:` let `load_dataset(version, NAME)` find it. Knows no Prefect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from data.errors import StoreError, UsageError
from data.exports.folder import FORMATS, MANIFEST, export, format_of
from data.records import Message, Task
from data.version import Version, open_version
from flows.settings import is_url
from flows.store_option import REFERENCE, StoreOption, given_store
from solver.harness import HARNESSES, Harness, harness
from verifiers import answer
from verifiers.formats import TRAINABLE


def export_command(
    reference: Annotated[str, typer.Argument(help=REFERENCE)],
    to: Annotated[str, typer.Option("--to", help=f"one of {', '.join(FORMATS)}")],
    asked: Annotated[str, typer.Option("--harness", help="answer format; default: the one that measured the set")] = "",
    out: Annotated[str, typer.Option(help="the new folder; default exports/NAME in the version's own")] = "",
    store: StoreOption = "",
) -> None:
    """Write a version for a trainer: rows, reward.py and a command line for GRPO."""
    format_of(to)
    version = open_version(given_store(store), reference)
    measured = str(version.manifest.origin.difficulty.get("harness", HARNESSES[0]))
    way = harness(asked or measured, "chat")
    if way.name not in TRAINABLE:
        raise UsageError(
            f"reward.py does not read answers of the harness {way.name}",
            hint=f"choose another with --harness: {', '.join(TRAINABLE)}",
        )
    leaf = Path(answer.__file__).read_text(encoding="utf-8")
    make = partial(export, version, to, harness=way.name, render=partial(_messages, way), leaf=leaf)
    if out or not is_url(version.location):
        folder = str(make(Path(out).absolute() if out else Path(version.location, "exports", to)))
    else:
        folder = _put(version, f"exports/{to}", make)
    console = Console()
    console.print(f"{version.manifest.rows} tasks of {version.manifest.reference} for {to}")
    console.print(f"  folder   {folder}", markup=False, soft_wrap=True)


def _put(version: Version, key: str, make: Callable[[Path], Path]) -> str:
    """The export beside a version that is not on this disk; the file that names all others comes last."""
    place = version.storage.at(key)
    if any(True for _ in place.items()):
        raise StoreError(f"{place.location} is there already", hint="remove it, or name another place with --out")
    with version.storage.scratch() as scratch:
        made = make(scratch / "export")
        for path in sorted((path for path in made.rglob("*") if path.is_file()), key=lambda one: one.name == MANIFEST):
            place.put(path, path.relative_to(made).as_posix())
    return place.location


def _messages(way: Harness, task: Task) -> tuple[Message, ...]:
    messages = way.prompt(task).messages
    if messages is None:
        raise UsageError(f"the harness {way.name} has no chat prompt", hint="choose another with --harness")
    return messages
