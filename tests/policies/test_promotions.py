"""Promotions: one rename, in a row, with what they replaced and why."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from data.errors import PolicyError, StoreError
from policies.promotions import demote, history, promote, standing
from tests.policies.checkpoint_support import trained
from tests.policies.engine_support import make_model


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "policies"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return make_model(tmp_path / "base")


def test_each_promotion_says_what_it_replaced_and_why(home: Path, base: Path) -> None:
    one, two = trained(home, base, "one"), trained(home, base, "two", round=2)
    promote(home, one, "better on the probe", {"pass_at_1": 0.25})
    promote(home, two, "better again", {})
    promote(home, one, "two forgot dates", {})
    demote(home, "solver", "so did one")
    told = [(entry.checkpoint, entry.replaced, entry.why) for entry in history(home, "solver")]
    assert told == [
        (one.name, "", "better on the probe"),
        (two.name, one.name, "better again"),
        (one.name, two.name, "two forgot dates"),
        ("", one.name, "so did one"),
    ]
    assert history(home, "solver")[0].figures == {"pass_at_1": 0.25}
    assert standing(home, "solver") is None


def test_what_was_promoted_last_is_not_promoted_again(home: Path, base: Path) -> None:
    one = trained(home, base, "one")
    assert promote(home, one, "first", {}) == promote(home, one, "again", {})
    assert len(history(home, "solver")) == 1


def test_a_slot_that_holds_its_base_cannot_go_back(home: Path) -> None:
    with pytest.raises(PolicyError, match="holds the base already"):
        demote(home, "solver", "")


def test_a_checkpoint_of_the_other_slot_is_refused(home: Path, base: Path) -> None:
    one = trained(home, base, "one", slot="generator")
    with pytest.raises(PolicyError, match="is a generator, not a solver"):
        promote(home, one, "", {}, slot="solver")


def test_shared_weights_stand_in_both_slots(home: Path, base: Path) -> None:
    one = trained(home, base, "one", shared=True)
    for slot in ("generator", "solver"):
        promote(home, one, "", {}, slot=slot)
    assert [entry.checkpoint for slot in ("generator", "solver") for entry in history(home, slot)] == [one.name] * 2


def test_a_checkpoint_that_was_changed_is_not_promoted(home: Path, base: Path) -> None:
    one = trained(home, base, "one")
    path = one.folder / "adapter" / "adapter_model.safetensors"
    path.chmod(0o644)
    path.write_bytes(b"oen")
    with pytest.raises(PolicyError, match="adapter_model"):
        promote(home, one, "", {})
    assert history(home, "solver") == []


def test_promotions_at_once_come_in_a_row(home: Path, base: Path) -> None:
    made = [trained(home, base, f"of-{round}", round=round) for round in range(1, 13)]
    with ThreadPoolExecutor(12) as threads:
        list(threads.map(lambda one: promote(home, one, "", {}), made))
    entries = history(home, "solver")
    assert sorted(entry.checkpoint for entry in entries) == [one.name for one in made]
    assert [entry.replaced for entry in entries] == ["", *(entry.checkpoint for entry in entries[:-1])]


def test_a_full_disk_leaves_the_slot_as_it_was(home: Path, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = trained(home, base, "one"), trained(home, base, "two", round=2)
    promote(home, one, "", {})
    before = sorted(path.name for path in home.iterdir())

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match=r"solver\.json: No space"):
            promote(home, two, "", {})
    assert sorted(path.name for path in home.iterdir()) == before
    assert [entry.checkpoint for entry in history(home, "solver")] == [one.name]


@pytest.mark.parametrize("text", ["{", "[]", '{"promotions": [{"name": "x"}]}'])
def test_a_damaged_slot_is_named(home: Path, text: str) -> None:
    home.mkdir()
    (home / "solver.json").write_text(text)
    with pytest.raises(PolicyError, match=r"solver\.json cannot be read"):
        history(home, "solver")
