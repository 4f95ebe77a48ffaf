"""A finished version told to whoever listens: the event `taskset.published`, once for each version.

In: the published version. Out: an event on the Prefect server, which an automation can answer (automations/). The
record is the store's log, not the event: servers keep events for a week. Outside of a run nothing is sent.
"""

from __future__ import annotations

from uuid import NAMESPACE_URL, uuid5

from prefect.events import emit_event

from data.version import Version

PUBLISHED = "taskset.published"


def published(version: Version) -> None:
    """Say that the version is there. Its id follows from the version, so that a repeated run is not a second event."""
    manifest = version.manifest
    emit_event(
        PUBLISHED,
        resource={
            "prefect.resource.id": f"taskset.{manifest.name}",
            "prefect.resource.name": manifest.reference,
            "taskset.engine": manifest.origin.engine,
        },
        payload={
            "name": manifest.name,
            "version": manifest.version,
            "digest": manifest.digest,
            "rows": manifest.rows,
            "path": version.location,
        },
        id=uuid5(NAMESPACE_URL, f"{version.location}#{manifest.digest}"),
    )
