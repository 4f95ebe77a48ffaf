"""The work folder of one run: whose it is, that nobody else is in it, and where its files lie.

In: a folder and what the run is (`identity`). Out: `Workdir` with paths, held by a lock for as long as it is open.
The same identity resumes; another is refused with what differs. The lock is the kernel's (`flock`), so a killed
run leaves none behind; it guards one host, not a shared network drive.
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

from data.atomic import write_bytes
from data.errors import StoreError, UsageError


@dataclass(frozen=True, slots=True)
class Workdir:
    """Paths inside one run's folder."""

    root: Path

    @property
    def chunks(self) -> Path:
        return self.root / "chunks"

    @property
    def journals(self) -> Path:
        return self.root / "journals"


@contextmanager
def open_workdir(root: Path, identity: dict[str, Any]) -> Iterator[Workdir]:
    """Claim `root` for a run.

    Raises:
        UsageError: the folder belongs to a run with other parameters (each difference is named).
        StoreError: it cannot be written, or another process is running in it.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        handle = os.open(root / "lock", os.O_CREAT | os.O_RDWR, 0o644)
    except OSError as fault:
        raise StoreError(
            f"the work folder {root} cannot be used: {fault.strerror}",
            hint="give another with --workdir, or free it",
        ) from fault
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(
                f"another run is at work in {root}", hint="wait for it, or give this one its own --workdir"
            ) from None
        _claim(root / "run.json", identity)
        yield Workdir(root)
    finally:
        os.close(handle)


def _claim(path: Path, identity: dict[str, Any]) -> None:
    """Write the identity the first time; compare it ever after."""
    if not path.exists():
        write_bytes(path, json.dumps(identity, indent=1, sort_keys=True).encode())
        return
    try:
        before = json.loads(path.read_bytes())
        faults = [
            f"{key}: {before.get(key)!r} there, {identity.get(key)!r} now"
            for key in sorted({*before, *identity})
            if before.get(key) != identity.get(key)
        ]
    except (ValueError, AttributeError) as fault:
        raise StoreError(
            f"{path} does not say whose work folder this is: {fault}",
            hint="remove the folder, or give another --workdir",
        ) from fault
    if faults:
        raise UsageError(
            f"the work folder {path.parent} holds another run ({'; '.join(faults)})",
            hint="repeat that run's parameters to resume it, or give another --workdir",
        )
