"""Publishing: a version appears whole, on top of the newest one, or not at all.

In: the rows of a finished run, in tables, and where they came from. Out: `Version`, immutable.
Order, the same on disk and on S3: files are built in scratch, and read again from there for the digests; the card is
made anew under the next free number, which claims the folder; all other files; all of them are read again; the
manifest; a log entry, made only if that place in the log is free; the `latest` pointer. Of two writers one gets the
place, the other publishes on top of it. A crash leaves folders that no log entry names (`data.garbage`). The same run
published again gives the version it gave before, also when its first writer died before the log.
Memory: see `data.sorting` and `data.digests`; candidates and attempts pass as a stream, in the order given.
Not promised: cleaning up after crashed writers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import pyarrow as pa

from data import log
from data.atomic import store_errors
from data.card import CARD, card, licence
from data.croissant import croissant
from data.digests import file_digest, set_digests
from data.errors import StoreError
from data.figures import Summary, figures
from data.garbage import take_back
from data.ledger import LedgerRow, balance, ledger_table
from data.manifest import MANIFEST, FileEntry, Manifest, Origin, manifest_bytes, read_manifest
from data.parquet import read_tables, write_tables
from data.schema import ATTEMPTS, CANDIDATES, COMPARISON, LEDGER, SCHEMA_VERSION, TASKS
from data.sorting import sorted_by_id
from data.storage import LocalStorage, Storage
from data.verification import object_digest, verify_version
from data.version import Version, set_home

TRAIN = "data/train-00000-of-00001.parquet"
EVAL = "data/eval-00000-of-00001.parquet"


@dataclass(frozen=True, slots=True)
class Publication:
    """A finished run. `report` is given the version's name and returns the Markdown of `report.md`.

    `eval` are the tasks of the split of that name, if there is one; `comparison` (`data.schema.COMPARISON`) sets two
    measurements side by side; `sources` are versions that this one was made from, other than the one before it.
    """

    name: str
    tasks: Iterable[pa.Table]
    candidates: Iterable[pa.Table]
    attempts: Iterable[pa.Table]
    ledger: Sequence[LedgerRow]
    origin: Origin
    report: Callable[[str], str]
    eval: Iterable[pa.Table] | None = None
    comparison: Iterable[pa.Table] | None = None
    sources: tuple[str, ...] = ()


def publish(store: Storage, publication: Publication) -> Version:
    """Publish a run as the next version of its set (or find the version that it already is).

    Raises `StoreError` if the store cannot be written, a table is not of its schema, a task is there twice, the ledger
    does not balance, or what was written does not read back; `UsageError` for a bad name. Then nothing is published.
    """
    home = set_home(store, publication.name)
    with home.scratch() as stage:
        with store_errors(stage, "write to"):
            draft, summary = _stage(stage, publication)

        def texts(named: Manifest) -> dict[str, str]:
            """What is written for people, the card first."""
            return {
                CARD: card(named),
                "report.md": publication.report(named.version),
                "croissant.json": croissant(named, licence(named)),
                **figures(summary, named.ledger),
            }

        while True:
            history = log.entries(home)
            draft = replace(draft, parents=_parents(history, publication.sources))
            known = _known(home, history, draft)
            version = known or _put(home, history, draft, stage, texts)
            manifest = version.manifest
            entry = log.Entry(log.next_seq(history), manifest.version, manifest.digest, manifest.origin.engine)
            if any(one.version == entry.version for one in history) or log.claim(home, entry):
                log.point_latest(home)
                return version
            if known is None:
                take_back(version.storage, [MANIFEST, *(entry.path for entry in version.manifest.files)])


def _stage(stage: Path, publication: Publication) -> tuple[Manifest, Summary]:
    """Write all tables, read the tasks back, and draw up the manifest, still without number and texts."""
    (stage / "data").mkdir()
    rows = {TRAIN: write_tables(stage / TRAIN, sorted_by_id(publication.tasks, TASKS, stage), TASKS)}
    if publication.eval is not None:
        rows[EVAL] = write_tables(stage / EVAL, sorted_by_id(publication.eval, TASKS, stage), TASKS)
    splits = tuple(rows)
    if publication.comparison is not None:
        rows["comparison.parquet"] = write_tables(stage / "comparison.parquet", publication.comparison, COMPARISON)
    rows |= {
        "candidates.parquet": write_tables(stage / "candidates.parquet", publication.candidates, CANDIDATES),
        "attempts.parquet": write_tables(stage / "attempts.parquet", publication.attempts, ATTEMPTS),
        "ledger.parquet": write_tables(stage / "ledger.parquet", [ledger_table(publication.ledger)], LEDGER),
    }
    balance(publication.ledger, briefs=rows["candidates.parquet"], published=sum(rows[path] for path in splits))
    summary = Summary()
    stored = chain.from_iterable(read_tables(LocalStorage(stage), path) for path in splits)
    digests = set_digests(summary.watch(stored))
    draft = Manifest(
        name=publication.name,
        version="",
        schema_version=SCHEMA_VERSION,
        digest=digests.digest,
        measurement_digest=digests.measurement_digest,
        rows=digests.rows,
        files=tuple(_entry(stage, path, count) for path, count in rows.items()),
        ledger=tuple(publication.ledger),
        parents=(),
        origin=publication.origin,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return draft, summary


def _known(home: Storage, history: Sequence[log.Entry], draft: Manifest) -> Version | None:
    """The version that this very run already is; one whose writer died before the log counts if it is next in line."""
    logged = {entry.version for entry in history}
    for name in home.at("versions").folders():
        if not name.endswith(draft.digest[:12]):
            continue
        folder = home.at("versions").at(name)
        with suppress(StoreError):  # No manifest, or damaged: no version of ours.
            found = Version(folder, read_manifest(folder))
            if found.manifest.identity != draft.identity:
                continue
            if name in logged or (found.manifest.parents == draft.parents and not verify_version(found)):
                return found
    return None


def _put(
    home: Storage,
    history: tuple[log.Entry, ...],
    draft: Manifest,
    stage: Path,
    write: Callable[[Manifest], dict[str, str]],
) -> Version:
    """Put the staged files, the texts and, last of all, the manifest into a folder of our own."""
    number = log.next_number(history)
    while True:
        named = replace(draft, version=log.version_name(number, draft.digest))
        folder = home.at("versions").at(named.version)
        texts = {path: text.encode() for path, text in write(named).items()}
        # Whoever makes the card owns the folder: rows equal to ours can be on their way from another writer.
        if folder.write_new(CARD, texts[CARD]):
            break
        number += 1
    try:
        for entry in draft.files:
            folder.put(stage / entry.path, entry.path)
        for path, content in texts.items():
            if path != CARD:
                folder.write(path, content)
        files = (*draft.files, *(_text_entry(path, content) for path, content in texts.items()))
        _read_back(folder, files)
    except BaseException:
        with suppress(StoreError):
            take_back(folder, [entry.path for entry in draft.files] + list(texts))
        raise
    whole = replace(named, files=files)
    folder.write(MANIFEST, manifest_bytes(whole))
    return Version(folder, whole)


def _read_back(folder: Storage, files: Sequence[FileEntry]) -> None:
    for entry in files:
        if object_digest(folder, entry.path) != entry.sha256:
            raise StoreError(
                f"{folder.location}/{entry.path} does not read back as it was written",
                hint="check the disk or the storage, then give the same command again",
            )


def _entry(stage: Path, path: str, rows: int) -> FileEntry:
    return FileEntry(path, (stage / path).stat().st_size, file_digest(stage / path), rows)


def _text_entry(path: str, content: bytes) -> FileEntry:
    return FileEntry(path, len(content), hashlib.sha256(content).hexdigest(), None)


def _parents(history: Sequence[log.Entry], sources: Sequence[str]) -> tuple[str, ...]:
    """What it was made from, then the version before it; each once."""
    return tuple(dict.fromkeys([*sources, *([history[-1].version] if history else [])]))
