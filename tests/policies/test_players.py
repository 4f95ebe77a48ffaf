"""The two player slots, and engines by name."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from data.errors import PolicyError, StoreError, UsageError
from policies import weights
from policies.connect import engine_digest, open_policy
from policies.endpoint import EndpointPolicy
from policies.players import Player, both_base, check_apart, lineage, promote, resolve
from policies.scripted import ScriptedPolicy


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the base's weights: slots look at the file's digest alone."""
    path = tmp_path / "base.gguf"
    path.write_bytes(b"GGUF base")
    monkeypatch.setenv("SPARRING_WEIGHTS", str(path))
    return path


def trained(folder: Path, name: str) -> str:
    (folder / f"{name}.gguf").write_bytes(b"GGUF " + name.encode())
    return f"embedded:{folder / name}.gguf"


def test_both_slots_begin_as_the_same_base(tmp_path: Path, base: Path) -> None:
    generator, solver = resolve(tmp_path, "generator"), resolve(tmp_path, "solver")
    assert solver == Player("solver", "embedded", "sha256:" + weights.sha256(base), "embedded", 0, None)
    assert both_base(generator, solver)
    check_apart(generator, solver)


def test_a_promoted_player_stands_in_its_slot_alone(tmp_path: Path) -> None:
    home = tmp_path / "players"
    first = promote(home, "solver", trained(tmp_path, "one"))
    second = promote(home, "solver", trained(tmp_path, "two"))
    assert resolve(home, "solver") == second
    assert (second.round, second.parent, second.base) == (2, first.digest, "embedded")
    assert lineage(home, "solver") == [first, second]
    assert resolve(home, "generator").round == 0
    assert not both_base(resolve(home, "generator"), second)


def test_a_promotion_plays_only_for_the_engine_it_began_with(tmp_path: Path) -> None:
    promote(tmp_path, "solver", trained(tmp_path, "one"))
    player = resolve(tmp_path, "solver", "scripted")
    assert (player.engine, player.base, player.round, player.parent) == ("scripted", "scripted", 0, None)
    assert resolve(tmp_path, "solver", "embedded").round == 1


def test_equal_weights_after_round_0_are_an_error(tmp_path: Path) -> None:
    same = trained(tmp_path, "one")
    generator, solver = promote(tmp_path, "generator", same), resolve(tmp_path, "solver")
    check_apart(generator, solver)
    with pytest.raises(PolicyError, match="same weights"):
        check_apart(generator, promote(tmp_path, "solver", same))


def test_different_bases_are_not_equal(tmp_path: Path) -> None:
    assert not both_base(resolve(tmp_path, "generator"), resolve(tmp_path, "solver", "scripted"))


def test_a_slot_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    home, engine = tmp_path / "players", trained(tmp_path, "one")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"solver\.json cannot be written: No space"):
        promote(home, "solver", engine)
    assert list(home.iterdir()) == []


def test_a_promotion_leaves_nothing_but_its_slot(tmp_path: Path) -> None:
    home = tmp_path / "players"
    promote(home, "solver", trained(tmp_path, "one"))
    assert [path.name for path in home.iterdir()] == ["solver.json"]


def test_the_pinned_base_is_known_before_it_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARRING_WEIGHTS")
    monkeypatch.setattr(weights, "cache_folder", lambda: tmp_path / "nowhere")
    assert resolve(tmp_path, "solver").digest == "sha256:" + weights.SHA256


def test_a_damaged_slot_is_named(tmp_path: Path) -> None:
    (tmp_path / "solver.json").write_text("{")
    with pytest.raises(PolicyError, match=r"solver\.json"):
        resolve(tmp_path, "solver")


def test_an_engine_is_what_its_text_says() -> None:
    assert isinstance(open_policy("scripted:ability=1", role="solver"), ScriptedPolicy)
    url = open_policy("http://127.0.0.1:1/v1#a/b", role="solver")
    assert isinstance(url, EndpointPolicy)
    assert url.name == "http://127.0.0.1:1/v1#a/b"


@pytest.mark.parametrize("engine", ["scripted", "scripted:faults=0.1", "http://127.0.0.1:1/v1#m"])
def test_the_digest_is_known_without_opening(engine: str) -> None:
    assert engine_digest(engine, "solver") == open_policy(engine, role="solver").digest


@pytest.mark.parametrize("engine", ["", "gpt", "Embedded", "ftp://x"])
def test_an_unknown_engine_lists_what_exists(engine: str) -> None:
    with pytest.raises(UsageError) as fault:
        open_policy(engine, role="solver")
    assert all(name in fault.value.hint for name in ("embedded", "scripted", "http"))


def test_a_named_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    for name, words in (("notes.txt", "no GGUF"), ("nothing.gguf", "cannot be read")):
        with pytest.raises(PolicyError, match=words):
            open_policy(f"embedded:{tmp_path / name}", role="solver")
