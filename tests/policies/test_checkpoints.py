"""Checkpoints: whole or absent, told apart by their bytes, and known by where they come from."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.errors import PolicyError, StoreError
from policies import checkpoints as kept
from policies.checkpoints import ancestry, checkpoints, unfinished, verify
from policies.connect import engine_digest
from policies.model_folder import find
from tests.policies.checkpoint_support import put
from tests.policies.engine_support import make_adapter, make_model


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "policies"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return make_model(tmp_path / "base")


@pytest.fixture
def adapter(tmp_path: Path, base: Path) -> Path:
    return make_adapter(tmp_path / "trained", base)


class TestAdd:
    def test_an_adapter_is_kept_with_its_history(self, home: Path, base: Path, adapter: Path) -> None:
        made = put(home, adapter, base)
        assert (made.slot, made.round, made.weights, made.parent) == ("solver", 1, "adapter", None)
        assert (made.base, made.base_digest) == (f"vllm:{base}", find(str(base)).digest)
        assert made.name == f"solver-0001-{made.digest.removeprefix('sha256:')[:12]}"
        assert checkpoints(home) == [made]

    def test_it_opens_as_an_engine_of_its_digest(self, home: Path, base: Path, adapter: Path) -> None:
        made = put(home, adapter, base)
        assert engine_digest(made.engine, "solver") == made.digest
        assert Path(made.engine.removeprefix("vllm:")).parent == made.folder

    def test_what_was_added_outlives_where_it_came_from(self, home: Path, base: Path, tmp_path: Path) -> None:
        adapter = make_adapter(tmp_path / "trained", Path("../base"))
        made = put(home, adapter, base)
        shutil.rmtree(adapter)
        verify(made)

    def test_a_model_is_kept_whole(self, home: Path, base: Path, tmp_path: Path) -> None:
        made = put(home, make_model(tmp_path / "tuned", b"tuned"), base)
        assert made.weights == "full"
        assert sorted(made.files) == ["model/config.json", "model/model.safetensors", "model/tokenizer.json"]

    def test_a_gguf_is_one_of_the_embedded_engine(self, home: Path, tmp_path: Path) -> None:
        for name in ("base", "tuned"):
            (tmp_path / f"{name}.gguf").write_bytes(b"GGUF " + name.encode())
        made = put(home, tmp_path / "tuned.gguf", f"embedded:{tmp_path / 'base.gguf'}")
        assert (made.engine, made.weights) == (f"embedded:{made.folder / 'model' / 'tuned.gguf'}", "full")
        assert engine_digest(made.engine, "solver") == made.digest

    def test_a_trainers_state_stays_behind(self, home: Path, base: Path, adapter: Path) -> None:
        for name in ("optimizer.pt", "trainer_state.json", "README.md"):
            (adapter / name).write_text("{}")
        made = put(home, adapter, base)
        assert sorted(made.files) == ["adapter/adapter_config.json", "adapter/adapter_model.safetensors"]

    def test_the_index_of_shards_comes_along(self, home: Path, base: Path, tmp_path: Path) -> None:
        model = make_model(tmp_path / "tuned", b"tuned")
        (model / "model.safetensors.index.json").write_text("{}")
        assert "model/model.safetensors.index.json" in put(home, model, base).files

    def test_the_folder_of_the_default_weights_is_the_engine_vllm(
        self, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("policies.weights.cache_folder", lambda: tmp_path)
        folder = make_model(tmp_path / "SmolLM2-135M-Instruct-bf16")
        sums = "".join(f"{sha}  {name}\n" for name, sha in kept._sums(folder).items())
        (folder / "SHA256SUMS").write_text(sums)
        assert put(home, make_adapter(tmp_path / "trained", folder), folder).base == "vllm"

    def test_nothing_of_the_clock_is_in_it(self, home: Path, tmp_path: Path, base: Path, adapter: Path) -> None:
        one, two = put(home, adapter, base), put(tmp_path / "other", adapter, base)
        assert (one.folder / "checkpoint.json").read_bytes() == (two.folder / "checkpoint.json").read_bytes()

    def test_the_same_again_is_the_one_that_is_there(self, home: Path, base: Path, adapter: Path) -> None:
        assert put(home, adapter, base) == put(home, adapter, base, metrics={"reward": 0.6})
        assert len(checkpoints(home)) == 1

    def test_the_same_weights_of_another_history_are_refused(self, home: Path, base: Path, adapter: Path) -> None:
        put(home, adapter, base)
        with pytest.raises(PolicyError, match="is there with another seed"):
            put(home, adapter, base, seed=8)


class TestRefused:
    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"round": 0}, "round 0 holds nothing trained"),
            ({"parent": "sha256:77"}, "parent sha256:77 is no checkpoint"),
            ({"metrics": {"kl": float("nan")}}, "not kl nan"),
        ],
    )
    def test_a_history_that_cannot_be(
        self, home: Path, base: Path, adapter: Path, changes: dict[str, Any], said: str
    ) -> None:
        with pytest.raises(PolicyError, match=said):
            put(home, adapter, base, **changes)

    def test_an_adapter_for_another_base(self, home: Path, adapter: Path, tmp_path: Path) -> None:
        other = make_model(tmp_path / "other", b"other")
        with pytest.raises(PolicyError, match=rf"is for another base: {tmp_path / 'base'} .*not vllm:{other}"):
            put(home, adapter, other)
        assert list(home.iterdir()) == []

    @pytest.mark.parametrize("slot", ["generator", "solver"])
    def test_weights_that_are_there_already(
        self, home: Path, base: Path, adapter: Path, tmp_path: Path, slot: str
    ) -> None:
        """Also where PEFT wrote its configuration in another order: the tensors tell."""
        first = put(home, adapter, base)
        again = make_adapter(tmp_path / "again", base)
        config = json.loads((again / "adapter_config.json").read_text())
        (again / "adapter_config.json").write_text(json.dumps(config | {"target_modules": ["q_proj"]}))
        parent = first.digest if slot == "solver" else None
        with pytest.raises(PolicyError, match=rf"weights of {first.name} already: adapter/adapter_model.safetensors"):
            put(home, again, base, slot=slot, round=2, parent=parent)

    def test_the_base_itself(self, home: Path, base: Path) -> None:
        with pytest.raises(PolicyError, match=f"weights of vllm:{base} already: model/model.safetensors"):
            put(home, base, base)

    def test_a_parent_of_the_other_slot_or_of_a_later_round(
        self, home: Path, base: Path, adapter: Path, tmp_path: Path
    ) -> None:
        parent = put(home, adapter, base, round=3)
        child = make_adapter(tmp_path / "child", base, b"child")
        with pytest.raises(PolicyError, match="is a solver"):
            put(home, child, base, slot="generator", round=4, parent=parent.digest)
        with pytest.raises(PolicyError, match="round 2 cannot come after"):
            put(home, child, base, round=2, parent=parent.digest)

    def test_a_parent_of_another_base(self, home: Path, base: Path, adapter: Path, tmp_path: Path) -> None:
        parent, other = put(home, adapter, base), make_model(tmp_path / "other", b"other")
        with pytest.raises(PolicyError, match="descends from"):
            put(home, make_adapter(tmp_path / "child", other, b"c"), other, round=2, parent=parent.digest)


class TestVerify:
    @pytest.mark.parametrize(
        ("damage", "said"),
        [
            (lambda folder: _flip(folder / "adapter" / "adapter_model.safetensors"), "adapter/adapter_model.safetens"),
            (lambda folder: (folder / "adapter" / "adapter_config.json").unlink(), "adapter/adapter_config.json"),
            (lambda folder: (folder / "adapter" / "tokenizer.json").touch(), "adapter/tokenizer.json"),
        ],
    )
    def test_each_file_that_differs_is_named(
        self, home: Path, base: Path, adapter: Path, damage: Callable[[Path], None], said: str
    ) -> None:
        made = put(home, adapter, base)
        damage(made.folder)
        with pytest.raises(PolicyError, match=f"not as it was added: {said}"):
            verify(made)

    def test_a_base_that_is_another_now_is_named(self, home: Path, base: Path, adapter: Path) -> None:
        made = put(home, adapter, base)
        (base / "chat_template.jinja").write_text("other")
        with pytest.raises(PolicyError, match=f"its base vllm:{base} has other files now"):
            verify(made)

    def test_weights_cannot_be_written_by_accident(self, home: Path, base: Path, adapter: Path) -> None:
        made = put(home, adapter, base)
        modes = {path.stat().st_mode & 0o777 for path in made.folder.rglob("*") if path.is_file()}
        assert modes == {0o444}

    @pytest.mark.parametrize(
        "damage",
        [
            lambda path: path.write_text("{"),
            lambda path: path.write_text("[]"),
            lambda path: path.write_text(path.read_text().replace('"round": 1', '"round": 2')),
            lambda path: path.write_text(path.read_text().replace('"schema": 1', '"schema": 9')),
            lambda path: path.write_text(path.read_text().replace('"seed"', '"sead"')),
        ],
    )
    def test_a_damaged_record_is_named(
        self, home: Path, base: Path, adapter: Path, damage: Callable[[Path], None]
    ) -> None:
        path = put(home, adapter, base).folder / "checkpoint.json"
        path.chmod(0o644)
        damage(path)
        with pytest.raises(PolicyError, match=r"checkpoint\.json cannot be read"):
            checkpoints(home)


class TestCrashes:
    def test_a_full_disk_leaves_nothing(
        self, home: Path, base: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr("shutil.copyfile", full)
        with pytest.raises(StoreError, match=r"adapter_config\.json: No space(?s:.*)free some space"):
            put(home, adapter, base)
        assert list(home.iterdir()) == []

    def test_a_kill_leaves_a_named_rest_and_no_checkpoint(self, home: Path, base: Path, adapter: Path) -> None:
        script = (
            "import os, signal, pathlib; from policies import checkpoints as c;"
            "c._write_record = lambda *_: os.kill(os.getpid(), signal.SIGKILL);"
            f"c.add(pathlib.Path({str(home)!r}), 'solver', pathlib.Path({str(adapter)!r}), base={str(base)!r},"
            "parent=None, round=1, seed=7, trained_on=(), metrics={}, config={})"
        )
        done = subprocess.run([sys.executable, "-c", script], check=False, env=os.environ | {"PYTHONPATH": os.getcwd()})
        assert done.returncode == -signal.SIGKILL
        assert checkpoints(home) == []
        [rest] = unfinished(home)
        assert rest.name.startswith(".new-solver-0001-")
        made = put(home, adapter, base)
        assert checkpoints(home) == [made]


def test_ancestry_goes_back_to_the_base(home: Path, base: Path, adapter: Path, tmp_path: Path) -> None:
    first = put(home, adapter, base)
    second = put(home, make_adapter(tmp_path / "two", base, b"two"), base, round=2, parent=first.digest)
    assert ancestry(home, second.digest) == [first.base_digest, first.digest, second.digest]
    assert ancestry(home, "sha256:of a url") == ["sha256:of a url"]


def test_the_rounds_of_a_slot_come_in_order(home: Path, base: Path, adapter: Path, tmp_path: Path) -> None:
    other = put(home, make_adapter(tmp_path / "g", base, b"g"), base, slot="generator")
    second = put(home, make_adapter(tmp_path / "s", base, b"s"), base, round=2)
    first = put(home, adapter, base)
    assert checkpoints(home, "solver") == [first, second]
    assert checkpoints(home) == [other, first, second]


def _flip(path: Path) -> None:
    """Change a byte, and neither the size nor the time."""
    stat = path.stat()
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
