"""What a training is given: which prompts, what judges them, and the successes to begin with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.errors import PolicyError, UsageError
from flows.training_data import prepare_generator_data, prepare_solver_data
from generator.prompts import render
from solver.rollouts import Settings
from tests.flows.training_support import WAY, make_briefs, make_tasks, make_version, right
from verifiers.lines import score_line


def lines(folder: Path, name: str) -> list[Any]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_a_solver_gets_the_prompts_that_it_was_measured_with(tmp_path: Path) -> None:
    tasks = make_tasks(3)
    data = prepare_solver_data(tmp_path / "data", make_version(tmp_path / "sets", tasks, {}), style="plain")
    asked = {row["prompt"]: row["stop"] for row in lines(data, "prompts.jsonl")}
    prompts = [WAY.prompt(task) for task in tasks]
    assert asked == {prompt.text: list(prompt.stop) for prompt in prompts}


def test_a_row_is_judged_as_sparring_score_judges_it(tmp_path: Path) -> None:
    tasks = make_tasks(2)
    data = prepare_solver_data(tmp_path / "data", make_version(tmp_path / "sets", tasks, {}), style="plain")
    golds = {task.task_id: right(task) for task in tasks}
    for row in lines(data, "prompts.jsonl"):
        answer = score_line(json.dumps({**row["score"], "completion": golds[row["id"]]}).encode(), 1)
        assert answer["outcome"] == "correct"


@pytest.mark.parametrize("rewards", [(0.0, 0.0), (1.0, 1.0), (0.5, 0.5)])
def test_a_task_whose_attempts_all_got_the_same_is_left_out_and_counted(
    tmp_path: Path, rewards: tuple[float, ...]
) -> None:
    version = make_version(tmp_path / "sets", make_tasks(3), {1: rewards})
    data = prepare_solver_data(tmp_path / "data", version, style="plain")
    assert len(lines(data, "prompts.jsonl")) == 2
    assert json.loads((data / "about.json").read_text())["left_out"] == {"no_variance": 1}


def test_no_prompt_left_is_a_fault_that_says_how_many_were_left_out(tmp_path: Path) -> None:
    version = make_version(tmp_path / "sets", make_tasks(2), {0: (1.0, 1.0), 1: (0.0, 0.0)})
    with pytest.raises(PolicyError, match=r"no_variance.: 2"):
        prepare_solver_data(tmp_path / "data", version, style="plain")


def test_the_warm_start_is_one_correct_answer_of_each_task_even_of_the_easy(tmp_path: Path) -> None:
    tasks = make_tasks(3)
    version = make_version(tmp_path / "sets", tasks, {0: (1.0, 1.0), 1: (0.0, 0.0)})
    data = prepare_solver_data(tmp_path / "data", version, style="plain")
    warm = {row["prompt"]: row["completion"] for row in lines(data, "warm.jsonl")}
    assert warm == {WAY.prompt(task).text: f" {right(task)}" for task in (tasks[0], tasks[2])}


def test_a_chat_harness_makes_messages_of_prompt_and_answer(tmp_path: Path) -> None:
    version = make_version(tmp_path / "sets", make_tasks(2), {})
    data = prepare_solver_data(tmp_path / "data", version, style="chat")
    assert [turn["role"] for turn in lines(data, "prompts.jsonl")[0]["prompt"]] == ["system", "user"]
    assert lines(data, "warm.jsonl")[0]["completion"][0]["role"] == "assistant"


def test_a_version_with_a_changed_byte_is_trained_on_by_nobody(tmp_path: Path) -> None:
    version = make_version(tmp_path / "sets", make_tasks(2), {})
    path = Path(version.location) / "attempts.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(bytes(content))
    with pytest.raises(PolicyError, match=r"does not verify: attempts\.parquet"):
        prepare_solver_data(tmp_path / "data", version, style="plain")


def test_the_interface_of_a_server_is_no_harness_to_train_in(tmp_path: Path) -> None:
    version = make_version(tmp_path / "sets", make_tasks(2), {})
    with pytest.raises(UsageError, match="none to train in"):
        prepare_solver_data(tmp_path / "data", version, style="chat", name="openai")


def test_a_generator_gets_the_prompts_of_its_briefs_each_once(tmp_path: Path) -> None:
    briefs = make_briefs(30)
    data = prepare_generator_data(tmp_path, [*briefs, briefs[0]], style="plain", settings=Settings())
    asked = [row["prompt"] for row in lines(data, "prompts.jsonl")]
    assert asked == list(dict.fromkeys(render(brief, "plain").text for brief in briefs))


def test_a_generators_warm_start_is_what_the_solver_solves_sometimes(tmp_path: Path) -> None:
    version = make_version(tmp_path / "sets", make_tasks(3), {1: (0.0, 0.0)})
    data = prepare_generator_data(
        tmp_path / "data", make_briefs(3), style="plain", settings=Settings(), versions=[version]
    )
    assert len(lines(data, "warm.jsonl")) == 2


def test_without_a_task_that_is_solved_what_was_proved_is_the_warm_start(tmp_path: Path) -> None:
    version = make_version(tmp_path / "sets", make_tasks(2), {0: (0.0, 0.0), 1: (0.0, 0.0)})
    data = prepare_generator_data(
        tmp_path / "data", make_briefs(3), style="plain", settings=Settings(), versions=[version]
    )
    assert len(lines(data, "warm.jsonl")) == 2
