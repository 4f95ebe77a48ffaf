"""Whether a version is what its manifest says: every byte read again, every row digested again.

In: a version. Out: what differs, one line a file, or nothing. A file under `data/` that the manifest does not list is
named as well: a trainer that loads the folder would read it.
Not promised: that the manifest itself is genuine; its digests are what one cites.
"""

from __future__ import annotations

import hashlib
from typing import Any, cast

from data.atomic import store_errors
from data.digests import set_digests
from data.errors import StoreError
from data.storage import Storage
from data.version import Version


def verify_version(version: Version) -> tuple[str, ...]:
    """What does not agree with the manifest, one line each, or nothing."""
    sizes = {item.key: item.bytes for item in version.storage.items()}
    listed = {entry.path for entry in version.manifest.files}
    faults = []
    for entry in version.manifest.files:
        if entry.path not in sizes:
            faults.append(f"{entry.path}: is not there")
        elif sizes[entry.path] != entry.bytes:
            faults.append(f"{entry.path}: has {sizes[entry.path]} bytes, not {entry.bytes}")
        elif object_digest(version.storage, entry.path) != entry.sha256:
            faults.append(f"{entry.path}: sha256 differs")
    faults += [f"{key}: is not in the manifest" for key in sorted(sizes.keys() - listed) if key.startswith("data/")]
    return tuple(faults) if faults else _row_faults(version)


def object_digest(storage: Storage, key: str) -> str:
    """sha256 of an object's bytes."""
    with store_errors(f"{storage.location}/{key}", "read"), storage.open(key) as file:
        return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()


def _row_faults(version: Version) -> tuple[str, ...]:
    manifest = version.manifest
    try:
        found = set_digests(version.stored_tasks())
    except StoreError as error:
        return (error.message,)
    said = (
        (found.rows == manifest.rows, f"rows: there are {found.rows}, the manifest says {manifest.rows}"),
        (found.digest == manifest.digest, "digest: the rows are not those of the manifest"),
        (found.measurement_digest == manifest.measurement_digest, "measurement_digest: the figures are others"),
    )
    return tuple(fault for right, fault in said if not right)
