"""What a version says of itself: `manifest.json`, the last file written and the only one a reader trusts.

In: where the rows came from (`Origin`, from the flow), the digests, the files. Out: the manifest as JSON, and back.
The fields are those of CONTRACT. `created_at` is the one wall-clock value, and no digest covers it.
Not promised: that the files still are what the manifest lists; `data.version.verify_version` looks.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import PurePosixPath
from typing import Any, cast

from data.canonical import digest
from data.errors import StoreError
from data.ledger import LedgerRow
from data.records import JsonObject
from data.schema import SCHEMA_VERSION
from data.storage import Storage

MANIFEST = "manifest.json"
SCRIPTED = "scripted"
"""The stand-in engine; its sets are never `latest`."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What the flow knows of a set: who played, by which rules, with which settings."""

    engine: str
    players: JsonObject
    """Per slot base, digest, round and parent; `equal: true` while both are the base."""
    prompts: JsonObject
    """Name -> digest of every prompt used."""
    verifier_version: str
    difficulty: JsonObject
    """harness, k, temperature, confirm."""
    seed: int
    config: JsonObject
    git: JsonObject = field(default_factory=dict)
    libraries: JsonObject = field(default_factory=dict)
    contamination: JsonObject = field(default_factory=dict)
    sparring: str = ""
    """Our own version."""

    @property
    def run(self) -> str:
        """Equal for two runs of one command: same engine, seed, settings and players."""
        return digest([self.engine, self.seed, self.config, self.players])


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a version. `path` is relative to it, with `/`; `rows` is None for what is no table."""

    path: str
    bytes: int
    sha256: str
    rows: int | None

    @property
    def split(self) -> str:
        """The split whose tasks it holds (`data/<split>-*.parquet`); empty for a file without tasks."""
        return self.path.removeprefix("data/").partition("-")[0] if self.path.startswith("data/") else ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything `manifest.json` holds."""

    name: str
    version: str
    schema_version: int
    digest: str
    measurement_digest: str
    rows: int
    files: tuple[FileEntry, ...]
    ledger: tuple[LedgerRow, ...]
    parents: tuple[str, ...]
    origin: Origin
    created_at: str

    @property
    def scripted(self) -> bool:
        return self.origin.engine == SCRIPTED

    @property
    def reference(self) -> str:
        """What one asks a store for to get this very version (`data.version.open_version`)."""
        return f"{self.name}@{self.version}"

    def seen_from(self, name: str) -> str:
        """How a manifest of the set `name` names this version among its parents: of another set, with that set's."""
        return self.version if name == self.name else self.reference

    @property
    def identity(self) -> str:
        """Equal for two publications of one run: same rows, same figures, same seed, settings and players."""
        return digest([self.digest, self.measurement_digest, self.origin.run])

    def to_json(self) -> JsonObject:
        """The fields of CONTRACT, flat."""
        origin = {item.name: getattr(self.origin, item.name) for item in fields(Origin)}
        own = {item.name: getattr(self, item.name) for item in fields(Manifest) if item.name != "origin"}
        own["files"] = [asdict(entry) for entry in self.files]
        own["ledger"] = [asdict(row) for row in self.ledger]
        return own | origin


def manifest_bytes(manifest: Manifest) -> bytes:
    """The file's content, indented for people; the same manifest gives the same bytes."""
    return (json.dumps(manifest.to_json(), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def read_manifest(folder: Storage) -> Manifest:
    """The manifest of a version's folder. `StoreError` if there is none, it is broken, or from a newer sparring."""
    path = f"{folder.location}/{MANIFEST}"
    content = folder.read(MANIFEST)
    try:
        values = cast(dict[str, Any], json.loads(content))
        schema_version = int(values["schema_version"])
        if schema_version > SCHEMA_VERSION:
            raise StoreError(
                f"{path} has schema_version {schema_version}, this sparring reads up to {SCHEMA_VERSION}",
                hint="read it with a newer sparring",
            )
        origin = Origin(**{item.name: values[item.name] for item in fields(Origin)})
        own = {item.name: values[item.name] for item in fields(Manifest) if item.name != "origin"}
        own["files"] = tuple(_inside(FileEntry(**entry)) for entry in values["files"])
        own["ledger"] = tuple(LedgerRow(**row) for row in values["ledger"])
        own["parents"] = tuple(values["parents"])
        return Manifest(**own, origin=origin)
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{path} is broken: {error}", hint="take another version; `sets verify` names what is damaged"
        ) from error


def _inside(entry: FileEntry) -> FileEntry:
    """The entry, if its path stays inside the version's folder."""
    path = PurePosixPath(entry.path)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"the file {entry.path!r} lies outside of the version")
    return entry
