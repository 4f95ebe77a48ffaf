"""Data for the tests of training: tasks made of briefs, a player that says what it is told to, and versions of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from data.ledger import LedgerRow
from data.records import Attempt, Brief, Task
from data.rows import attempt_row, brief_json, published_row, task_columns, task_from_row
from data.schema import ATTEMPTS, CANDIDATES, TASKS, to_table
from data.storage import open_storage
from data.store import Publication, publish
from data.version import Version
from flows.judging import judged_row
from generator.briefs import SMALL_MENUS, BriefConfig, plan
from generator.catalogue import load_catalogue
from generator.prompts import render
from policies.protocol import Prompt
from policies.trainee import Drawn, Group, Trainee
from solver.difficulty import rate
from solver.harness import harness
from tests.data.conftest import ORIGIN

BRIEFS = BriefConfig(load_catalogue(), 5, menu_sizes=SMALL_MENUS, most_values=1, kinds={"single": 1.0})
WAY = harness("json", "plain")


def make_briefs(count: int) -> list[Brief]:
    return [plan(BRIEFS, index) for index in range(count)]


def make_telling(count: int) -> list[Brief]:
    """So many briefs whose question has a value to name."""
    return [brief for brief in make_briefs(4 * count + 20) if all(brief.arguments)][:count]


def make_task(brief: Brief) -> Task:
    oracle = render(brief, "plain").oracle
    row = {"brief_json": brief_json(brief), "completion": oracle, "finish_reason": "stop", "error": ""}
    return task_from_row(judged_row(row, "plain"))


def make_tasks(count: int) -> list[Task]:
    """So many tasks, no two alike."""
    tasks = {task.task_id: task for task in map(make_task, make_briefs(4 * count))}
    return list(tasks.values())[:count]


def right(task: Task) -> str:
    """A right answer."""
    return str(WAY.prompt(task).oracle)


def make_version(folder: Path, tasks: Sequence[Task], rewards: Mapping[int, Sequence[float]]) -> Version:
    """A published version of `tasks`; the attempts on each got `rewards` by its place, else one 1 and one 0."""
    attempts = [
        Attempt(
            task_id=task.task_id,
            harness="json",
            index=index,
            seed=index,
            completion=f" {right(task)}" if reward == 1 else "no",
            calls=list(task.calls) if reward == 1 else None,
            outcome="correct" if reward == 1 else "malformed",
            reward=reward,
            prompt_tokens=1,
            completion_tokens=1,
            finish_reason="stop",
        )
        for place, task in enumerate(tasks)
        for index, reward in enumerate(rewards.get(place, (0.0, 1.0)))
    ]
    rows, candidates = [], []
    for place, task in enumerate(tasks):
        score = rate([one for one in attempts if one.task_id == task.task_id])
        row = published_row(task, score, env_index=0, generator_digest="g", solver_digest="s")  # type: ignore[arg-type]
        rows.append(row)
        brief = next(one for one in make_briefs(400) if make_task(one).task_id == task.task_id)
        fate: dict[str, object] = dict.fromkeys(CANDIDATES.names)
        fate |= task_columns(task) | {name: row[name] for name in CANDIDATES.names if name in row}
        fate |= {"index": place, "stage": "published", "check": "", "code": "", "detail": "", "finish_reason": "stop"}
        fate |= {"completion": render(brief, "plain").oracle, "brief_json": brief_json(brief)}
        fate |= {"prompt_tokens": 1, "completion_tokens": 1, "difficulty": row["difficulty_reward"]}
        candidates.append(fate)
    publication = Publication(
        name="demo",
        tasks=[to_table(sorted(rows, key=lambda row: str(row["task_id"])), TASKS)],
        candidates=[to_table(candidates, CANDIDATES)],
        attempts=[to_table([attempt_row(one) for one in attempts], ATTEMPTS)],
        ledger=(LedgerRow("published", "", len(tasks)),),
        origin=ORIGIN,
        report=lambda version: f"# Report of {version}\n",
    )
    return publish(open_storage(str(folder)), publication)


class Parrot(Trainee):
    """Says for each prompt what it was taught for it, sample by sample, and remembers what it was asked."""

    def __init__(self, said: Mapping[str, Sequence[str]]) -> None:
        self.said, self.asked, self.seeds = said, list[str](), list[int]()
        self.ends: Sequence[str] = ("stop",)

    def load(self, adapter: Path) -> None:
        self.adapter = adapter

    async def draw(
        self, prompts: Sequence[Prompt], seeds: Sequence[int], n: int, sampling: Mapping[str, float]
    ) -> list[Group]:
        self.asked += [str(prompt.text) for prompt in prompts]
        self.seeds += seeds
        return [Group((1, 2), tuple(map(self._drawn, range(9), self.said[str(one.text)]))) for one in prompts]

    def _drawn(self, place: int, text: str) -> Drawn:
        return Drawn((place, 0), text, self.ends[place % len(self.ends)])

    def close(self) -> None:
        """Nothing is held."""
