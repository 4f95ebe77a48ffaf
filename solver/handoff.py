"""Tasks of several calls with a world, handed over half done: the same intermediate states for every solver.

In: an item whose gold calls were proved to run. Out: an item for each place where a solver may take over: the state
after the gold's first calls, those calls and their results as turns of the conversation, and the rest of the gold as
what is due. So two solvers are compared by what they decide next, not by where their own first calls led them.
References into what was done become the values they stand for, which the conversation shows.
Not promised: an item for every place; where nothing is left to change or to tell, there is nothing to score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from data.canonical import canonical_json, task_id
from data.records import Json, JsonObject, Message, Task, Verdict
from solver.benches.base import Bench, Item
from verifiers.answer import reference
from verifiers.execution import Step, check_execution, replay
from verifiers.menu import read_menu


def handed_over(whole: Bench) -> Bench:
    """The benchmark of all places of all its items; without items where none has a world and several calls."""
    items = tuple(part for one in whole.items for part in handoffs(one))
    return Bench(f"{whole.name}/handoff", whole.files, items)


def handoffs(one: Item) -> list[Item]:
    """The item after 1, 2, ... of its gold calls; none for a task without a world or with a single call."""
    task = one.task
    if task.implementations is None or len(task.calls) < 2:
        return []
    ran = replay(task.world, task.implementations, task.calls)
    if isinstance(ran, Verdict):
        return []
    parts = [(done, _after(task, ran.steps, done)) for done in range(1, len(task.calls))]
    return [
        Item(f"{one.id}@{done}", f"{len(task.calls) - done} calls left", part)
        for done, part in parts
        if part is not None
    ]


def _after(task: Task, steps: Sequence[Step], done: int) -> Task | None:
    """What is left of a task after its first `done` gold calls, or None where nothing can be scored."""
    begun = replay(task.world, task.implementations, task.calls[:done])
    menu = read_menu(list(task.tools))
    if isinstance(begun, Verdict) or isinstance(menu, Verdict):
        return None
    left = tuple(_renumbered(task.calls[place], steps[place].call, done) for place in range(done, len(task.calls)))
    outcome = check_execution(menu, left, begun.state, task.implementations)
    if isinstance(outcome, Verdict):
        return None
    turns = [
        turn
        for step in steps[:done]
        for turn in (Message("assistant", canonical_json([step.call])), Message("tool", canonical_json(step.result)))
    ]
    messages = (*task.messages, *turns)
    accept, may_omit = _rest(task.accept, done), _rest(task.may_omit, done)
    identity = task_id(messages, list(task.tools), left, accept, may_omit, begun.state, task.implementations)
    return replace(
        task,
        task_id=identity,
        kind="single" if len(left) == 1 else task.kind,
        messages=messages,
        calls=left,
        accept=accept,
        may_omit=may_omit,
        world=begun.state,
        outcome=outcome,
        parent_task_id=task.task_id,
    )


def _rest(alternatives: Json, done: int) -> Json:
    return list(alternatives[done:]) if isinstance(alternatives, list | tuple) else None


def _renumbered(call: JsonObject, resolved: JsonObject, done: int) -> JsonObject:
    """A call as the first of a new list: references to what was done are values, others count from there."""
    return {**call, "arguments": _value(call["arguments"], resolved["arguments"], done)}


def _value(value: Json, resolved: Json, done: int) -> Json:
    if isinstance(value, Mapping) and isinstance(resolved, Mapping):
        return {name: _value(inner, resolved[name], done) for name, inner in value.items()}
    if isinstance(value, list | tuple) and isinstance(resolved, list | tuple):
        return [_value(one, other, done) for one, other in zip(value, resolved, strict=True)]
    found = reference(value)
    if found is None:
        return value
    number, path = found
    return resolved if number <= done else f"$var_{number - done}{path}"
