"""Whose work folder it is."""

import json
from pathlib import Path

import pytest

from data.errors import StoreError, UsageError
from flows.workdir import open_workdir


def test_the_same_identity_resumes(tmp_path: Path) -> None:
    for _ in range(2):
        with open_workdir(tmp_path / "w", {"seed": 1}) as work:
            assert work.root == str(tmp_path / "w")


def test_another_identity_is_refused_with_what_differs(tmp_path: Path) -> None:
    with open_workdir(tmp_path, {"seed": 1, "k": 8}):
        pass
    with (
        pytest.raises(UsageError, match=r"seed: 1 there, 2 now") as caught,
        open_workdir(tmp_path, {"seed": 2, "k": 8}),
    ):
        pass
    assert "k:" not in caught.value.message


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    with open_workdir(tmp_path, {}), pytest.raises(StoreError, match="another run"), open_workdir(tmp_path, {}):
        pass


def test_the_lock_ends_with_its_holder(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), open_workdir(tmp_path, {}):
        raise RuntimeError
    with open_workdir(tmp_path, {}):
        pass


@pytest.mark.parametrize("content", ["", "[]", "{", json.dumps("text")])
def test_a_folder_that_does_not_say_whose_it_is_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises((StoreError, UsageError)), open_workdir(tmp_path, {"seed": 1}):
        pass


def test_a_work_folder_below_a_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"), open_workdir(tmp_path / "file" / "w", {}):
        pass
