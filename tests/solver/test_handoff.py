"""Tasks handed over half done: the same states for every solver, and a gold for the rest that is right."""

import json
from random import Random
from typing import Any

import pytest

from data.records import Json, Message, Task, Verdict
from generator.worlds import draw
from solver.benches import probe
from solver.benches.base import Bench, Item
from solver.handoff import handed_over, handoffs
from solver.harness import Harness, harness
from verifiers.answer import reference
from verifiers.calls import references
from verifiers.execution import check_execution, replay, same_outcome
from verifiers.menu import Menu, read_menu


def drawn(world: str, seed: int, calls: int, dependent: bool) -> Item:
    """A task over a built-in world, as a version has it."""
    one = draw(world, Random(f"handoff:{seed}"), calls, dependent=dependent)
    menu = read_menu(list(one.tools))
    assert isinstance(menu, Menu)
    outcome = check_execution(menu, one.calls, one.world, dict(one.implementations))
    assert not isinstance(outcome, Verdict)
    task = Task(
        task_id=f"{world}-{seed}",
        kind=one.kind,
        turns=1,
        domain=world,
        mode="catalogue",
        messages=(Message("user", one.question),),
        tools=menu.tools,
        calls=one.calls,
        world=one.world,
        implementations=dict(one.implementations),
        outcome=outcome,
        rule="outcome",
    )
    return Item(task.task_id, "dependent" if dependent else "parallel", task)


WHOLE = [drawn(world, seed, 3, dependent) for world in ("notes", "shop", "calendar", "files") for seed in range(3)
         for dependent in (True, False)]  # fmt: skip
PARTS = [(whole, part) for whole in WHOLE for part in handoffs(whole)]
WAY: Harness = harness("json", "chat")


def test_most_places_can_be_handed_over() -> None:
    assert len(PARTS) >= 0.8 * 2 * len(WHOLE)


@pytest.mark.parametrize(("whole", "part"), PARTS, ids=lambda one: one.id)
class TestEveryHandoff:
    def test_the_rest_of_the_gold_is_right(self, whole: Item, part: Item) -> None:
        assert WAY.score(part.task, WAY.prompt(part.task).oracle or "").judged.correct

    def test_its_world_is_the_state_that_the_gold_prefix_leaves(self, whole: Item, part: Item) -> None:
        done = len(whole.task.calls) - len(part.task.calls)
        ran = replay(whole.task.world, whole.task.implementations, whole.task.calls[:done])
        assert not isinstance(ran, Verdict)
        assert part.task.world == ran.state

    def test_the_rest_leads_where_the_whole_gold_leads(self, whole: Item, part: Item) -> None:
        ends = [replay(one.world, one.implementations, one.calls) for one in (whole.task, part.task)]
        states: list[Json] = [end.state for end in ends if not isinstance(end, Verdict)]
        assert len(states) == 2
        assert same_outcome(states[0], states[1])

    def test_it_refers_to_its_own_calls_alone(self, whole: Item, part: Item) -> None:
        for place, call in enumerate(part.task.calls):
            arguments: Any = call["arguments"]
            assert all(found.number <= place for found in references(arguments))
            assert not any((reference(value) or (0, ""))[0] > place for value in arguments.values())

    def test_what_was_done_is_in_the_conversation(self, whole: Item, part: Item) -> None:
        added = part.task.messages[len(whole.task.messages) :]
        done = len(whole.task.calls) - len(part.task.calls)
        assert [turn.role for turn in added] == ["assistant", "tool"] * done
        told = [json.loads(turn.content)[0]["name"] for turn in added[::2]]
        assert told == [call["name"] for call in whole.task.calls[:done]]

    def test_doing_nothing_more_is_not_right(self, whole: Item, part: Item) -> None:
        assert not WAY.score(part.task, "[]").judged.correct


def test_a_task_without_a_world_is_not_handed_over() -> None:
    assert handed_over(probe.read()).items == ()


def test_a_handed_over_benchmark_names_its_source() -> None:
    assert handed_over(Bench("mine", (("f", "0"),), tuple(WHOLE))).name == "mine/handoff"
