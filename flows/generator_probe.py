"""Two generators on the same briefs: what each brief taught a frozen solver.

In: two players, a solver, a seed, and a folder. Out: two matrices of items and one column, in the order of the briefs:
the difficulty reward (RULES A10) of the task that came of a brief, 0 where no check let it pass, 1 at the frontier. The
briefs are the first of the distribution without steering, under a seed that no round proposes or trains with.
They are runs in small: chunks, journals and keys as of any run, so a killed probe goes on. Knows no Prefect.
"""

from __future__ import annotations

from pathlib import Path

from data.chunks import read_chunk
from data.schema import SCORES, VERIFIED
from flows import context, steps
from flows.evolve_settings import EvolveConfig
from flows.own_tools import gathered
from flows.preflight import players

PROBE_BRIEFS = 96
"""Briefs of a probe: an interval of some 8 points to either side where players differ on half of them."""
OF_A_KIND = 6
"""Briefs for each item of a kind that a solver's probe is cut to (`--probe-items`): it has six kinds."""
Matrix = list[list[float]]


def learnable(
    folder: Path, root: Path, config: EvolveConfig, solver: str, generators: tuple[str, str], *, seed: int
) -> tuple[Matrix, Matrix]:
    """The matrix of each generator."""
    first, second = (
        _rewards(folder / f"{place}", root, config, {"generator": name, "solver": solver}, seed)
        for place, name in enumerate(generators)
    )
    return first, second


def _rewards(work: Path, root: Path, config: EvolveConfig, lineup: dict[str, str], seed: int) -> Matrix:
    """What each brief came to with one generator."""
    run = gathered(config.of_round(0, root, {}, lineup).model_copy(update={"workdir": str(work), "seed": seed}))
    briefs = min(PROBE_BRIEFS, OF_A_KIND * config.probe_items or PROBE_BRIEFS)
    work.mkdir(parents=True, exist_ok=True)
    context.save(str(work), run, *players(run))
    try:
        proposed = steps.propose(str(work), 0, briefs)
        verified = steps.verify(str(work), proposed)
        scores = steps.rate(str(work), steps.solve(str(work), verified))
    finally:
        context.forget(str(work))
    rewards = {row["task_id"]: row["difficulty_reward"] for row in read_chunk(scores, SCORES).to_pylist()}
    return [[rewards.get(row["task_id"], 0.0)] for row in read_chunk(verified, VERIFIED).to_pylist()]
