"""Published versions, as a reader sees them: found by name, opened by manifest, checked against it.

In: a store and a reference: `name`, `name@latest`, `name@v0003`, `name@v0003-1a2b3c4d5e6f`, or a version's folder or
URL, wherever it was copied to. Out: `Version`, whose tables come from the files that the manifest lists and no others.
Layout: `<store>/<name>/versions/<version>/` (the default store is itself called `sets`).
Not promised: that opening checks every byte; `data.verification` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from data import log
from data.errors import StoreError, UsageError
from data.manifest import MANIFEST, FileEntry, Manifest, read_manifest
from data.parquet import DAMAGED, read_schema, read_tables
from data.schema import TASKS
from data.storage import Storage, open_storage

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable version: its folder and its manifest."""

    storage: Storage
    manifest: Manifest

    @property
    def location(self) -> str:
        """Its folder's path or URL."""
        return self.storage.location

    def task_files(self, split: str = "") -> tuple[FileEntry, ...]:
        """The files that hold tasks, `data/<split>-*.parquet`, of a split or of all."""
        return tuple(entry for entry in self.manifest.files if entry.split and split in ("", entry.split))

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits, sorted."""
        return tuple(sorted({entry.split for entry in self.task_files()}))

    def tasks(self, split: str = "") -> Iterator[pa.Table]:
        """The tasks (`data.schema.TASKS`) of a split or of all, by `task_id`, at most `BATCH` at a time.

        A column that came after this version was made is null. `StoreError` where that cannot be.
        """
        for table in self.stored_tasks(split):
            yield _brought_up(table, self.location)

    def stored_tasks(self, split: str = "", columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The same with the columns that they were published with, or some of them."""
        for entry in self.task_files(split):
            yield from read_tables(self.storage, entry.path, columns)

    def schema(self) -> pa.Schema:
        """The columns that the tasks were published with."""
        return read_schema(self.storage, self.task_files()[0].path)


@dataclass(frozen=True, slots=True)
class SetSummary:
    """A set of a store: how many versions, and which is the latest (None while all are scripted)."""

    name: str
    versions: int
    newest: str
    latest: str | None


def set_home(store: Storage, name: str) -> Storage:
    """Where a set lives. `UsageError` for a name that is none (small letters, digits, `.`, `_`, `-`; 64 at most)."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a task set", hint="use up to 64 small letters, digits, '.', '_' and '-'"
        )
    return store.at(name)


def set_names(store: Storage) -> tuple[str, ...]:
    """The folders of a store that can be sets, by name; none for a store that is not there."""
    return tuple(name for name in store.folders() if _NAME.fullmatch(name))


def list_sets(store: Storage) -> tuple[SetSummary, ...]:
    """All sets of a store that have a version, by name."""
    found = []
    for name in set_names(store):
        if history := log.entries(store.at(name)):
            newest = log.latest(history)
            found.append(SetSummary(name, len(history), history[-1].version, newest.version if newest else None))
    return tuple(found)


def open_version(store: Storage, reference: str) -> Version:
    """The version that a reference names. `UsageError` if there is none, `StoreError` if it is damaged."""
    if "/" in reference or (Path(reference) / MANIFEST).is_file():
        folder = open_storage(reference)
        return Version(folder, read_manifest(folder))
    name, _, wanted = reference.partition("@")
    history = set_history(store, name)
    entry = _choose(history, wanted or "latest")
    if entry is None:
        some = ", ".join(f"{name}@{one.version}" for one in history[-5:])
        why = "has no version of a real engine yet" if wanted in ("", "latest") else f"has no version {wanted!r}"
        raise UsageError(f"the task set {name!r} {why}", hint=f"newest versions: {some}")
    return logged_version(store, name, entry)


def set_history(store: Storage, name: str) -> tuple[log.Entry, ...]:
    """The log of a set, oldest first. `UsageError` if the store has no such set."""
    history = log.entries(set_home(store, name))
    if not history:
        known = ", ".join(one.name for one in list_sets(store)) or "none"
        raise UsageError(f"there is no task set {name!r} in {store.location}", hint=f"sets in this store: {known}")
    return history


def logged_version(store: Storage, name: str, entry: log.Entry) -> Version:
    """The version of a log entry. `StoreError` if it is damaged."""
    folder = store.at(name).at("versions").at(entry.version)
    return Version(folder, read_manifest(folder))


def _choose(history: tuple[log.Entry, ...], wanted: str) -> log.Entry | None:
    if wanted == "latest":
        return log.latest(history)
    return next((one for one in history if wanted in (one.version, one.version.partition("-")[0])), None)


def _brought_up(table: pa.Table, where: str) -> pa.Table:
    """The table with exactly the columns of `TASKS`: those that it lacks and that may be null are."""
    if table.schema == TASKS:
        return table
    columns = []
    for field in TASKS:
        if field.name in table.column_names and table.schema.field(field.name).type == field.type:
            columns.append(table[field.name])
        elif field.nullable and field.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, field.type))
        else:
            raise StoreError(f"the tasks of {where} have other columns than expected: {field.name}", hint=DAMAGED)
    return pa.Table.from_arrays(columns, schema=TASKS)
