"""The work folder of one run: whose it is, that nobody else is in it, and where its files lie.

In: a folder or `s3://bucket/prefix`, a folder on this machine for the lock, and what the run is (`identity`). Out:
`Workdir` with paths, held by a lock for as long as it is open. The same identity resumes; another is refused with what
differs. What steps read and write (plan, tools, chunks) lies in the work folder, so that every process finds it. What
one process alone needs stays on its machine: the lock, and in a bucket, where nothing can be appended, the journals.
The lock is the kernel's (`flock`), so a killed run leaves none behind; it guards one host, not a shared drive or
bucket.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.canonical import digest
from data.errors import StoreError, UsageError
from data.storage import Storage, open_storage
from flows.settings import is_url

CLAIM = "run.json"
LOCK = "lock"


@dataclass(frozen=True, slots=True)
class Workdir:
    """Paths of one run; `root` is the folder's path or URL."""

    root: str

    @property
    def chunks(self) -> str:
        return f"{self.root}/chunks"

    @property
    def journals(self) -> Path:
        """Of a bucket's run, the place of its journals on this machine, for every process of it."""
        if not is_url(self.root):
            return Path(self.root) / "journals"
        return Path.home() / ".cache" / "sparring" / "journals" / digest(self.root)[:16]


@contextmanager
def open_workdir(root: str | Path, identity: dict[str, Any], lock: Path | None = None) -> Iterator[Workdir]:
    """Claim `root` for a run; `lock` is a folder on disk, `root` itself unless that is a URL.

    Raises:
        UsageError: the folder belongs to a run with other parameters (each difference is named).
        StoreError: it cannot be written, or another process is running in it.
    """
    folder = lock or Path(root)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o644)
    except OSError as fault:
        raise StoreError(
            f"the work folder {folder} cannot be used: {fault.strerror}",
            hint="give another with --workdir, or free it",
        ) from fault
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(
                f"another run is at work in {root}", hint="wait for it, or give this one its own --workdir"
            ) from None
        _claim(open_storage(root), identity)
        yield Workdir(str(root))
    finally:
        os.close(handle)


def _claim(storage: Storage, identity: dict[str, Any]) -> None:
    """Write the identity the first time; compare it ever after."""
    if storage.write_new(CLAIM, json.dumps(identity, indent=1, sort_keys=True).encode()):
        return
    try:
        before = json.loads(storage.read(CLAIM))
        faults = [
            f"{key}: {before.get(key)!r} there, {identity.get(key)!r} now"
            for key in sorted({*before, *identity})
            if before.get(key) != identity.get(key)
        ]
    except (ValueError, AttributeError) as fault:
        raise StoreError(
            f"{storage.location}/{CLAIM} does not say whose work folder this is: {fault}",
            hint="remove the folder, or give another --workdir",
        ) from fault
    if faults:
        raise UsageError(
            f"the work folder {storage.location} holds another run ({'; '.join(faults)})",
            hint="repeat that run's parameters to resume it, or give another --workdir",
        )
