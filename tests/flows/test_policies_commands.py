"""`sparring policies` and what names a checkpoint elsewhere: said for people, whole for programs, faults by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.errors import PolicyError
from data.storage import open_storage
from data.store import publish
from flows.origin import _player
from flows.preflight import players
from flows.settings import RunConfig, build, policies_home
from policies.checkpoints import Checkpoint
from policies.players import named
from policies.promotions import promote
from tests.data.conftest import make_publication
from tests.flows.flows_support import Done, inside
from tests.policies.checkpoint_support import put
from tests.policies.engine_support import make_adapter, make_model


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a base in it."""
    monkeypatch.chdir(tmp_path)
    make_model(tmp_path / "base")
    return tmp_path


@pytest.fixture
def policies(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *options: inside(monkeypatch, capsys, "policies", *options)


def trained(place: Path, name: str, **changes: Any) -> Checkpoint:
    base = place / "base"
    return put(policies_home(), make_adapter(place / name, base, name.encode()), base, **changes)


class TestList:
    def test_it_shows_lineage_and_what_plays(self, place: Path, policies: Callable[..., Done]) -> None:
        one = trained(place, "one")
        two = trained(place, "two", round=2, parent=one.digest)
        promote(policies_home(), one, "", {})
        lines = policies("list").out.splitlines()
        [first], [second] = ([line for line in lines if line.startswith(f"│ {name}")] for name in (one.name, two.name))
        assert ("solver " in first.split("│")[2], one.name in second.split("│")[4]) == (True, True)
        assert all("curriculum@v0001" in line and "reward 0.5" in line for line in (first, second))

    def test_json_leaves_nothing_out(self, place: Path, policies: Callable[..., Done]) -> None:
        one = trained(place, "one", shared=True)
        promote(policies_home(), one, "", {}, slot="generator")
        [row] = json.loads(policies("list", "--json").out)["checkpoints"]
        assert (row["name"], row["files"], row["shared"]) == (one.name, one.files, True)
        assert row["promoted"] == ["generator"]

    def test_of_one_slot(self, place: Path, policies: Callable[..., Done]) -> None:
        trained(place, "one"), trained(place, "two", slot="generator")
        rows = json.loads(policies("list", "--slot", "generator", "--json").out)["checkpoints"]
        assert [row["slot"] for row in rows] == ["generator"]

    def test_without_any_it_says_so(self, policies: Callable[..., Done]) -> None:
        assert "both players are the base" in policies("list").out

    def test_what_a_dead_writer_left_is_named(self, place: Path, policies: Callable[..., Done]) -> None:
        (policies_home() / ".new-solver-0001-0f").mkdir(parents=True)
        assert ".new-solver-0001-0f is what a writer" in policies("list").out

    def test_a_damaged_one_is_named_and_the_others_are_shown(self, place: Path, policies: Callable[..., Done]) -> None:
        one, two = trained(place, "one"), trained(place, "two", round=2)
        record = two.folder / "checkpoint.json"
        record.chmod(0o644)
        record.write_text("{")
        done = policies("list")
        assert (done.code, one.name in done.out, f"{two.name}/checkpoint.json cannot be read" in done.err) == (
            1, True, True,
        )  # fmt: skip


class TestShow:
    def test_it_tells_the_history_and_reads_the_files_again(self, place: Path, policies: Callable[..., Done]) -> None:
        one = trained(place, "one")
        two = trained(place, "two", round=2, parent=one.digest)
        promote(policies_home(), two, "better on the [probe]", {"pass_at_1": 0.25})
        done = policies("show", "promoted", "--slot", "solver")
        for word in (two.digest, f"-> {one.name} -> {two.name}", "curriculum@v0001 0123", "better on the [probe]",
                     "pass_at_1 0.25", "every file is as it was added"):  # fmt: skip
            assert word in done.out

    def test_a_changed_byte_ends_it_with_the_file(self, place: Path, policies: Callable[..., Done]) -> None:
        one = trained(place, "one")
        path = one.folder / "adapter" / "adapter_model.safetensors"
        path.chmod(0o644)
        path.write_bytes(b"oen")
        done = policies("show", one.name, "--json")
        assert json.loads(done.out)["digest"] == one.digest
        assert (done.code, "adapter/adapter_model.safetensors" in done.err) == (1, True)

    @pytest.mark.parametrize(
        ("reference", "said"), [("solver-0009", "is it solver-0001"), ("promoted", "there is no checkpoint 'promoted'")]
    )
    def test_an_unknown_name_is_wrong_usage(
        self, place: Path, policies: Callable[..., Done], reference: str, said: str
    ) -> None:
        trained(place, "one")
        done = policies("show", reference)
        assert (done.code, said in done.err) == (2, True)


class TestPromote:
    def test_there_and_back(self, place: Path, policies: Callable[..., Done]) -> None:
        one = trained(place, "one")
        assert json.loads(policies("promote", one.name, "--json").out)["checkpoint"] == one.name
        assert "plays in the lineage of" in policies("promote", "base", "--slot", "solver", "--why", "worse").out
        told = json.loads(policies("log", "solver", "--json").out)
        assert [(entry["checkpoint"], entry["why"]) for entry in told] == [(one.name, "by hand"), ("", "worse")]

    @pytest.mark.parametrize(
        ("options", "code", "said"),
        [
            (("solver-0001", "--slot", "generator"), 1, "is a solver, not a generator"),
            (("solver-0001", "--slot", "judge"), 2, "'judge' is no slot"),
            (("base",), 2, "give one, as --slot solver"),
            (("base", "--slot", "solver"), 1, "holds the base already"),
        ],
    )
    def test_what_cannot_be_is_named(
        self, place: Path, policies: Callable[..., Done], options: tuple[str, ...], code: int, said: str
    ) -> None:
        trained(place, "one")
        done = policies("promote", *options)
        assert (done.code, said in done.err) == (code, True)


class TestAdd:
    def test_weights_trained_elsewhere_are_kept_with_the_set(self, place: Path, policies: Callable[..., Done]) -> None:
        publish(open_storage(place / "store"), make_publication())
        made = make_adapter(place / "elsewhere", place / "base")
        done = policies("add", "solver", str(made), "--base", "vllm:base", "--trained-on", "demo", "--metric", "a=0.5",
                        "--store", str(place / "store"), "--json")  # fmt: skip
        row = json.loads(done.out)
        assert (row["base"], row["metrics"], row["round"]) == (f"vllm:{place / 'base'}", {"a": 0.5}, 1)
        assert row["trained_on"][0]["reference"].startswith("demo@v0001-")

    def test_a_child_is_of_the_round_after_its_parent(self, place: Path, policies: Callable[..., Done]) -> None:
        one = trained(place, "one", round=3)
        made = make_adapter(place / "elsewhere", place / "base")
        row = json.loads(
            policies("add", "solver", str(made), "--base", "vllm:base", "--parent", "solver-0003", "--json").out
        )
        assert (row["round"], row["parent"]) == (4, one.digest)

    @pytest.mark.parametrize(
        ("options", "code", "said"),
        [
            (("--base", "vllm:other"), 1, "is for another base"),
            (("--base", "vllm:base", "--metric", "a=high"), 2, "--metric 'a=high'"),
            (("--base", "vllm:base", "--parent", "solver-0001"), 2, "no checkpoint 'solver-0001'"),
            (("--base", "vllm:nowhere"), 1, "is no folder, so no model"),
        ],
    )
    def test_what_cannot_be_is_named(
        self, place: Path, policies: Callable[..., Done], options: tuple[str, ...], code: int, said: str
    ) -> None:
        make_model(place / "other", b"other")
        done = policies("add", "solver", str(make_adapter(place / "elsewhere", place / "base")), *options)
        assert (done.code, said in done.err) == (code, True)


class TestPlaying:
    """A checkpoint where an engine is named."""

    def test_a_run_plays_what_was_named_or_promoted_in_its_lineage(self, place: Path) -> None:
        one, other = trained(place, "one"), trained(place, "other", slot="generator")
        promote(policies_home(), one, "", {})
        config = build(RunConfig, {"engine": "vllm:base", "generator": f"checkpoint:{other.name}"}, "run")
        assert [player.checkpoint for player in players(config)] == [other.name, one.name]

    def test_a_run_with_one_checkpoint_in_both_slots_is_refused(self, place: Path) -> None:
        one = trained(place, "one")
        with pytest.raises(PolicyError, match="have the same weights"):
            players(build(RunConfig, {"engine": f"checkpoint:{one.name}"}, "run"))

    def test_a_manifest_names_the_checkpoint_and_no_place(self, place: Path) -> None:
        one = trained(place, "one", shared=True)
        said = _player(named(policies_home(), "solver", f"checkpoint:{one.name}"))
        assert (said["checkpoint"], said["digest"], said["shared"]) == (one.name, one.digest, True)
        assert (said["engine"], said["base"]) == (f"vllm:{one.name}", "vllm:base")
        assert str(place) not in json.dumps(said)
