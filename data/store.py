"""Publishing: a version appears whole, under the next number, or not at all.

In: the rows of a finished run, in tables, and where they came from. Out: `Version`, immutable.
Order: files into `.staging/`, synced; read again from there for the digests; manifest; one rename to `versions/`; one
log entry, made only if that number is free; the `latest` pointer. Two writers cannot get one number: the second goes on
with the next. A crash leaves folders that no log entry names. The same run published again gives the version it
gave before. Tasks are held as one Arrow table (they are sorted); candidates and attempts pass in batches, in the
order given.
Not promised: file systems without atomic rename and hard links; cleaning up after crashed writers.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from data import log
from data.atomic import make_folder, store_errors, sync_file, sync_folder
from data.card import card
from data.digests import file_digest, set_digests
from data.errors import StoreError
from data.ledger import LedgerRow, balance, ledger_table
from data.manifest import MANIFEST, FileEntry, Manifest, Origin, manifest_bytes, read_manifest
from data.schema import ATTEMPTS, CANDIDATES, LEDGER, SCHEMA_VERSION, TASKS, conform
from data.version import ROW_GROUP, Version, read_batches, set_folder, verify_version

TRAIN = "data/train-00000-of-00001.parquet"


@dataclass(frozen=True, slots=True)
class Publication:
    """A finished run. `report` is given the version's name and returns the Markdown of `report.md`."""

    name: str
    tasks: Iterable[pa.Table]
    candidates: Iterable[pa.Table]
    attempts: Iterable[pa.Table]
    ledger: Sequence[LedgerRow]
    origin: Origin
    report: Callable[[str], str]


def publish(store: Path, publication: Publication) -> Version:
    """Publish a run as the next version of its set (or find the version that it already is).

    Raises `StoreError` if the store cannot be written, a table is not of its schema, a task is there twice, the ledger
    does not balance, or what was written does not read back; `UsageError` for a bad name. Then nothing is published.
    """
    folder = set_folder(store, publication.name)
    stage = make_folder(folder / ".staging" / uuid.uuid4().hex)
    try:
        with store_errors(store, "publish into"):
            return _enter(folder, stage, _stage(stage, publication), publication.report)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _stage(stage: Path, publication: Publication) -> Manifest:
    """Write all tables, read the tasks back, and draw up the manifest, still without number and texts."""
    make_folder(stage / "data")
    rows = {
        TRAIN: _write(stage / TRAIN, [_sorted(publication.tasks)], TASKS),
        "candidates.parquet": _write(stage / "candidates.parquet", publication.candidates, CANDIDATES),
        "attempts.parquet": _write(stage / "attempts.parquet", publication.attempts, ATTEMPTS),
        "ledger.parquet": _write(stage / "ledger.parquet", [ledger_table(publication.ledger)], LEDGER),
    }
    balance(publication.ledger, briefs=rows["candidates.parquet"], published=rows[TRAIN])
    digests = set_digests(read_batches(stage / TRAIN, TASKS))
    return Manifest(
        name=publication.name,
        version="",
        schema_version=SCHEMA_VERSION,
        digest=digests.digest,
        measurement_digest=digests.measurement_digest,
        rows=rows[TRAIN],
        files=tuple(_entry(stage, path, count) for path, count in rows.items()),
        ledger=tuple(publication.ledger),
        parents=(),
        origin=publication.origin,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _enter(folder: Path, stage: Path, draft: Manifest, report: Callable[[str], str]) -> Version:
    """Give the staged files a number, their texts and their place in the log."""
    versions = make_folder(folder / "versions")
    while True:
        if (known := _known(folder, draft)) is not None:
            log.point_latest(folder)
            return known
        history = log.entries(folder)
        seq = log.next_seq(folder)
        entry = log.Entry(seq, log.version_name(seq, draft.digest), draft.digest, draft.origin.engine)
        parents = (history[-1].version,) if history else ()
        manifest = _write_texts(stage, replace(draft, version=entry.version, parents=parents), report)
        target = versions / entry.version
        os.rename(stage, target)
        sync_folder(versions)
        if log.claim(folder, entry):
            log.point_latest(folder)
            return Version(target, manifest)
        os.rename(target, stage)


def _write_texts(stage: Path, manifest: Manifest, report: Callable[[str], str]) -> Manifest:
    """Card, report and, last of all, the manifest, which lists them."""
    texts = {"README.md": card(manifest), "report.md": report(manifest.version)}
    for name, text in texts.items():
        (stage / name).write_text(text, encoding="utf-8")
        sync_file(stage / name)
    whole = replace(manifest, files=(*manifest.files, *(_entry(stage, name, None) for name in texts)))
    (stage / MANIFEST).write_bytes(manifest_bytes(whole))
    sync_file(stage / MANIFEST)
    sync_folder(stage / "data")
    sync_folder(stage)
    return whole


def _known(folder: Path, draft: Manifest) -> Version | None:
    """The version that this very run already is; one that a dead writer renamed but did not log is entered now."""
    logged = {entry.version for entry in log.entries(folder)}
    for path in log.version_folders(folder):
        if not path.name.endswith(draft.digest[:12]):
            continue
        try:
            found = Version(path, read_manifest(path))
            if found.manifest.identity != draft.identity or (path.name not in logged and verify_version(found)):
                continue
        except StoreError:
            continue  # Damaged, or a rival just took it back: no version of ours.
        seq = int(path.name[1:].partition("-")[0])
        if log.claim(folder, log.Entry(seq, path.name, draft.digest, draft.origin.engine)):
            return found
    return None


def _sorted(tables: Iterable[pa.Table]) -> pa.Table:
    """All tasks in one table, in the order of their ids, each id once."""
    table = pa.concat_tables([TASKS.empty_table(), *tables]).sort_by("task_id")
    ids = table["task_id"].combine_chunks()
    twice = pc.filter(ids[1:], pc.equal(ids[1:], ids[:-1])) if len(ids) > 1 else ids[:0]
    if len(twice):
        raise StoreError(f"the task {twice[0]} is there twice", hint="publish each task once")
    return table


def _write(path: Path, tables: Iterable[pa.Table], schema: pa.Schema) -> int:
    """Stream tables into one Parquet file with row groups of one size; the number of rows."""
    rows = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for group in _groups(tables, schema):
            writer.write_table(group, row_group_size=ROW_GROUP)
            rows += group.num_rows
    sync_file(path)
    return rows


def _groups(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The same rows cut into tables of `ROW_GROUP` rows (the last may have fewer)."""
    held = schema.empty_table()
    for table in tables:
        held = pa.concat_tables([held, conform(table, schema)])
        while held.num_rows >= ROW_GROUP:
            yield held.slice(0, ROW_GROUP)
            held = held.slice(ROW_GROUP)
    if held.num_rows:
        yield held


def _entry(stage: Path, path: str, rows: int | None) -> FileEntry:
    return FileEntry(path, (stage / path).stat().st_size, file_digest(stage / path), rows)
