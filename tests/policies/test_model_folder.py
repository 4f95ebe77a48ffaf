"""Weights by path: what is none is refused with what it lacks, and a digest changes with what a model says, only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from data.errors import PolicyError
from policies import model_folder
from tests.policies.engine_support import FakeEngine, enter, make_adapter, make_model


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """With a cache of its own, and a GGUF that need not be fetched."""
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setattr("policies.weights.cache_folder", lambda: cache)
    monkeypatch.setattr("policies.weights.fetch", lambda: cache / "model.gguf")
    return enter(tmp_path, monkeypatch)


def _remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_remove("config.json"), "config.json cannot be read"),
        (_remove("model.safetensors"), "no \\*.safetensors"),
        (_remove("tokenizer.json"), "no tokenizer"),
        (lambda folder: (folder / "config.json").write_text("[]"), "config.json cannot be read: it is no object"),
        (lambda folder: (folder / "config.json").write_text("{}"), "names no model_type"),
    ],
)
def test_a_folder_that_is_no_model_says_what_it_lacks(
    tmp_path: Path, damage: Callable[[Path], None], said: str
) -> None:
    folder = make_model(tmp_path / "model")
    damage(folder)
    with pytest.raises(PolicyError, match=said):
        model_folder.find(str(folder))


def test_the_name_of_a_hub_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PolicyError, match="has to be downloaded first"):
        model_folder.find("Owner/Model-1B")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            {"peft_type": "LORA", "r": 8, "base_model_name_or_path": "Owner/Model-1B"},
            "'Owner/Model-1B', which is no fo",
        ),
        ({"peft_type": "LORA", "r": 8}, "no LoRA adapter that says its rank and base"),
        ({"peft_type": "IA3", "r": 8, "base_model_name_or_path": "../model"}, "no LoRA adapter"),
    ],
)
def test_an_adapter_without_its_base_is_refused(tmp_path: Path, config: dict[str, object], said: str) -> None:
    adapter = make_adapter(tmp_path / "adapter", make_model(tmp_path / "model"))
    (adapter / "adapter_config.json").write_text(json.dumps(config))
    with pytest.raises(PolicyError, match=said):
        model_folder.find(str(adapter))


@pytest.mark.parametrize(
    "name", ["model.safetensors", "tokenizer.json", "chat_template.jinja", "generation_config.json"]
)
def test_the_digest_changes_with_each_file_that_decides_what_is_said(tmp_path: Path, name: str) -> None:
    folder = make_model(tmp_path / "model")
    before = model_folder.find(str(folder)).digest
    (folder / name).write_text('{"changed": true}')
    assert model_folder.find(str(folder)).digest != before


def test_a_readme_and_a_trainers_state_leave_the_digest(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    before = model_folder.find(str(folder)).digest
    (folder / "README.md").write_text("hello")
    (folder / "trainer_state.json").write_text("{}")
    assert model_folder.find(str(folder)).digest == before


def test_an_adapters_digest_holds_its_bases_but_not_where_that_lies(tmp_path: Path) -> None:
    first, same = make_model(tmp_path / "first"), make_model(tmp_path / "same")
    other = make_model(tmp_path / "other", b"other tensors")
    digests = [
        model_folder.find(str(make_adapter(tmp_path / f"on-{base.name}", base))).digest for base in (first, same, other)
    ]
    assert digests[0] == digests[1] != digests[2]


def test_the_default_weights_are_converted_once_with_their_sums(engine: FakeEngine) -> None:
    found = model_folder.find("")
    (engine.model / "model.safetensors").write_bytes(b"a second conversion would hold this")
    assert model_folder.find("") == found
    sums = (found.base / "SHA256SUMS").read_text().splitlines()
    assert f"{hashlib.sha256(b'tensors').hexdigest()}  model.safetensors" in sums


def test_damaged_default_weights_are_refused_with_what_to_remove(engine: FakeEngine) -> None:
    found = model_folder.find("")
    (found.base / "model.safetensors").write_bytes(b"half")
    with pytest.raises(PolicyError, match=r"damaged: model.safetensors(?s:.*)remove"):
        model_folder.find("")


def test_a_conversion_that_fails_leaves_no_folder(engine: FakeEngine) -> None:
    for path in engine.model.iterdir():
        path.unlink()
    with pytest.raises(PolicyError, match="could not be converted"):
        model_folder.find("")
    assert not any((engine.folder / "cache").iterdir())
