"""What a replay costs: built-in worlds, and generated tools in monty.

In: the number of tasks to draw. Out: for each built-in world the median and the slowest replay of one gold (the calls
run once from the initial state), the whole of check 6 (two replays, references, outcome) and, for monty, one call with
its session. Ratios to the target of 1 ms at the median. Not promised: the same figures on a busy machine.

    python -m benchmarks.execution [tasks a world]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from random import Random
from statistics import median

from data.canonical import canonical_json
from data.records import JsonObject, Verdict
from generator.worlds import MOST_CALLS, WorldDraw, draw
from tests.verifiers.hostile_tools import HOSTILE
from verifiers.execution import check_execution, replay
from verifiers.menu import Menu, read_menu
from verifiers.sandbox import run_source
from verifiers.worlds import WORLDS

TARGET, MOST = 1e-3, 1.0
SOURCE = """
def run(state, arguments):
    item = state["stock"][arguments["sku"]]
    item["count"] -= arguments["count"]
    return {"left": item["count"], "name": item["name"]}
"""


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The fastest of a few runs."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def gold(task: WorldDraw) -> tuple[float, float]:
    """Seconds of one replay, and of the whole check."""
    menu = read_menu(list(task.tools))
    assert isinstance(menu, Menu)
    found = check_execution(menu, task.calls, task.world, task.implementations)
    assert not isinstance(found, Verdict), f"{task.name}: {found}"
    once = seconds(lambda: replay(task.world, task.implementations, task.calls))
    return once, seconds(lambda: check_execution(menu, task.calls, task.world, task.implementations))


def main(tasks: int) -> None:
    """Print the table."""
    print(f"{'world':12} {'bytes':>7} {'replay, median':>15} {'slowest':>10} {'check 6':>10}")
    everything = []
    for name in WORLDS:
        drawn = [draw(name, Random(f"1:{index}"), 1 + index % MOST_CALLS) for index in range(tasks)]
        times = [gold(task) for task in drawn]
        everything += [once for once, _ in times]
        size = median(len(canonical_json(task.world)) for task in drawn)
        middle, slowest = median(once for once, _ in times), max(once for once, _ in times)
        whole = median(both for _, both in times)
        print(f"{name:12} {size:7.0f} {middle * 1e6:12.0f} us {slowest * 1e6:7.0f} us {whole * 1e6:7.0f} us")
    print(f"all worlds: median {median(everything) * 1e6:.0f} us, {median(everything) / TARGET:.2f} of the target")
    state: JsonObject = {"stock": {f"sku-{i}": {"count": i, "name": f"thing {i}"} for i in range(100)}}
    arguments: JsonObject = {"sku": "sku-7", "count": 2}
    run_source(SOURCE, state, arguments)  # starts the workers
    calls = [seconds(lambda: run_source(SOURCE, state, arguments), 1) for _ in range(500)]
    print(f"monty, one call on {len(canonical_json(state))} bytes: median {median(calls) * 1e6:.0f} us")
    menu = read_menu([{"name": "tool", "parameters": {}}])
    assert isinstance(menu, Menu)
    once: list[JsonObject] = [{"name": "tool", "arguments": {}}]
    taken = {
        name: seconds(lambda source=source: check_execution(menu, once, {"a": [1]}, {"tool": source}), 1)  # type: ignore[misc]
        for name, (_, source) in HOSTILE.items()
    }
    for name in sorted(taken, key=taken.__getitem__)[-3:]:
        print(f"hostile: {name}, {taken[name]:.2f} s, {taken[name] / MOST:.2f} of the target")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
