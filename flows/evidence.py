"""What the briefs of a published version came to, by cell: what curriculum control learns from.

In: a version, whose candidates are every brief's fate. Out: for each cell how many briefs had an answer, and what
their tasks were worth (`generator.control`). A duplicate, a contaminated task and a suspect are worth nothing.
Not promised: anything of a round that published nothing.
"""

from __future__ import annotations

from data.digests import plain_values
from data.ledger import PUBLISHED
from data.parquet import read_tables
from data.replay import FILE
from data.rows import brief_from_json
from data.version import Version
from generator.control import Cell, Evidence, cell_of, disagreement

_COLUMNS = ("brief_json", "stage", "code", "attempts", "passes")
_GOOD = frozenset({"surplus", "unreachable", "band_excluded", "domain_excluded", "flat_reward", "dead_groups"})
"""Codes of `select` that turn a task down for its difficulty or for want of a seat, not for what it is."""


def evidence(version: Version) -> dict[Cell, Evidence]:
    """The evidence of one version."""
    seen: dict[Cell, Evidence] = {}
    for table in read_tables(version.storage, FILE, _COLUMNS):
        columns = [plain_values(table[name]) for name in _COLUMNS]
        for brief, stage, code, attempts, passes in zip(*columns, strict=True):
            if stage in ("propose", "solve"):  # The engine's fault.
                continue
            fresh = stage == PUBLISHED or (stage == "select" and code in _GOOD)
            worth = disagreement(attempts, passes) if fresh and attempts > 1 else 0.0
            seen.setdefault(cell_of(brief_from_json(brief)), Evidence()).add(1, worth)
    return seen
