"""The trainer's partner: what it draws, how it judges, and what becomes of groups that agree."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from flows.engines import Bridge
from flows.training_data import prepare_generator_data, prepare_solver_data
from flows.training_partner import Roller
from flows.training_rewards import GeneratorRewards, open_rewards
from generator.prompts import render
from policies.connect import open_policy
from policies.protocol import Prompt
from policies.training.job import TrainingJob, read_lines
from policies.training_job import DEFAULTS
from solver.rollouts import Settings
from tests.flows.training_support import Parrot, make_briefs, make_tasks, make_telling, make_version, right


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    made = Bridge()
    yield made
    made.stop()


def a_job(folder: Path, data: Path, **more: Any) -> TrainingJob:
    return TrainingJob(folder, more.pop("slot", "solver"), folder / "base", data, DEFAULTS["solver"], **more)


def a_roller(
    folder: Path, bridge: Bridge, answers: Mapping[int, Sequence[str]], count: int = 4
) -> tuple[Roller, Parrot, list[str]]:
    """A roller on `count` tasks whose solver gives `answers` by row: `right` or `wrong` or any text."""
    tasks = {task.task_id: task for task in make_tasks(count)}
    version = make_version(folder / "sets", list(tasks.values()), {})
    job = a_job(folder, prepare_solver_data(folder / "data", version, style="plain"))
    rows = list(read_lines(job.data / "prompts.jsonl"))
    said = {}
    for place, row in enumerate(rows):
        words = {"right": right(tasks[row["id"]]), "wrong": '{"name": "nothing", "arguments": {}}'}
        said[row["prompt"]] = [words.get(one, one) for one in answers.get(place, ("right", "wrong"))]
    parrot = Parrot(said)
    return Roller(job, open_rewards(job, bridge), parrot, bridge), parrot, [row["prompt"] for row in rows]


def request(rows: Sequence[int], *, refills: int = 0, step: int = 0) -> dict[str, Any]:
    asked = {"adapter": "a", "rows": rows, "step": step, "samples": 2, "weights": [1.0, 0.2]}
    return {**asked, "refills": refills, "sampling": {}}


def test_every_completion_has_its_tokens_and_the_parts_of_its_reward(tmp_path: Path, bridge: Bridge) -> None:
    roller, _, _ = a_roller(tmp_path, bridge, {0: ("right", "not JSON")})
    [group] = roller.roll(request([0]))["groups"]
    assert [one["ids"] for one in group["samples"]] == [(0, 0), (1, 0)]
    assert [one["parts"] for one in group["samples"]] == [
        {"graded": 1.0, "format": 0.0},
        {"graded": 0.0, "format": -1.0},
    ]


def test_completions_that_ran_into_the_limit_are_counted(tmp_path: Path, bridge: Bridge) -> None:
    roller, parrot, _ = a_roller(tmp_path, bridge, {})
    parrot.ends = ("length", "stop")
    assert roller.roll(request([0, 1]))["figures"]["rollout/truncated"] == 0.5


@pytest.mark.parametrize("answer", ["right", "wrong", "not JSON"])
def test_a_group_that_agrees_is_drawn_anew_from_another_prompt(tmp_path: Path, bridge: Bridge, answer: str) -> None:
    roller, parrot, prompts = a_roller(tmp_path, bridge, {0: (answer, answer)})
    answered = roller.roll(request([0, 1], refills=1))
    replaced, kept = (group["row"] for group in answered["groups"])
    assert replaced in (2, 3)
    assert kept == 1
    assert parrot.asked[:2] == [prompts[0], prompts[1]]
    figures = answered["figures"]
    assert (figures["groups/dead"], figures["groups/refilled"]) == (0.5, 0.5)


def test_a_figure_of_a_step_is_the_mean_of_all_answers_however_few_came_with_a_refill(
    tmp_path: Path, bridge: Bridge
) -> None:
    roller, parrot, _ = a_roller(tmp_path, bridge, {0: ("right", "right")})
    answered = roller.roll(request([0, 1], refills=1))
    assert len(parrot.asked) == 3
    assert answered["figures"]["answers/correct"] == pytest.approx(4 / 6)


def test_what_stays_dead_after_the_last_refill_is_kept(tmp_path: Path, bridge: Bridge) -> None:
    agreeing = dict.fromkeys(range(4), ("right", "right"))
    roller, parrot, _ = a_roller(tmp_path, bridge, agreeing)
    answered = roller.roll(request([0], refills=2))
    assert [group["row"] for group in answered["groups"]] == [0]
    assert len(parrot.asked) == len(set(parrot.asked)) == 3
    assert answered["figures"]["groups/variance"] == 0


def test_no_prompt_comes_twice_in_a_step_even_when_they_run_out(tmp_path: Path, bridge: Bridge) -> None:
    agreeing = dict.fromkeys(range(3), ("wrong", "wrong"))
    roller, parrot, _ = a_roller(tmp_path, bridge, agreeing, count=3)
    roller.roll(request([0, 1], refills=9))
    assert sorted(parrot.asked) == sorted(set(parrot.asked))
    assert len(parrot.asked) == 3


def test_a_step_draws_the_same_prompts_and_seeds_again_and_another_step_others(tmp_path: Path, bridge: Bridge) -> None:
    agreeing = dict.fromkeys(range(4), ("right", "right"))
    roller, parrot, _ = a_roller(tmp_path, bridge, agreeing)
    drawn = []
    for step in (3, 3, 4):
        parrot.asked, parrot.seeds = [], []
        roller.roll(request([0], refills=1, step=step))
        drawn.append((parrot.asked, parrot.seeds))
    assert drawn[0] == drawn[1]
    assert drawn[0][1] != drawn[2][1]


def generator(
    folder: Path, bridge: Bridge, *, difficulty: bool = True
) -> tuple[GeneratorRewards, Sequence[Mapping[str, Any]]]:
    data = prepare_generator_data(folder / "data", make_telling(6), style="plain", settings=Settings(seed=1))
    job = a_job(folder, data, slot="generator", opponent="scripted", difficulty=difficulty)
    found = open_rewards(job, bridge)
    assert isinstance(found, GeneratorRewards)
    return found, list(read_lines(data / "prompts.jsonl"))


async def drawn(*texts: str) -> Any:
    [group] = await Parrot({"": texts}).draw([Prompt("", text="")], [0], len(texts), {})
    return group.samples


def test_a_generators_parts_are_those_of_its_run(tmp_path: Path, bridge: Bridge) -> None:
    rewards, _ = generator(tmp_path, bridge)
    oracle, noise = str(render(make_telling(1)[0], "plain").oracle), '"Nothing that fits here."'
    [[proved, refused]], figures = rewards.judge([0], [bridge.call(drawn(oracle, noise))])
    rewards.close()
    assert (proved["format"], proved["validity"], proved["coherence"]) == (1.0, 1.0, 1.0)
    assert proved["difficulty"] > 0
    assert refused["difficulty"] == 0
    assert figures["tasks/proven"] == 0.5


def test_the_same_question_again_and_again_costs_each_of_them(tmp_path: Path, bridge: Bridge) -> None:
    rewards, _ = generator(tmp_path, bridge, difficulty=False)
    oracle = str(render(make_telling(1)[0], "plain").oracle)
    [group], _ = rewards.judge([0], [bridge.call(drawn(oracle, oracle, oracle, oracle))])
    assert [one["repetition"] for one in group] == [-0.2] * 4


def test_without_difficulty_no_solver_is_asked(tmp_path: Path, bridge: Bridge) -> None:
    rewards, _ = generator(tmp_path, bridge, difficulty=False)
    oracle = str(render(make_telling(1)[0], "plain").oracle)
    [[one]], _ = rewards.judge([0], [bridge.call(drawn(oracle))])
    assert one["difficulty"] == 0


@pytest.mark.parametrize(("opinion", "coherence"), [(0.25, 0.25), (1.0, 1.0)])
def test_a_judge_lowers_coherence(
    tmp_path: Path, bridge: Bridge, monkeypatch: pytest.MonkeyPatch, opinion: float, coherence: float
) -> None:
    async def asked(tasks: Sequence[object], judge: object, seed: int) -> list[float | None]:
        return [opinion for _ in tasks]

    monkeypatch.setattr("flows.training_rewards.opinions", asked)
    rewards, _ = generator(tmp_path, bridge, difficulty=False)
    monkeypatch.setattr(rewards, "_judge", open_policy("scripted", role="generator"))
    oracle = str(render(make_telling(1)[0], "plain").oracle)
    [[proved, refused]], _ = rewards.judge([0], [bridge.call(drawn(oracle, "no JSON"))])
    assert proved["coherence"] == coherence
    assert refused["coherence"] == 0


def test_a_fault_is_said_in_the_place_of_an_answer(tmp_path: Path) -> None:
    data = prepare_generator_data(tmp_path / "data", make_briefs(2), style="plain", settings=Settings())
    job = a_job(tmp_path, data, slot="generator")
    (tmp_path / "job.json").write_text(json.dumps({"job": job.as_json()}))
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "flows.training_partner", str(tmp_path)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root)},
        cwd=root,
        input="",
    )
    assert done.returncode == 1
    assert "is no folder, so no model" in json.loads(done.stdout)["fault"]["message"]
