"""The built-in worlds through check 6: every task drawn over them has its outcome, which other ways reach too."""

import json
from random import Random
from typing import Any

import pytest

from data.records import Json, JsonObject
from generator.worlds import MOST_CALLS, WorldDraw, draw
from verifiers.calls import references
from verifiers.execution import Replay, check_execution, replay
from verifiers.menu import Menu, read_menu
from verifiers.outcome import Scored, score_task
from verifiers.worlds import WORLDS

DRAWS = [
    pytest.param(name, calls, seed, id=f"{name}-{calls}-{seed}")
    for name in WORLDS
    for calls in range(1, MOST_CALLS + 1)
    for seed in range(3)
]


def outcome_of(task: WorldDraw) -> dict[str, Any]:
    menu = read_menu(list(task.tools))
    assert isinstance(menu, Menu)
    outcome = check_execution(menu, task.calls, task.world, task.implementations)
    assert isinstance(outcome, dict), outcome
    return outcome


def scored(task: WorldDraw, calls: list[JsonObject], outcome: Json) -> Scored:
    return score_task(
        task.tools,
        task.calls,
        json.dumps(calls),
        harness="json",
        world=task.world,
        implementations=task.implementations,
        outcome=outcome,
    )


@pytest.mark.parametrize(("name", "calls", "seed"), DRAWS)
def test_a_drawn_task_has_its_outcome_and_its_shortest_way_is_right(name: str, calls: int, seed: int) -> None:
    task = draw(name, Random(f"{seed}:{calls}"), calls)
    outcome = outcome_of(task)
    ran = replay(task.world, task.implementations, task.calls)
    assert isinstance(ran, Replay)
    used = {found.number for call in task.calls for found in references(call["arguments"])}
    shortest = [step.call for place, step in enumerate(ran.steps, 1) if step.changed or place not in used]
    assert scored(task, list(task.calls), outcome).rule == "calls"
    found = scored(task, shortest, outcome)
    assert (found.judged.correct, found.rule) == (True, "outcome" if used else "calls")


@pytest.mark.parametrize("name", WORLDS)
def test_one_reading_more_is_another_outcome(name: str) -> None:
    proved = ((task, outcome_of(task)) for task in (draw(name, Random(seed), 1) for seed in range(100)))
    task, outcome = next((task, outcome) for task, outcome in proved if outcome["answers"])
    assert not scored(task, [*task.calls, *task.calls], outcome).judged.correct
