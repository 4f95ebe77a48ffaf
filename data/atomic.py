"""Files that are whole or absent: written beside their place, synced, then renamed into it.

In: a path and its bytes (or something that writes a file). Out: the file under its final name, durable, its folder
synced. A crash leaves at most a temporary file, whose name begins with a dot. What the system refuses (disk full,
not writable, gone) becomes a `StoreError` that names the path and says what to do.
Not promised: anything on file systems without atomic rename and hard links.
"""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

from data.errors import StoreError

_HINTS = {
    errno.ENOSPC: "the disk is full: free some space, then give the same command again; what was finished is kept",
    errno.EDQUOT: "the disk quota is used up: free some space, then give the same command again",
    errno.EACCES: "it is not writable for this user: change its permissions or choose another folder",
    errno.EPERM: "it is not writable for this user: change its permissions or choose another folder",
    errno.EROFS: "the file system is read-only: choose another folder",
    errno.ENOTDIR: "a file stands where a folder is needed: move it away or choose another folder",
    errno.EEXIST: "something else stands there already: move it away or choose another folder",
    errno.ENOENT: "it is not there: was it moved or removed meanwhile?",
}


@contextmanager
def store_errors(path: Path | str, doing: str) -> Iterator[None]:
    """Turn an `OSError` (pyarrow's too) inside the block into a `StoreError` about `path`."""
    try:
        yield
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "check the disk and the folder, then give the same command again")
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise StoreError(f"cannot {doing} {path}: {reason}", hint=hint) from error


def make_folder(path: Path) -> Path:
    """The folder, made with its parents if it is not there; those that were made are durable."""
    with store_errors(path, "make the folder"):
        made = list(takewhile(lambda one: not one.exists(), (path, *path.parents)))
        path.mkdir(parents=True, exist_ok=True)
        for one in made:
            sync_folder(one.parent)
    return path


def sync_folder(path: Path) -> None:
    """Make renames inside the folder durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def beside(path: Path) -> Path:
    """A temporary name in the same folder, new with each call; `data.garbage` knows what crashed writers left by it."""
    return path.parent / f".{path.name}.{uuid.uuid4().hex}.tmp"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder; when the block ends well, what was written there becomes `path`.

    On any exception the temporary file is removed and `path` stays as it was.
    """
    make_folder(path.parent)
    temporary = beside(path)
    try:
        with store_errors(path, "write"):
            yield temporary
            sync_file(temporary)
            os.replace(temporary, path)
            sync_folder(path.parent)
    finally:
        with suppress(OSError):
            temporary.unlink()


def sync_file(path: Path) -> None:
    """Make the file's content durable."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def write_bytes(path: Path, content: bytes) -> None:
    """Write the whole file, or change nothing."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def create(path: Path, content: bytes) -> bool:
    """Write the file unless one is there: a compare-and-swap among writers. True for the one who wrote it."""
    temporary = beside(path)
    try:
        with store_errors(path, "write"):
            while True:  # Whoever empties a folder removes it, perhaps just now.
                make_folder(path.parent)
                with suppress(FileNotFoundError):
                    temporary.write_bytes(content)
                    break
            sync_file(temporary)
            try:
                os.link(temporary, path)
            except FileExistsError:
                return False
            sync_folder(path.parent)
            return True
    finally:
        with suppress(OSError):
            temporary.unlink()
