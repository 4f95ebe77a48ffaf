"""A flow run from the command line: on a Prefect server, watched, and at the end what was published.

In: the work folder and the flow as a function without arguments. Out: text on standard output, or one JSON object.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from data.errors import Shortfall, SparringError
from data.manifest import read_manifest
from data.storage import open_storage
from flows.settings import is_url

Result = TypeVar("Result")


def carry_out(work_folder: Path, flow: Callable[[], str], *, store: str, as_json: bool) -> None:
    """Run a flow on a server and say what it published; a `Shortfall` is said and raised."""
    try:
        path, url, stays = execute(work_folder, flow)
    except Shortfall as short:
        if as_json:
            print(json.dumps({"published": short.path, "shortfall": short.message}))
        raise
    _say_done(path, url, stays, store=store, as_json=as_json)


def execute(work_folder: Path, flow: Callable[[], Result]) -> tuple[Result, str, bool]:
    """What the flow returns, the API's URL, and whether that server stays.

    `flow` imports Prefect only when it is called: Prefect reads its settings once, when it is first imported.
    """
    from flows.server import ServerError, healthy, prefect_server

    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    log = work_folder.absolute() / "server.log"
    _writable(log.parent)
    with prefect_server(log) as (url, stays):
        from flows.progress import watching
        from flows.server import drained

        try:
            with watching(), drained():
                return flow(), url, stays
        except SparringError:
            raise
        except Exception as fault:
            if healthy(url):
                raise
            raise ServerError(
                f"the Prefect server at {url} went away in the middle of the run: {fault}",
                hint="start it again, then give the same command: finished chunks are kept",
            ) from fault


def _writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise SparringError(
            f"the work folder {folder} cannot be made: {fault.strerror}", hint="give another with --workdir"
        ) from fault


def _loading(path: str) -> str:
    """How `datasets` is told to load a version; its cards are read from disk alone."""
    return f"'parquet', data_files={path + '/data/train-*.parquet'!r}" if is_url(path) else repr(path)


def _say_done(path: str, url: str, stays: bool, *, store: str, as_json: bool) -> None:
    """What was published, and what to open next; or one JSON object."""
    manifest = read_manifest(open_storage(path))
    if as_json:
        said = {key: getattr(manifest, key) for key in ("name", "version", "digest", "rows")}
        print(json.dumps({"published": path, **said}))
        return
    ui = url.removesuffix("/api") if stays else "make server, then http://127.0.0.1:4200"
    name = f"{manifest.name}@{manifest.version.partition('-')[0]}"
    print(
        f"\n{manifest.rows} tasks published as {manifest.reference}\n"
        f"  report   {path}/report.md\n"
        f"  data     datasets.load_dataset({_loading(path)})\n"
        f"  look     sparring sets show {path if store else name}\n"
        f"  UI       {ui}"
    )
