"""Where a training goes on after it was killed, at whatever moment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policies.training.saves import last_save

STEPS = [("sft", 1), ("sft", 2), ("grpo", 1), ("grpo", 2), ("grpo", 3)]


def make(folder: Path, *saves: int, torn: str = "") -> Path:
    """A job's folder with saves of GRPO and a line for each of `STEPS`, perhaps with the beginning of another."""
    for step in saves:
        save = folder / "grpo" / f"checkpoint-{step}"
        save.mkdir(parents=True)
        (save / "trainer_state.json").write_text(json.dumps({"global_step": step}))
    lines = [json.dumps({"stage": stage, "step": step}) + "\n" for stage, step in STEPS]
    (folder / "metrics.jsonl").write_text("".join(lines) + torn)
    return folder


def logged(folder: Path) -> list[tuple[str, int]]:
    lines = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    return [(line["stage"], line["step"]) for line in lines]


def test_the_last_save_is_by_number_not_by_name(tmp_path: Path) -> None:
    assert last_save(make(tmp_path, 2, 10, 9), "grpo") == tmp_path / "grpo" / "checkpoint-10"


@pytest.mark.parametrize("left", ["", '{"global_st'])
def test_a_save_that_was_cut_off_is_removed_and_the_one_before_it_counts(tmp_path: Path, left: str) -> None:
    make(tmp_path, 1, 3)
    (tmp_path / "grpo" / "checkpoint-3" / "trainer_state.json").write_text(left)
    assert last_save(tmp_path, "grpo") == tmp_path / "grpo" / "checkpoint-1"
    assert not (tmp_path / "grpo" / "checkpoint-3").exists()


def test_a_save_without_its_last_file_is_none(tmp_path: Path) -> None:
    (make(tmp_path, 3) / "grpo" / "checkpoint-3" / "trainer_state.json").unlink()
    assert last_save(tmp_path, "grpo") is None


@pytest.mark.parametrize(
    ("saves", "kept"),
    [((2,), STEPS[:4]), ((3,), STEPS), ((), STEPS[:2])],
    ids=("after the save", "all of it", "from the start"),
)
def test_steps_that_are_done_again_are_logged_once_and_other_stages_keep_theirs(
    tmp_path: Path, saves: tuple[int, ...], kept: list[tuple[str, int]]
) -> None:
    last_save(make(tmp_path, *saves), "grpo")
    assert logged(tmp_path) == kept


def test_a_torn_line_is_dropped(tmp_path: Path) -> None:
    last_save(make(tmp_path, 3, torn='{"stage": "grpo", "st'), "grpo")
    assert logged(tmp_path) == STEPS


def test_a_job_that_was_never_begun_begins(tmp_path: Path) -> None:
    assert last_save(tmp_path, "sft") is None
