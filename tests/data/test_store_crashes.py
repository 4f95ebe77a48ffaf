"""A writer that dies at any step leaves a store that reads as before, and the same run then finishes as one version."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from data import log
from data.store import Publication, publish
from data.version import list_sets, open_version, verify_version

Publisher = Callable[..., Publication]

STEPS = [
    "data.store.conform",
    "data.store.set_digests",
    "data.store.card",
    "data.store.manifest_bytes",
    "data.store.os.rename",
    "data.store.log.claim",
    "data.log.create",
    "data.store.log.point_latest",
    "data.log.write_bytes",
]


class Died(BaseException):
    """Stands for the process's end."""


@pytest.mark.parametrize("step", STEPS)
def test_dying_before_a_step_and_running_again_gives_one_sound_version(
    tmp_path: Path, publication: Publisher, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = publish(tmp_path, publication(1))

    def die(*_: object, **__: object) -> None:
        raise Died

    monkeypatch.setattr(step, die)
    with pytest.raises(Died):
        publish(tmp_path, publication(3))
    monkeypatch.undo()
    seen = open_version(tmp_path, "demo")
    assert verify_version(seen) == ()
    assert seen == before or seen.manifest.rows == 3
    again = publish(tmp_path, publication(3))
    assert verify_version(again) == ()
    assert open_version(tmp_path, "demo") == again
    assert [entry.version[:5] for entry in log.entries(tmp_path / "demo")] == ["v0001", "v0002"]


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import conftest
from data import log, store

def kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

setattr({module}, {name!r}, kill)
store.publish(Path({folder!r}), conftest.make_publication(3))
"""


@pytest.mark.parametrize(
    ("module", "name"),
    [("store", "_write_texts"), ("store.os", "rename"), ("log", "create"), ("log", "point_latest")],
)
def test_kill_minus_9_leaves_a_store_that_the_same_run_finishes(
    tmp_path: Path, publication: Publisher, module: str, name: str
) -> None:
    here = Path(__file__).parent
    code = KILLED.format(tests=str(here), module=module, name=name, folder=str(tmp_path))
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=here.parent.parent, env={**os.environ, "PYTHONPATH": "."}, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    assert len(list_sets(tmp_path)) == (name == "point_latest")
    again = publish(tmp_path, publication(3))
    assert again.manifest.version.startswith("v0001-")
    assert verify_version(again) == ()
    assert open_version(tmp_path, "demo") == again
