"""The doctor on what is kept: the store and its sets, work folders, the player slots.

In: a store's location. Out: findings. Manifests are read, tables are not: `sparring sets verify` reads every byte. Who
holds a work folder is read from the kernel's list of locks, so that looking never gets into a run's way.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from data import log
from data.canonical import canonical_bytes
from data.errors import SparringError
from data.garbage import older, remnants
from data.storage import Storage
from data.version import logged_version, set_names
from flows.doctor import Finding
from flows.preflight import check_store
from flows.settings import is_url, policies_home, runs_home
from flows.store_option import given_store
from flows.workdir import CLAIM, LOCK
from policies.checkpoints import unfinished, verify
from policies.connect import SLOTS
from policies.players import BASE, check_apart, find, resolve
from policies.promotions import playing

SCARCE = 2 << 30
"""Free bytes below which a disk is said to be nearly full."""
S3_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
STALE_DAYS = 30


def store(location: str) -> Iterator[Finding]:
    """The store can be read and written, has room, and holds what its logs say."""
    if is_url(location):
        yield from _keys()
    place = given_store(location)
    check_store(place)
    yield Finding("store", "ok", f"{place.location} can be read and written")
    if not is_url(place.location):
        yield _room("disk", Path(place.location))
    yield from _sets(place)
    left = list(older(remnants(place), datetime.now(UTC) - timedelta(days=1)))
    if left:
        size = sum(one.bytes for one in left) / 1e6
        yield Finding("garbage", "note", f"{len(left)} remnants of dead writers, {size:.1f} MB", "sparring sets gc")


def _keys() -> Iterator[Finding]:
    """Credentials for S3, by name: where none are set, the machine's role has to do."""
    missing = [name for name in S3_KEYS if not os.environ.get(name)]
    at = os.environ.get("AWS_ENDPOINT_URL", "AWS")
    if missing:
        do = "set them, unless this machine's role gives access"
        yield Finding("S3 keys", "note", f"{', '.join(missing)} not set, for {at}", do)
    else:
        yield Finding("S3 keys", "ok", f"{', '.join(S3_KEYS)} are set, for {at}")


def _room(check: str, folder: Path) -> Finding:
    """Free space where a folder is, or would be."""
    there = _there(folder)
    free = shutil.disk_usage(there).free
    said = f"{free / 1e9:.1f} GB free at {there}"
    return Finding(check, "note", said, "free some space") if free < SCARCE else Finding(check, "ok", said)


def _there(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    return next(one for one in (folder, *folder.absolute().parents) if one.exists())


def _sets(place: Storage) -> Iterator[Finding]:
    """Every version of every log has its manifest, and `latest` names the newest."""
    count, faults = 0, []
    for name in set_names(place):
        try:
            history = log.entries(place.at(name))
            for entry in history:
                logged_version(place, name, entry)
            newest = log.latest(history)
            if newest is not None and place.at(name).read("refs/latest.json") != canonical_bytes(asdict(newest)):
                faults.append(f"{name}: refs/latest.json does not name {newest.version}")
            count += len(history)
        except SparringError as fault:
            faults.append(f"{name}: {fault.message}")
    if faults:
        do = "sparring sets verify says what differs; restore it from a copy (a publication mends `latest`)"
        yield Finding("sets", "fault", "; ".join(faults), do)
    else:
        yield Finding("sets", "ok", f"{count} versions, each with its manifest, and `latest` is the newest")


def work_folders() -> Iterator[Finding]:
    """Folders of runs: who is at work, what lies idle or broken, and whether more can be made."""
    home = runs_home()
    folders = sorted(path.parent for path in home.glob(f"*/{CLAIM}"))
    holders = _holders()
    busy = {folder: pid for folder in folders if (pid := holders.get(_identity(folder / LOCK))) is not None}
    idle = {folder: _days(folder) for folder in folders if folder not in busy}
    said = f"{len(folders)} in {home}"
    if busy:
        said += f"; at work: {', '.join(f'{folder.name} (process {pid})' for folder, pid in busy.items())}"
    stale = [folder for folder, days in idle.items() if days > STALE_DAYS]
    if stale:
        said += f"; {len(stale)} untouched for {STALE_DAYS} days, the first {stale[0].name}"
        yield Finding("work folders", "note", said, "remove what you will not resume; published versions stay")
    else:
        yield Finding("work folders", "ok", said)
    if broken := [folder for folder in folders if not _says_whose(folder)]:
        said = f"{', '.join(map(str, broken))}: {CLAIM} does not say whose it is"
        yield Finding("work folders", "fault", said, "remove the folder, or give another --workdir")
    if not os.access(there := _there(home), os.W_OK):
        yield Finding("work folders", "fault", f"{there} is not writable", "mend its rights, or give --workdir")


def _holders() -> dict[tuple[int, int, int], int]:
    """Process by locked file (device and inode), of the kernel's `flock`s."""
    found = {}
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.split()
        if words[1] == "FLOCK":
            major, minor, inode = words[5].split(":")
            found[int(major, 16), int(minor, 16), int(inode)] = int(words[4])
    return found


def _identity(path: Path) -> tuple[int, int, int]:
    """Device and inode of a file, as `/proc/locks` writes them; zeros for one that is not there."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return os.major(found.st_dev), os.minor(found.st_dev), found.st_ino


def _days(folder: Path) -> float:
    """Days since something was last made or removed in it or in its chunks."""
    times = [path.stat().st_mtime for path in (folder, folder / "chunks", folder / "journals") if path.exists()]
    return (time.time() - max(times)) / 86_400


def _says_whose(folder: Path) -> bool:
    try:
        return isinstance(json.loads((folder / CLAIM).read_bytes()), dict)
    except (OSError, ValueError):
        return False


def players() -> Iterator[Finding]:
    """Both slots can be read, the checkpoints promoted in them are there and as they were added, and are apart."""
    home = policies_home()
    for slot in SLOTS:
        promoted = playing(home, slot)
        if not promoted:
            yield Finding(slot, "ok", f"the base, {BASE}")
        for one in promoted:
            try:
                verify(find(home, one.checkpoint))
            except SparringError as fault:
                yield Finding(slot, "fault", fault.message, fault.hint)
            else:
                yield Finding(slot, "ok", f"{one.checkpoint}, in the lineage of {one.base}")
    if rests := unfinished(home):
        names = ", ".join(path.name for path in rests)
        yield Finding("checkpoints", "note", f"left by writers: {names}", f"if none is at work, remove them in {home}")
    check_apart(resolve(home, "generator"), resolve(home, "solver"))
