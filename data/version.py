"""Published versions, as a reader sees them: found by name, opened by manifest, checked against it.

In: a store and a reference: `name`, `name@latest`, `name@v0003`, `name@v0003-1a2b3c4d5e6f`, or a version's folder.
Out: `Version`, whose tables come from the files that the manifest lists and from no others.
Layout: `<store>/<name>/versions/<version>/` (the default store is itself called `sets`).
Not promised: that opening checks every byte; `verify_version` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from data import log
from data.atomic import store_errors
from data.digests import file_digest, set_digests
from data.errors import StoreError, UsageError
from data.manifest import MANIFEST, FileEntry, Manifest, read_manifest
from data.schema import TASKS

ROW_GROUP = 1024
"""Rows a row group, and rows a batch on reading."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable version: its folder and its manifest."""

    path: Path
    manifest: Manifest

    def task_files(self) -> tuple[FileEntry, ...]:
        """The files that hold tasks: `data/<split>-*.parquet`."""
        return tuple(entry for entry in self.manifest.files if entry.path.startswith("data/"))

    def tasks(self, split: str = "") -> Iterator[pa.Table]:
        """The tasks (`data.schema.TASKS`) of a split or of all, by `task_id`, at most `ROW_GROUP` at a time."""
        for entry in self.task_files():
            if entry.path.startswith(f"data/{split}-" if split else "data/"):
                yield from read_batches(self.file(entry), TASKS)

    def file(self, entry: FileEntry) -> Path:
        """The path of a listed file. `StoreError` if it is not there or has another size."""
        path = self.path / entry.path
        with store_errors(path, "read"):
            size = path.stat().st_size
        if size != entry.bytes:
            raise StoreError(f"{path} has {size} bytes, its manifest says {entry.bytes}", hint=_DAMAGED)
        return path


@dataclass(frozen=True, slots=True)
class SetSummary:
    """A set of a store: how many versions, and which is the latest (None while all are scripted)."""

    name: str
    versions: int
    newest: str
    latest: str | None


_DAMAGED = "restore the version from a copy, or take another one"


def set_folder(store: Path, name: str) -> Path:
    """Where a set lives. `UsageError` for a name that is none (small letters, digits, `.`, `_`, `-`; 64 at most)."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a task set", hint="use up to 64 small letters, digits, '.', '_' and '-'"
        )
    return store / name


def list_sets(store: Path) -> tuple[SetSummary, ...]:
    """All sets of a store that have a version, by name; empty for a store that is not there."""
    with store_errors(store, "read"):
        names = sorted(path.name for path in store.iterdir()) if store.is_dir() else []
    found = []
    for name in names:
        if _NAME.fullmatch(name) and (versions := log.entries(store / name)):
            newest = log.latest(versions)
            found.append(SetSummary(name, len(versions), versions[-1].version, newest.version if newest else None))
    return tuple(found)


def open_version(store: Path, reference: str) -> Version:
    """The version that a reference names. `UsageError` if there is none, `StoreError` if it is damaged."""
    if "/" in reference or (Path(reference) / MANIFEST).is_file():
        return Version(Path(reference), read_manifest(Path(reference)))
    name, _, wanted = reference.partition("@")
    folder = set_folder(store, name)
    versions = log.entries(folder)
    if not versions:
        known = ", ".join(one.name for one in list_sets(store)) or "none"
        raise UsageError(f"there is no task set {name!r} in {store}", hint=f"sets in this store: {known}")
    entry = _choose(versions, wanted or "latest")
    if entry is None:
        some = ", ".join(f"{name}@{one.version}" for one in versions[-5:])
        why = "has no version of a real engine yet" if wanted in ("", "latest") else f"has no version {wanted!r}"
        raise UsageError(f"the task set {name!r} {why}", hint=f"newest versions: {some}")
    path = folder / "versions" / entry.version
    return Version(path, read_manifest(path))


def show_set(store: Path, name: str) -> tuple[Version, ...]:
    """Every version of a set, oldest first."""
    folder = set_folder(store, name)
    return tuple(open_version(store, str(folder / "versions" / entry.version)) for entry in log.entries(folder))


def verify_version(version: Version) -> tuple[str, ...]:
    """Read every byte of a version again; what does not agree with its manifest, one line each, or nothing."""
    faults = []
    for entry in version.manifest.files:
        path = version.path / entry.path
        if not path.is_file():
            faults.append(f"{entry.path}: is not there")
        elif file_digest(path) != entry.sha256:
            faults.append(f"{entry.path}: sha256 differs")
    if faults:
        return tuple(faults)
    found = set_digests(version.tasks())
    if found.digest != version.manifest.digest:
        faults.append("digest: the rows are not those of the manifest")
    if found.measurement_digest != version.manifest.measurement_digest:
        faults.append("measurement_digest: the figures are not those of the manifest")
    return tuple(faults)


def read_batches(path: Path, schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of a Parquet file of this schema, at most `ROW_GROUP` at a time."""
    try:
        with store_errors(path, "read"), pq.ParquetFile(path) as file:
            if file.schema_arrow != schema:
                raise StoreError(f"{path} has other columns than expected", hint=_DAMAGED)
            for batch in file.iter_batches(batch_size=ROW_GROUP):
                yield pa.Table.from_batches([batch])
    except pa.ArrowException as error:
        raise StoreError(f"{path} is broken: {error}", hint=_DAMAGED) from error


def _choose(versions: tuple[log.Entry, ...], wanted: str) -> log.Entry | None:
    if wanted == "latest":
        return log.latest(versions)
    return next((one for one in versions if wanted in (one.version, one.version.partition("-")[0])), None)
