"""Where steps run: in processes of a cluster they do the same, and one that dies is no loss."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from data.errors import SparringError, StoreError, UsageError
from data.storage import open_storage
from flows import context as contexts
from flows.runners import running_on
from flows.settings import DEFAULT
from policies.players import Player
from tests.flows.flows_support import Done, sparring
from tests.flows.runners_support import (
    ROOT,
    RUN,
    alive,
    at_work,
    children,
    cluster,
    placed,
    published,
    said,
    start,
    until,
)
from tests.s3_support import KEYS

flows = pytest.mark.flow
ray = pytest.mark.ray
PLAYER = Player("solver", "scripted", "sha256:0", "scripted")


@pytest.fixture
def reached(server: dict[str, str], endpoint: str, bucket: str) -> dict[str, str]:
    """The environment in which commands find both servers; this process finds the bucket too."""
    return server | {"AWS_ENDPOINT_URL": endpoint, **KEYS}


@pytest.fixture(scope="module")
def undisturbed(server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> object:
    """What the run in threads, on this machine's disk, came to."""
    done = sparring(server, tmp_path_factory.mktemp("threads"), *RUN, "--json", "--store", "store", "--workdir", "work")
    assert done.code == 0, done.err
    return said(done.manifest)


@flows
@pytest.mark.parametrize("runner", ["dask:2", pytest.param("ray:2", marks=ray)])
def test_steps_run_in_several_other_processes(server: dict[str, str], runner: str) -> None:
    command = [sys.executable, "-m", "tests.flows.whose_steps", runner]
    out = subprocess.run(command, cwd=ROOT, env=server, capture_output=True, text=True, timeout=300, check=True).stdout
    own, slots, found = json.loads(out.splitlines()[-1])
    assert (slots, len(set(found))) == (2, 2)
    assert own not in found


@flows
@pytest.mark.parametrize("runner", ["dask:2", pytest.param("ray:2", marks=ray)])
def test_a_run_on_a_cluster_with_all_its_files_in_a_bucket_gives_the_same_version(
    reached: dict[str, str], bucket: str, undisturbed: object, tmp_path: Path, runner: str
) -> None:
    done = sparring(reached, tmp_path, *placed(bucket, runner))
    assert published(done) == undisturbed
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"lock"}
    again = sparring(reached, tmp_path, *placed(bucket, "threads"))
    assert json.loads(again.out) == json.loads(done.out)


@flows
@pytest.mark.parametrize("runner", ["dask:2", pytest.param("ray:2", marks=ray)])
def test_a_process_killed_at_work_costs_nothing_and_nothing_comes_twice(
    reached: dict[str, str], bucket: str, undisturbed: object, tmp_path: Path, runner: str
) -> None:
    process = start(reached, tmp_path, bucket, runner)
    until(lambda: bool(at_work(process.pid, runner)))
    os.kill(at_work(process.pid, runner)[0], signal.SIGKILL)
    out, _ = process.communicate(timeout=400)
    assert published(Done(process.returncode, out, "")) == undisturbed


@flows
def test_an_interrupted_run_in_a_bucket_is_resumed_on_another_machine(
    reached: dict[str, str], bucket: str, undisturbed: object, tmp_path: Path
) -> None:
    process = start(reached, tmp_path, bucket, "dask:2")
    workers = children(process.pid, b"spawn_main")
    process.kill()
    process.communicate()
    assert workers
    until(lambda: not any(map(alive, workers)))
    chunks = open_storage(f"{bucket}/work/chunks")
    kept = {item.key: item.modified for item in chunks.items()}
    (tmp_path / "elsewhere").mkdir()
    assert published(sparring(reached, tmp_path / "elsewhere", *placed(bucket, "threads"))) == undisturbed
    now = {item.key: item.modified for item in chunks.items()}
    assert {key: now[key] for key in kept} == kept


@flows
def test_a_run_on_a_cluster_that_stays(
    reached: dict[str, str], bucket: str, undisturbed: object, tmp_path: Path
) -> None:
    with cluster(reached | {"PYTHONPATH": str(ROOT)}, tmp_path) as address:
        done = sparring(reached, tmp_path, *placed(bucket, f"dask:{address}"))
        assert published(done) == undisturbed


@flows
def test_workers_that_do_not_reach_the_work_folder_are_said_with_what_to_do(
    server: dict[str, str], tmp_path: Path
) -> None:
    with cluster(server | {"PYTHONPATH": str(ROOT)}, tmp_path, 1) as address:
        arguments = (*RUN, "--store", "sets", "--workdir", "s3://nowhere/x", "--runner", f"dask:{address}")
        done = sparring(server | {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", **KEYS}, tmp_path, *arguments)
        assert done.code == 1
        assert "s3://nowhere/x" in done.err


@pytest.mark.parametrize("runner", ["dask:tcp://127.0.0.1:9", pytest.param("ray:127.0.0.1:9", marks=ray)])
def test_a_cluster_that_does_not_answer_is_named(runner: str) -> None:
    with pytest.raises(SparringError, match=r"no (dask|ray) cluster .*127.0.0.1:9"), running_on(runner, "nowhere"):
        pass


@pytest.mark.parametrize(("kind", "package"), [("dask", "prefect_dask.task_runners"), ("ray", "ray")])
def test_without_its_packages_a_runner_is_refused_with_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch, kind: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    words = rf"--runner {kind} .*\n.*pip install 'sparring\[{kind}\]'"
    with pytest.raises(UsageError, match=words), running_on(kind, "nowhere"):
        pass


def test_a_process_that_does_not_find_the_plan_says_which_and_what_all_need(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"plan.json.*\n.*--workdir a place that all of them reach"):
        contexts.context(str(tmp_path / "other"))


def test_a_process_with_other_code_refuses_to_work(tmp_path: Path) -> None:
    root = str(tmp_path)
    contexts.save(root, DEFAULT, PLAYER, PLAYER)
    plan = json.loads((tmp_path / "plan.json").read_bytes())
    (tmp_path / "plan.json").write_text(json.dumps(plan | {"code": "another"}))
    with pytest.raises(StoreError, match=r"other code .*\n.*same commit"):
        contexts.context(root)
