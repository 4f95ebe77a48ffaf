"""kill -9 anywhere in `publish`: readers see only versions that verify, the same run finishes, what is left is garbage.

Each case is a process of its own that the kernel ends before one of its acts, or at a random time. `SPARRING_KILLS=200`
tries that many points on disk, and half as many on S3, instead of a few.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random

import pytest

from data import log
from data.garbage import older, remnants, take_back
from data.storage import Storage, open_storage
from data.store import publish
from data.verification import verify_version
from data.version import logged_version, open_version
from tests.data.conftest import make_publication

KILLS = int(os.environ.get("SPARRING_KILLS", "8"))


def publisher(store: Storage, step: int) -> subprocess.Popen[str]:
    """A process that publishes three tasks and dies before its act number `step`."""
    command = [sys.executable, "-m", "tests.data.killed_publisher", store.location, "3", str(step)]
    root = Path(__file__).parent.parent.parent
    return subprocess.Popen(
        command, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, stdout=subprocess.PIPE, text=True
    )


def acts(store: Storage) -> int:
    """How many acts a publication on top of another one has."""
    publish(store, make_publication(1))
    out, _ = publisher(store, 0).communicate()
    return int(out.split()[1])


def killed_before(store: Storage, step: int) -> None:
    """The publisher, dead before its act number `step`."""
    process = publisher(store, step)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def killed_after(store: Storage, seconds: float) -> None:
    """The publisher, dead some time after it began (or done, if that was too long)."""
    with publisher(store, 0) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.kill()


def assert_sound(store: Storage) -> None:
    """Every version that a reader can find verifies."""
    for entry in log.entries(store.at("demo")):
        assert verify_version(logged_version(store, "demo", entry)) == ()


def crash(store: Storage, kill: Callable[[Storage], None]) -> None:
    """One kill, one look, one rerun, one clearing up."""
    before = publish(store, make_publication(1))
    kill(store)
    assert_sound(store)
    seen = open_version(store, "demo").manifest
    assert seen == before.manifest or seen.rows == 3
    again = publish(store, make_publication(3))
    assert open_version(store, "demo").manifest == again.manifest
    assert [entry.digest for entry in log.entries(store.at("demo"))] == [before.manifest.digest, again.manifest.digest]
    for left in older(remnants(store), datetime.now(UTC) + timedelta(hours=1)):
        assert left.kind != "unlogged"
        take_back(store, left.keys)
    assert_sound(store)
    assert remnants(store) == ()


def kills(total: int, wanted: int) -> list[Callable[[Storage], None]]:
    """Ways to kill: before each of so many acts if that is enough of them, the rest at random times."""
    random = Random("kills")
    before = random.sample(range(1, total + 1), min(total, wanted - wanted // 4))
    after = [random.uniform(0, 0.2) for _ in range(wanted - len(before))]
    return [
        *(partial(killed_before, step=step) for step in sorted(before)),
        *(partial(killed_after, seconds=seconds) for seconds in after),
    ]


@pytest.mark.parametrize("kind", ["disk", "s3"])
def test_kill_minus_9_anywhere_leaves_a_store_that_reads_and_that_the_same_run_finishes(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = f"{tmp_path}" if kind == "disk" else request.getfixturevalue("bucket")
    total = acts(open_storage(f"{place}/measure"))
    assert total > 20
    for number, kill in enumerate(kills(total, KILLS if kind == "disk" else KILLS // 2)):
        crash(open_storage(f"{place}/{number}"), kill)
