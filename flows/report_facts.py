"""What a report is made of: what the tasks are, what became of the briefs, who played, what it cost.

In: tables, a flow's own or a version's (`facts_of`). Out: `Facts`, which the report, `sets show` and the health checks
share, so that they never say different things. Everything is counted as it passes; only a few examples are kept.
Not promised: suspects and tasks that nobody solved of versions made before candidates kept their measurement.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from data import log
from data.digests import plain_values
from data.errors import StoreError
from data.figures import Summary
from data.ledger import PUBLISHED, LedgerRow
from data.manifest import Origin
from data.parquet import read_tables
from data.records import Score, Task
from data.replay import FILE, rule_of
from data.rows import raw_text
from data.rule import Rule
from data.storage import Storage
from data.version import Version, logged_version

EXAMPLES = 20
"""Rejected briefs of each reason that are kept."""
PAST = 4
"""Earlier versions that a version is set beside."""
WELL = frozenset({(PUBLISHED, ""), ("select", "surplus")})
"""The bins of briefs that nothing is wrong with."""
DUPLICATES = frozenset({"duplicate", "near_duplicate", "published_before"})
_TASKS = ("pass_rate", "domain", "kind", "band", "calls_json")
_FATES = ("domain", "stage", "check", "code", "task_id", "pass_rate", "consensus_share", "consensus_is_gold")


@dataclass(slots=True)
class Spread(Summary):
    """What the tasks of a set are: how hard, about what, with which tools."""

    tools: Counter[str] = field(default_factory=Counter)
    """Tasks by tool that their gold calls."""
    menus: set[str] = field(default_factory=set)
    """Names of all tools that were offered; known only where whole tasks were counted."""

    def add(self, task: Task, score: Score) -> None:
        self.rates[score.pass_rate] += 1
        self.bands[score.band] += 1
        self.domains[task.domain] += 1
        self.kinds[task.kind] += 1
        self.tools.update({str(call["name"]) for call in task.calls})
        self.menus.update(str(tool["name"]) for tool in task.tools)

    def count(self, table: pa.Table) -> None:
        """The same from the columns `_TASKS`, but for the menus."""
        Summary.count(self, table)
        for text in plain_values(table["calls_json"]):
            self.tools.update({str(call["name"]) for call in json.loads(text)})

    @property
    def tasks(self) -> int:
        return self.rates.total()

    @property
    def mean(self) -> float:
        """Mean pass rate."""
        return sum(rate * count for rate, count in sorted(self.rates.items())) / max(1, self.tasks)

    @property
    def dead(self) -> float:
        """Expected share of groups of 8 attempts that do not disagree, and so teach GRPO nothing."""
        each = (count * (rate**8 + (1 - rate) ** 8) for rate, count in sorted(self.rates.items()))
        return sum(each) / max(1, self.tasks)


@dataclass(frozen=True, slots=True)
class Example:
    """A brief that became no task: why, and what the generator wrote."""

    index: int
    domain: str
    detail: str
    text: str
    """The question where one was read, and the gold where it was proven; else the completion."""


def _written(row: Mapping[str, Any]) -> str:
    if row["question"] is None:
        return raw_text(row["completion"])
    return str(row["question"]) if row["task_id"] is None else f"{row['question']}\ngold: {row['calls_json']}"


@dataclass(slots=True)
class Fates:
    """What became of the briefs, beyond the ledger."""

    briefs: Counter[str] = field(default_factory=Counter)
    """By domain; so the two below."""
    proven: Counter[str] = field(default_factory=Counter)
    published: Counter[str] = field(default_factory=Counter)
    measured: int = 0
    unsolved: int = 0
    suspects: int = 0
    duplicates: int = 0
    reasons: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Rejected briefs by stage, check and code; so the examples."""
    examples: defaultdict[tuple[str, str, str], list[Example]] = field(default_factory=lambda: defaultdict(list))

    def watch(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """The same candidate tables, counted on their way, and the first of each reason kept."""
        for table in tables:
            for place, reason in self.count(table):
                kept = self.examples[reason]
                if len(kept) < EXAMPLES:
                    row = table.slice(place, 1).to_pylist()[0]
                    kept.append(Example(row["index"], row["domain"], raw_text(row["detail"]), _written(row)))
            yield table

    def count(self, table: pa.Table) -> list[tuple[int, tuple[str, str, str]]]:
        """Count the candidates of a table with the columns `_FATES`; those that it lacks are null.

        Returns where those that something was wrong with stand, each with its reason.
        """
        columns = [
            plain_values(table[name]) if name in table.column_names else [None] * table.num_rows for name in _FATES
        ]
        rejected = []
        rows = enumerate(zip(*columns, strict=True))
        for place, (domain, stage, check, code, task, rate, share, gold) in rows:
            self.briefs[domain] += 1
            self.proven[domain] += task is not None
            self.published[domain] += stage == PUBLISHED
            self.duplicates += code in DUPLICATES
            if (stage, code) not in WELL:
                self.reasons[stage, check, code] += 1
                rejected.append((place, (stage, check, code)))
            if rate is not None:
                self.measured += 1
                self.unsolved += rate <= 0
                self.suspects += share >= 0.5 and not gold
        return rejected


@dataclass(frozen=True, slots=True)
class Past:
    """A version as others are set beside it."""

    version: str
    origin: Origin
    spread: Spread


@dataclass(frozen=True, slots=True)
class Facts:
    """One version in figures."""

    name: str
    version: str
    origin: Origin
    rule: Rule
    ledger: tuple[LedgerRow, ...]
    spread: Spread
    fates: Fates
    past: tuple[Past, ...] = ()
    """The versions before it, oldest first."""

    @property
    def versions(self) -> tuple[Past, ...]:
        """Those before it, and itself."""
        return (*self.past, Past(self.version, self.origin, self.spread))

    @property
    def briefs(self) -> int:
        return sum(row.count for row in self.ledger)

    @property
    def frontier(self) -> int:
        return self.spread.bands["frontier"]

    def tokens(self, stage: str = "") -> int:
        """What the solver cost (`solve`), a bin's generator (its stage), or all of it."""
        return sum(row.tokens for row in self.ledger if not stage or row.stage == stage)

    @property
    def seconds(self) -> float:
        return sum(row.seconds for row in self.ledger)


def facts_of(store: Storage, version: Version) -> Facts:
    """The facts of a published version, read again from its folder and its set's log."""
    manifest = version.manifest
    fates = Fates()
    for table in read_tables(version.storage, FILE, _FATES):
        fates.count(table)
    before = []
    for entry in log.entries(store.at(manifest.name)):
        if entry.version == manifest.version:
            break
        before.append(entry)
    else:
        before = []  # A version that lies elsewhere has no place in this log.
    past = []
    for entry in before[-PAST:]:
        with suppress(StoreError):  # A damaged one is no reason not to show this one; `sets log` names it.
            past.append(past_of(logged_version(store, manifest.name, entry)))
    return Facts(
        manifest.name, manifest.version, manifest.origin, rule_of(manifest), manifest.ledger, spread_of(version), fates,
        tuple(past),
    )  # fmt: skip


def spread_of(version: Version) -> Spread:
    """What the tasks of a version are."""
    spread = Spread()
    for table in version.stored_tasks(columns=_TASKS):
        spread.count(table)
    return spread


def past_of(version: Version) -> Past:
    """A version as one to be set beside."""
    return Past(version.manifest.version, version.manifest.origin, spread_of(version))


def player(origin: Origin, slot: str) -> Mapping[str, Any]:
    """What an origin says of a player; nothing of one that it does not name."""
    said: Any = origin.players.get(slot)
    return said if isinstance(said, Mapping) else {}


def weights(said: Mapping[str, Any], length: int = 12) -> str:
    """A player's weights by the beginning of their digest."""
    return str(said.get("digest", "")).removeprefix("sha256:")[:length]


def versions_before(versions: Sequence[Version]) -> tuple[Past, ...]:
    """The newest of the versions, as ones to be set beside."""
    return tuple(past_of(version) for version in versions[-PAST:])
