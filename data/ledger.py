"""The ledger: every brief in exactly one bin, and the bins add up.

In: candidate tables, whose `(stage, code)` is each brief's bin, and what the steps cost. Out: ledger rows.
A bin's `tokens` are those the generator spent on its briefs; what a step cost as a whole stands in a row of its own
with `code` empty and `count` 0, so that costs are never counted as briefs.
Not promised: that seconds are the same twice; no digest covers them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa

from data.errors import StoreError
from data.schema import LEDGER, to_table

PUBLISHED = "published"
"""The stage of the briefs that became tasks of the version; its `code` is empty."""

STAGES = ("propose", "verify", "solve", "confirm", "select", PUBLISHED)
"""The order in which stages are shown; others stand before `published` in the order of their names."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One bin: how many briefs ended at `stage` for `code`; or, with `count` 0, what a stage cost (seconds: wall)."""

    stage: str
    code: str
    count: int
    tokens: int = 0
    seconds: float = 0.0


def tally(candidates: Iterable[pa.Table], costs: Sequence[LedgerRow] = ()) -> tuple[LedgerRow, ...]:
    """The ledger of candidate tables (`data.schema.CANDIDATES`), taken one at a time, with the costs of the steps."""
    counts: Counter[tuple[str, str]] = Counter()
    tokens: Counter[tuple[str, str]] = Counter()
    for table in candidates:
        columns = [table[name].to_pylist() for name in ("stage", "code", "prompt_tokens", "completion_tokens")]
        for stage, code, asked, answered in zip(*columns, strict=True):
            counts[stage, code] += 1
            tokens[stage, code] += asked + answered
    rows = [LedgerRow(stage, code, count, tokens[stage, code]) for (stage, code), count in counts.items()]
    return tuple(sorted([*rows, *costs], key=_place))


def balance(ledger: Iterable[LedgerRow], *, briefs: int, published: int) -> None:
    """Raise `StoreError` unless the bins add up to the briefs and `published` is as large as the version."""
    rows = list(ledger)
    total = sum(row.count for row in rows)
    named = sum(row.count for row in rows if row.stage == PUBLISHED)
    if total != briefs:
        raise StoreError(f"the ledger has {total} briefs in its bins, but there were {briefs}", hint=_OURS)
    if named != published:
        raise StoreError(f"the ledger names {named} published tasks, but there are {published}", hint=_OURS)


_OURS = "this is a fault of sparring: keep the work folder and report it"


def ledger_table(ledger: Iterable[LedgerRow]) -> pa.Table:
    """The rows as a table of `data.schema.LEDGER`."""
    return to_table([asdict(row) for row in ledger], LEDGER)


def _place(row: LedgerRow) -> tuple[int, str, str]:
    known = STAGES.index(row.stage) if row.stage in STAGES else STAGES.index(PUBLISHED) - 0.5
    return int(known * 2), row.stage, row.code
