"""What every command over published sets takes: where the store is, and whether a program or a person reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from data.storage import Storage, open_storage
from flows.settings import default_store, is_url

StoreOption = Annotated[
    str, typer.Option("--store", help="where versions lie: a folder or s3://bucket/prefix; default data/sets")
]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON on standard output")]
REFERENCE = "NAME, NAME@v0003, or a version's folder or URL"


def given_store(location: str) -> Storage:
    """The store of the option, or the default one."""
    if not location:
        return open_storage(default_store())
    return open_storage(location if is_url(location) else Path(location).expanduser())
