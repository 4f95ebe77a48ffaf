"""One task as every export sees it.

In: a row of `data.schema.TASKS` and the chat messages it is asked with. Out: `Example`: the task, the prompt (with the
menu in its system message, for most trainers take tools per run, not per row), the gold as one JSON string for the
reward, and the measured columns that travel along. Pure.
Not promised: outcomes. A trainer's reward has no worlds, so tasks of rule `outcome` are scored there by their calls and
by the other calls that are known to come to the same outcome (`alternatives`); `rule` says which tasks those are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from data.canonical import canonical_json, messages_json
from data.records import Json, Message, Task
from data.rows import task_from_row
from data.schema import Row

SOURCE = "sparring"
"""The name of our rows where a trainer mixes sources."""

Render = Callable[[Task], tuple[Message, ...]]
"""The chat messages that ask a task, menu included (the solver's harness in chat style)."""


@dataclass(frozen=True, slots=True)
class Example:
    """A task ready to be written down for a trainer. `index` counts from 0 in the order of `task_id`, by split."""

    index: int
    split: str
    task: Task
    messages: tuple[Message, ...]
    gold: str
    harness: str
    pass_rate: float
    band: str
    env_index: int
    group_key: str

    @property
    def prompt(self) -> list[Json]:
        """The messages as plain `{role, content}`."""
        return messages_json(self.messages)

    @property
    def tools_json(self) -> str:
        """The menu, byte for byte as in the canonical file."""
        return canonical_json(self.task.tools)

    @property
    def provenance(self) -> dict[str, Any]:
        """What critics, filters and reports need to know of a row: never used by the reward."""
        return {
            "task_id": self.task.task_id,
            "kind": self.task.kind,
            "domain": self.task.domain,
            "harness": self.harness,
            "pass_rate": self.pass_rate,
            "band": self.band,
            "env_index": self.env_index,
            "group_key": self.group_key,
        }


def example(row: Row, index: int, split: str, harness: str, render: Render) -> Example:
    """The example of a row; `harness` is the answer format that the messages ask for."""
    values = cast(Mapping[str, Any], row)
    task = task_from_row(row)
    return Example(
        index=index,
        split=split,
        task=task,
        messages=render(task),
        gold=gold(task, harness),
        harness=harness,
        pass_rate=values["pass_rate"],
        band=values["band"],
        env_index=values["env_index"],
        group_key=f"{task.task_id}:{harness}",
    )


def gold(task: Task, harness: str) -> str:
    """What a reward needs to judge an answer, as one canonical JSON string, so that no reader infers its types."""
    parts: dict[str, Json] = {
        "task_id": task.task_id,
        "harness": harness,
        "rule": task.rule,
        "tools": task.tools,
        "calls": task.calls,
        "accept": task.accept,
        "may_omit": task.may_omit,
    }
    if isinstance(task.outcome, Mapping) and task.outcome.get("alternatives"):
        parts["alternatives"] = task.outcome["alternatives"]
    return canonical_json(parts)
