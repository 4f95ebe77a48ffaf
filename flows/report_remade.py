"""The report of a version that was made of another one: a run's, with what changed under its headline.

In: the new version's own tables, and its origin, rule and ledger. Out: `Curriculum`. Nothing here knows what changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from data.ledger import LedgerRow, tally
from data.manifest import Origin
from data.records import Score, Task
from data.rows import score_from_row, task_from_row
from data.rule import Rule
from data.screen import earlier_versions
from data.storage import Storage
from flows.report_facts import Facts, Fates, Spread, versions_before
from flows.reports import TABLE_ROWS, Curriculum, task_rows


def remade(
    store: Storage,
    name: str,
    origin: Origin,
    rule: Rule,
    tasks: Iterable[pa.Table],
    candidates: Iterable[pa.Table],
    costs: Sequence[LedgerRow],
    *,
    changes: Sequence[str],
    shortfall: str = "",
) -> Curriculum:
    """All that is said of the version, still without its number. `candidates` balance to its ledger, with `costs`."""
    fates, spread = Fates(), Spread()
    ledger = tally(fates.watch(candidates), costs)
    first: list[tuple[Task, Score]] = []
    for table in spread.watch(tasks):
        rows = table.slice(0, TABLE_ROWS - len(first)).to_pylist()
        first += [(task_from_row(row), score_from_row(row)) for row in rows]
    past = versions_before(earlier_versions(store, name, origin.run))
    facts = Facts(name, "", origin, rule, ledger, spread, fates, past)
    return Curriculum(facts, shortfall=shortfall, tasks=task_rows(first), changes=changes)
