"""Files are whole or absent, also when the process or the disk gives up."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from data import atomic
from data.atomic import create, make_folder, replacing, store_errors, write_bytes
from data.errors import StoreError


def test_a_file_is_written_whole_with_its_folders(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a" / "b", b"1")
    write_bytes(tmp_path / "a" / "b", b"2")
    assert (tmp_path / "a" / "b").read_bytes() == b"2"
    assert os.listdir(tmp_path / "a") == ["b"]


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"old")

    def write_half() -> None:
        with replacing(tmp_path / "a") as temporary:
            temporary.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_only_the_first_creates(tmp_path: Path) -> None:
    assert create(tmp_path / "log" / "1", b"first")
    assert not create(tmp_path / "log" / "1", b"second")
    assert (tmp_path / "log" / "1").read_bytes() == b"first"
    assert os.listdir(tmp_path / "log") == ["1"]


def test_a_folder_that_another_writer_removes_just_then_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def removed_once(path: Path) -> Path:
        monkeypatch.undo()
        return path

    monkeypatch.setattr(atomic, "make_folder", removed_once)
    assert create(tmp_path / "versions" / "card", b"mine")
    assert (tmp_path / "versions" / "card").read_bytes() == b"mine"


@pytest.mark.parametrize("act", [lambda path: write_bytes(path, b""), lambda path: create(path, b""), make_folder])
def test_a_place_below_a_file_is_named(tmp_path: Path, act: Callable[[Path], object]) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"Not a directory.*\n.*choose another folder|File exists.*\n.*move it away"):
        act(tmp_path / "file" / "x")


def test_an_error_without_a_number_keeps_its_words(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot read .*: odd"), store_errors(tmp_path, "read"):
        raise OSError("odd")
