"""`sparring doctor`: looks at everything a run needs, and says what to do for each fault.

In: the engines and the store that you mean to use. Out: a line a check, or one JSON object. Exit code 1 if there is a
fault; notes are no faults.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer

from flows import doctor_install, doctor_places, doctor_services
from flows.doctor import Check, Finding, examine
from flows.store_option import JsonOption, StoreOption


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("doctor")(doctor)


def doctor(
    engine: Annotated[
        list[str] | None, typer.Option(help="an engine you mean to use, as in `sparring run`; may be repeated")
    ] = None,
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Look at everything a run needs, and say what to do where something is wrong."""
    found = []
    for one in examine(_checks(engine or [], store)):
        found.append(one)
        if not as_json:
            print(one.line(), flush=True)
    faults = sum(one.mark == "fault" for one in found)
    if as_json:
        print(json.dumps({"well": not faults, "checks": [asdict(one) for one in found]}, ensure_ascii=False))
    else:
        print(f"\n{faults or 'no'} fault{'' if faults == 1 else 's'} in {len(found)} checks")
    if faults:
        raise typer.Exit(1)


def _checks(engines: list[str], store: str) -> dict[str, Check]:
    """Cheap before dear; Prefect, which takes seconds to import, at the end."""

    def asked_for() -> Iterator[Finding]:
        for one in engines:
            yield from doctor_services.engines(one)

    return {
        "python": doctor_install.python,
        "packages": doctor_install.packages,
        "names": doctor_install.names,
        "readers": doctor_install.readers,
        "weights": doctor_install.embedded,
        "engine": doctor_install.engine,
        "keys": doctor_services.keys,
        "endpoint": asked_for,
        "store": partial(doctor_places.store, store),
        "work folders": doctor_places.work_folders,
        "players": doctor_places.players,
        "proxy": doctor_services.proxies,
        "prefect": doctor_services.prefect,
    }
