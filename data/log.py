"""The log of a task set: which versions count, in order, agreed among writers without a lock.

In: a set's folder. Out: `log/<seq>.json`, each made once and never changed (create-if-absent is the compare-and-swap),
and `refs/latest.json`, a pointer for people and other programs, which the log can always mend.
A version folder that no log entry names does not exist for a reader.
Not promised: numbers without gaps; a writer that died may have used one up.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from data.atomic import create, store_errors, write_bytes
from data.canonical import canonical_bytes
from data.errors import StoreError
from data.manifest import SCRIPTED


@dataclass(frozen=True, slots=True)
class Entry:
    """One published version: its number, its folder's name, its digest and the engine that made it."""

    seq: int
    version: str
    digest: str
    engine: str


def version_name(seq: int, digest: str) -> str:
    """`v0003-1a2b3c4d5e6f`: the number and 12 hex digits of the digest."""
    return f"v{seq:04d}-{digest[:12]}"


def entries(folder: Path) -> tuple[Entry, ...]:
    """The log of a set, oldest first; empty if nothing was published. `StoreError` for a broken entry."""
    with store_errors(folder, "read"):
        paths = [path for path in (folder / "log").glob("*.json") if path.stem.isdecimal()]
        contents = [(path, path.read_bytes()) for path in paths]
    found = []
    for path, content in contents:
        try:
            found.append(Entry(**json.loads(content)))
        except (ValueError, TypeError) as error:
            raise StoreError(f"the log entry {path} is broken", hint="restore it from a copy of the store") from error
    return tuple(sorted(found, key=lambda entry: entry.seq))


def next_seq(folder: Path) -> int:
    """A number above all in the log and above all version folders, also those of writers that died."""
    taken = [entry.seq for entry in entries(folder)]
    taken += [
        int(seq) for seq in (path.name[1:].partition("-")[0] for path in version_folders(folder)) if seq.isdecimal()
    ]
    return max(taken, default=0) + 1


def version_folders(folder: Path) -> tuple[Path, ...]:
    """Every folder under `versions/`, in the log or not."""
    with store_errors(folder, "read"):
        return tuple(sorted((folder / "versions").glob("v*-*")))


def claim(folder: Path, entry: Entry) -> bool:
    """Enter a version in the log. False if its number was given to another version meanwhile."""
    path = folder / "log" / f"{entry.seq:04d}.json"
    if create(path, canonical_bytes(asdict(entry))):
        return True
    return entry in entries(folder)


def latest(log: tuple[Entry, ...]) -> Entry | None:
    """The newest version that a real engine made."""
    return next((entry for entry in reversed(log) if entry.engine != SCRIPTED), None)


def point_latest(folder: Path) -> None:
    """Let `refs/latest.json` name the newest version of the log, also when other writers publish meanwhile."""
    pointed: Entry | None = None
    while (newest := latest(entries(folder))) is not None and newest != pointed:
        write_bytes(folder / "refs" / "latest.json", canonical_bytes(asdict(newest)))
        pointed = newest
