"""How the managed engine is asked: by examples where it plays the default model, by chat where somebody named one."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.errors import PolicyError
from flows.context import Context, chunk_of
from flows.preflight import players
from flows.settings import RunConfig, build
from policies.players import Player


def style(tmp_path: Path, engine: str, base: str, **wishes: str) -> str:
    config = build(RunConfig, {"engine": base, **wishes}, "run")
    player = Player("solver", engine, "sha256:0", base)
    found: str = Context(str(tmp_path), config, player, player).style(player)
    return found


def test_the_default_model_and_what_was_trained_from_it_continue_examples(tmp_path: Path) -> None:
    assert [style(tmp_path, engine, "vllm") for engine in ("vllm", "vllm:/trained/from/it")] == ["plain", "plain"]


def test_a_named_model_chats_unless_told_otherwise(tmp_path: Path) -> None:
    assert style(tmp_path, "vllm:/large", "vllm:/large") == "chat"
    assert style(tmp_path, "vllm:/small", "vllm:/small", style="plain") == "plain"


def test_a_named_model_gets_larger_chunks() -> None:
    default, named = (Player("solver", engine, "sha256:0", engine) for engine in ("vllm", "vllm:/large"))
    assert chunk_of(named) > chunk_of(default)


def test_a_path_that_is_no_model_is_found_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PolicyError, match="is no folder, so no model"):
        players(build(RunConfig, {"engine": "vllm:nowhere"}, "run"))


def test_a_missing_engine_environment_is_found_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARRING_ENGINE_ENV", str(tmp_path / "none"))
    monkeypatch.setattr("policies.weights.cache_folder", lambda: tmp_path)
    with pytest.raises(PolicyError, match="make engine"):
        players(build(RunConfig, {"engine": "vllm"}, "run"))
