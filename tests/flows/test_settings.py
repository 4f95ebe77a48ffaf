"""What a run may be asked for, and how a wrong wish is answered."""

from pathlib import Path
from typing import Any

import pytest

from data.errors import UsageError
from flows import settings
from flows.rescore_settings import RescoreConfig
from flows.settings import Mix, RunConfig, parse_shares


def build(values: dict[str, Any]) -> RunConfig:
    return settings.build(RunConfig, values, "run")


def test_the_path_of_an_engine_is_the_same_in_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = build({"engine": "vllm", "generator": "vllm:models/one", "solver": "embedded:two.gguf"})
    named = config.engine, config.generator, config.solver
    assert named == ("vllm", f"vllm:{tmp_path}/models/one", f"embedded:{tmp_path}/two.gguf")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"domains": ("wether",)}, "unknown domain 'wether'"),
        ({"tasks": 0}, "--tasks 0"),
        ({"tasks": 10, "budget": 5}, "--budget 5 cannot give --tasks 10"),
        ({"k": 8, "k_max": 4}, "--k-max 4 is below --k 8"),
        ({"k": 65, "k_max": 65}, "--k 65"),
        ({"name": "Not A Name"}, "--name 'Not A Name'"),
        ({"mode": "closed"}, "--mode 'closed'"),
        ({"mode": "mutate"}, "--mode mutate and --parent go together"),
        ({"parent": "one@v0001"}, "--mode mutate and --parent go together"),
        ({"mode": "mutate", "parent": "one"}, "write it as name@v0003"),
        ({"mode": "mutate", "parent": "one@latest"}, "write it as name@v0003"),
        ({"kinds": {"near": 1.0}}, "--kinds has 'near', no kind of mode catalogue"),
        (
            {"kinds": {"single": 1.0}, "mode": "mutate", "parent": "a@v0001"},
            "--kinds has 'single', no kind of mode mutate",
        ),
        ({"kinds": {"single": 0.5}}, "the shares of --kinds add up to 0.5"),
        ({"harness": "morse"}, "--harness 'morse'"),
        ({"seed": -1}, "--seed -1"),
        ({"colour": "red"}, "--colour"),
    ],
)
def test_a_wrong_wish_is_named_with_its_option_and_value(values: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        build(values)
    assert words in str(caught.value)
    assert caught.value.exit_code == 2


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        build({"tasks": 0, "seed": -1, "mode": "closed"})
    assert all(name in str(caught.value) for name in ("--tasks", "--seed", "--mode"))


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("easy=0.2,frontier=0.6,hard=0.2", (0.2, 0.6, 0.2)),
        ("frontier=1", (0.0, 1.0, 0.0)),
        ("hard=0.5,easy=0.5", (0.5, 0.0, 0.5)),
    ],
)
def test_a_mix_is_read_by_band(text: str, shares: tuple[float, float, float]) -> None:
    mix = Mix.parse(text)
    assert (mix.easy, mix.frontier, mix.hard) == shares


@pytest.mark.parametrize("text", ["single", "single=much", "single=0.5,single=0.5", "=1x"])
def test_what_are_no_shares_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--kinds"):
        parse_shares("--kinds", text, "single=1")


def test_shares_are_read_by_name() -> None:
    assert parse_shares("--kinds", "single=0.6, unsaid=0.4", "single=1") == {"single": 0.6, "unsaid": 0.4}


@pytest.mark.parametrize("text", ["easy", "easy=much", "medium=1", "easy=0.5", "easy=-1,hard=2"])
def test_what_is_no_mix_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        build({"mix": Mix.parse(text)})


def test_identity_is_what_decides_the_result_and_not_where_it_lies() -> None:
    here, there = build({"store": "a", "workdir": "b"}), build({"store": "c", "workdir": "d"})
    assert here.identity == there.identity
    assert build({"seed": 1}).identity != here.identity


def test_paths_are_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert build({"tools": "mine.json"}).tools == str(tmp_path / "mine.json")


def test_the_default_work_folder_differs_with_the_parameters() -> None:
    assert build({"seed": 1}).work_folder != build({"seed": 2}).work_folder


def test_a_store_may_be_a_url_and_stays_as_it_is() -> None:
    parent = "s3://bucket/prefix/set/versions/v0001-1a2b3c4d5e6f"
    config = build({"store": "s3://bucket/prefix", "mode": "mutate", "parent": parent})
    assert config.store_location == config.store == "s3://bucket/prefix"
    assert config.parent == parent


def test_of_a_work_folder_in_a_bucket_a_part_stays_on_this_machine() -> None:
    run = build({"workdir": "s3://bucket/x"})
    again = settings.build(RescoreConfig, {"version": "a@v0001", "workdir": "s3://bucket/x"}, "rescore")
    assert run.work_location == again.work_location == "s3://bucket/x"
    assert run.work_folder == build({}).work_folder
    assert again.work_folder.parent == run.work_folder.parent


@pytest.mark.parametrize("runner", ["threads", "dask", "dask:4", "dask:tcp://host:8786", "ray", "ray:ray://host:10001"])
def test_where_it_runs_is_no_part_of_what_a_run_is(runner: str) -> None:
    assert build({"runner": runner}).identity == build({}).identity


@pytest.mark.parametrize("runner", ["", "spark", "threads:4", "dask:", "ray:0", "dask:0", "daskk:1"])
def test_a_runner_that_does_not_exist_is_refused_with_those_that_do(runner: str) -> None:
    with pytest.raises(UsageError, match=r"--runner .*threads; dask, dask:4 \(processes\)"):
        build({"runner": runner})


def test_other_servers_of_the_same_model_are_the_same_run() -> None:
    one, two = (build({"engine": f"http://a/v1,http://{host}/v1#m", "solver": "http://a/v1#m"}) for host in ("b", "c"))
    assert one.identity == two.identity
    assert one.identity["solver"] == "http://a/v1#m"


def test_a_list_of_servers_without_a_model_is_one_fault_among_others() -> None:
    with pytest.raises(UsageError, match=r"(?s)--tasks 0.*names no model"):
        build({"engine": "http://a/v1,http://b/v1", "tasks": 0})
