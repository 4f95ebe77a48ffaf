"""Of many published tasks the report shows a few, and holds no more of them."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from flows.harvest import nearest


def measured(seed: int) -> list[tuple[int, Any, Any]]:
    """Tasks of few tools, in the order of their briefs, many of them equally near."""
    random = Random(seed)
    return [
        (
            index,
            SimpleNamespace(calls=[{"name": random.choice("abcde")} for _ in range(random.choice((1, 2)))]),
            SimpleNamespace(pass_rate=random.randrange(9) / 8),
        )
        for index in range(random.randrange(60))
    ]


@pytest.mark.parametrize("seed", range(40))
def test_the_samples_are_those_that_sorting_all_tasks_would_give(seed: int) -> None:
    ranked = sorted(measured(seed), key=lambda one: (abs(one[2].pass_rate - 0.5), one[0]))
    first: dict[tuple[str, ...], int] = {}
    for index, task, _ in ranked:
        first.setdefault(tuple(call["name"] for call in task.calls), index)
    assert [index for index, *_ in nearest(measured(seed), 3)] == list(first.values())[:3]
