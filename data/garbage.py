"""What crashed writers left in a store: found by name, with its age, and removed only when told to.

In: a store. Out: `Remnant`s. None is anything a reader trusts, but for the kind `unlogged`: a whole version that no
log names (its writer died one step too early, or somebody copied it there), which the same run published again
would enter. Listing comes before the logs are read, so that a version published meanwhile is never taken for one.
Not promised: telling a dead writer from a slow one; the caller's least age does that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from data import log
from data.card import CARD
from data.manifest import MANIFEST
from data.storage import STAGING, Item, Storage
from data.version import set_names

PROBE = ".probe-"
"""Begins the name of an object that was written to see whether the store can be."""

Kind = Literal["staging", "unfinished", "unlogged", "temporary"]


@dataclass(frozen=True, slots=True)
class Remnant:
    """One thing that was left: a folder (`where` ends in `/`) or an object, relative to the store."""

    where: str
    kind: Kind
    keys: tuple[str, ...]
    bytes: int
    modified: datetime
    """When the newest of its objects was written."""


def remnants(store: Storage) -> tuple[Remnant, ...]:
    """Everything in a store that no log names and no reader needs, by place."""
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    for item in store.items():
        if where := _place(item.key):
            groups[where].append(item)
    logged = {f"{name}/versions/{entry.version}/" for name in set_names(store) for entry in log.entries(store.at(name))}
    return tuple(_remnant(where, groups[where]) for where in sorted(groups) if where not in logged)


def take_back(storage: Storage, keys: Sequence[str]) -> None:
    """Remove the objects of folders that the log does not name. `StoreError` if the storage refuses.

    Manifests go first, for what is half gone must not look whole; cards last, for they hold the folder's name: once
    it is free another writer may take it. Who may meet one there gives the keys that are his own, not a listing.
    """
    names = {key: key.rpartition("/")[2] for key in keys}
    storage.delete([key for key in keys if names[key] == MANIFEST])
    storage.delete([key for key in keys if names[key] not in (MANIFEST, CARD)])
    storage.delete([key for key in keys if names[key] == CARD])


def _place(key: str) -> str:
    """The folder or object that a key would be removed with; empty for what is no remnant whatever the logs say."""
    parts = key.split("/")
    for place, part in enumerate(parts, 1):
        if (part.startswith(".") and part.endswith(".tmp")) or part.startswith(PROBE):
            return "/".join(parts[:place]) + ("/" if place < len(parts) else "")
    if len(parts) > 3 and parts[1] in (STAGING, "versions"):
        return "/".join([*parts[:3], ""])
    return ""


def _remnant(where: str, items: list[Item]) -> Remnant:
    keys = tuple(sorted(item.key for item in items))
    return Remnant(where, _kind(where, keys), keys, sum(one.bytes for one in items), max(one.modified for one in items))


def _kind(where: str, keys: tuple[str, ...]) -> Kind:
    name = where.rstrip("/").rpartition("/")[2]
    if name.startswith("."):
        return "temporary"
    if f"/{STAGING}/" in where:
        return "staging"
    return "unlogged" if where + MANIFEST in keys else "unfinished"


def older(found: tuple[Remnant, ...], than: datetime) -> Iterator[Remnant]:
    """Those that nobody has written to since then."""
    return (one for one in found if one.modified < than)
