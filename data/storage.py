"""Where task sets lie: the few operations that publishing and reading need, on local disk (here) or S3 (`data.s3`).

In: a location, a path or `s3://bucket/prefix`. Out: `Storage`, whose keys are relative paths with `/`.
An object is whole or absent, and durable once its call returns. `write_new` is the only compare-and-swap, and all
agreement among writers rests on it: nothing is ever renamed, and nothing locked.
What the system refuses is a `StoreError` that names the place and says what to do.
Not promised: listing in any order; anything on file systems without hard links.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from data.atomic import create, make_folder, store_errors, sync_file, sync_folder, write_bytes
from data.errors import UsageError

STAGING = ".staging"
"""Below a local set: what its writers are working on."""


@dataclass(frozen=True, slots=True)
class Item:
    """One object: its key, its size and when it was written (the storage's clock)."""

    key: str
    bytes: int
    modified: datetime


class Storage(Protocol):
    """A folder of objects."""

    @property
    def location(self) -> str:
        """The path or the URL, as a person would write it."""

    def at(self, key: str) -> Storage:
        """A folder below this one; it need not exist."""

    def has(self, key: str) -> bool:
        """Whether the object is there."""

    def read(self, key: str) -> bytes:
        """The object's content."""

    def open(self, key: str) -> pa.NativeFile:
        """The object as a file to seek and read in; the caller closes it."""

    def write(self, key: str, content: bytes) -> None:
        """Make or replace the object."""

    def write_new(self, key: str, content: bytes) -> bool:
        """Make the object unless one is there. True for the one who made it."""

    def put(self, source: Path, key: str) -> None:
        """Make the object of a file from `scratch`, of any size; the file is not written to again."""

    def items(self) -> Iterator[Item]:
        """Every object below this folder; none if it is not there."""

    def folders(self) -> tuple[str, ...]:
        """The names of the folders directly below, sorted."""

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; those that are gone already are no fault."""

    def scratch(self) -> AbstractContextManager[Path]:
        """A local folder to build files in before `put`; emptied at the end."""


def open_storage(location: str | Path) -> Storage:
    """The storage at a path or URL. `UsageError` for a scheme we do not know or without the package it needs."""
    scheme, mark, _ = str(location).partition("://")
    if not mark:
        return LocalStorage(Path(location))
    if scheme != "s3":
        raise UsageError(f"{location} is no place for task sets", hint="give a folder or s3://bucket/prefix")
    try:
        from data.s3 import S3Storage
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{location} needs the package {error.name}", hint="install sparring with its extra: sparring[s3]"
        ) from error
    return S3Storage.open_url(str(location))


@dataclass(frozen=True, slots=True)
class LocalStorage:
    """A folder on disk."""

    root: Path

    @property
    def location(self) -> str:
        return str(self.root)

    def at(self, key: str) -> LocalStorage:
        return LocalStorage(self.root / key)

    def has(self, key: str) -> bool:
        with store_errors(self.root / key, "read"):
            return (self.root / key).is_file()

    def read(self, key: str) -> bytes:
        with store_errors(self.root / key, "read"):
            return (self.root / key).read_bytes()

    def open(self, key: str) -> pa.NativeFile:
        with store_errors(self.root / key, "read"):
            return pa.OSFile(str(self.root / key), "rb")

    def write(self, key: str, content: bytes) -> None:
        write_bytes(self.root / key, content)

    def write_new(self, key: str, content: bytes) -> bool:
        return create(self.root / key, content)

    def put(self, source: Path, key: str) -> None:
        target = self.root / key
        make_folder(target.parent)
        with store_errors(target, "write"):
            sync_file(source)
            os.link(source, target)
            sync_folder(target.parent)

    def items(self) -> Iterator[Item]:
        with store_errors(self.root, "read"):
            for folder, _, names in os.walk(self.root, onerror=_unless_gone):
                for name in names:
                    path = Path(folder, name)
                    with suppress(FileNotFoundError):
                        found = path.stat()
                        modified = datetime.fromtimestamp(found.st_mtime, UTC)
                        yield Item(path.relative_to(self.root).as_posix(), found.st_size, modified)

    def folders(self) -> tuple[str, ...]:
        with store_errors(self.root, "read"):
            return (
                tuple(sorted(path.name for path in self.root.iterdir() if path.is_dir())) if self.root.is_dir() else ()
            )

    def delete(self, keys: Iterable[str]) -> None:
        with store_errors(self.root, "remove files in"):
            for key in keys:
                path = self.root / key
                path.unlink(missing_ok=True)
                with suppress(OSError):  # Folders go as they become empty, as they do on S3.
                    for parent in path.parents[: len(Path(key).parts)]:
                        parent.rmdir()

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        # On the same file system as the versions, so that `put` need not copy.
        folder = make_folder(self.root / STAGING / uuid.uuid4().hex)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error
