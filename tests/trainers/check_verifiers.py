"""Runs where verifiers and the exported taskset package are installed: loads it and scores one trace of each kind."""

import asyncio
import json
import sys
from types import SimpleNamespace

from sparring_taskset import SparringTaskset

import verifiers.v1 as vf

golds, rows = json.loads(sys.argv[2]), int(sys.argv[3])
tasks = list(SparringTaskset(vf.TasksetConfig(id="sparring_taskset")))
assert len(tasks) == rows
assert len({task.key for task in tasks}) == rows


def scored(task, reply: str) -> float:
    found: dict[str, float] = {}
    trace = SimpleNamespace(
        last_reply=reply,
        metrics={},
        rewards={},
        record_metric=lambda name, value: None,
        record_reward=lambda name, value, weight=1.0: found.update({name: value * weight}),
    )
    asyncio.run(task.score(trace))
    return sum(found.values())


for task in tasks:
    assert scored(task, golds[task.data.id]) == 1.0
    assert scored(task, "no idea") == 0.0
    assert json.loads(task.data.gold)["tools"]
print(f"verifiers {vf.__name__}: {rows} tasks loaded, gold 1.0, no answer 0.0, by task.score")
