"""The log of a task set: which versions count, in order, agreed among writers without a lock.

In: a set's storage. Out: `log/<seq>.json`, numbered without gaps, each made once and never changed: who makes the next
one has published on top of all before (compare-and-swap by create-if-absent). `refs/latest.json` is a pointer for
people and other programs, which the log can always mend.
A version folder that no log entry names does not exist for a reader.
Not promised: version numbers without gaps (they only grow along the log): a writer that died may have used one up.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from data.canonical import canonical_bytes
from data.errors import StoreError
from data.manifest import SCRIPTED
from data.storage import Storage


@dataclass(frozen=True, slots=True)
class Entry:
    """One published version: its place in the log, its folder's name, its digest and the engine that made it."""

    seq: int
    version: str
    digest: str
    engine: str


def version_name(number: int, digest: str) -> str:
    """`v0003-1a2b3c4d5e6f`: the number and 12 hex digits of the digest."""
    return f"v{number:04d}-{digest[:12]}"


def version_number(name: str) -> int:
    """The number in a version's name."""
    return int(name[1:].partition("-")[0])


def entries(home: Storage) -> tuple[Entry, ...]:
    """The log of a set, oldest first; empty if nothing was published. `StoreError` for a broken entry."""
    folder = home.at("log")
    found = []
    for item in folder.items():
        stem, _, ending = item.key.partition(".")
        if ending != "json" or not stem.isdecimal():
            continue
        content = folder.read(item.key)
        try:
            found.append(Entry(**json.loads(content)))
        except (ValueError, TypeError) as error:
            where = f"{folder.location}/{item.key}"
            raise StoreError(f"the log entry {where} is broken", hint="restore it from a copy of the store") from error
    return tuple(sorted(found, key=lambda entry: entry.seq))


def next_number(history: tuple[Entry, ...]) -> int:
    """The first version number above all in the log."""
    return version_number(history[-1].version) + 1 if history else 1


def next_seq(history: tuple[Entry, ...]) -> int:
    """The next place in the log."""
    return history[-1].seq + 1 if history else 1


def claim(home: Storage, entry: Entry) -> bool:
    """Enter a version in the log. False if its place was given to another version meanwhile."""
    if home.write_new(f"log/{entry.seq:04d}.json", canonical_bytes(asdict(entry))):
        return True
    return entry in entries(home)


def latest(history: tuple[Entry, ...]) -> Entry | None:
    """The newest version that a real engine made."""
    return next((entry for entry in reversed(history) if entry.engine != SCRIPTED), None)


def point_latest(home: Storage) -> None:
    """Let `refs/latest.json` name the newest version of the log, also when other writers publish meanwhile."""
    pointed: Entry | None = None
    while (newest := latest(entries(home))) is not None and newest != pointed:
        home.write("refs/latest.json", canonical_bytes(asdict(newest)))
        pointed = newest
