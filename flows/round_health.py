"""Is an evolution well? The figures of each round, and named alarms where it collapses, starves or is gamed.

In: a round's version and the figures of the first round. Out: `Health`: numbers that are never null (what was not
measured is named with the reason, not given a number), and alarms. What a published set is judged by stands in
`flows.report_health`; here stands what only a line of rounds shows.
Diversity is free of embeddings: tools called, and different pairs of words among all pairs of the same number of
questions. Not promised: that a round without an alarm taught anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

from data.digests import plain_values
from data.ledger import PUBLISHED
from data.parquet import read_tables
from data.replay import FILE
from data.version import Version
from flows.report_facts import DUPLICATES, Facts
from generator.reward import RewardParts

STARVED = 0.05
COLLAPSED = 0.5
REPEATED = 0.6
GAMED = 0.3
ALARMS = ("Starved", "Collapsed", "Gamed")
WINDOW = 32
"""Questions whose words are compared at once: as many in every round, for more words repeat more."""

REWARDS: Mapping[str, str] = {
    **{part.name: f"reward_{part.name}" for part in fields(RewardParts) if part.name != "gate"},
    "reward": "reward",
}
"""Columns of the generator's reward, each with the name of the figure that is its mean."""
GAMING: Mapping[str, frozenset[str]] = {
    "leaks": frozenset({"leaks_answer"}),
    "copies": frozenset({"placeholder"}),
    "ambiguous": frozenset({"ambiguous_tools", "better_tool"}),
}
"""What a generator does that has found an easier way to its reward than good tasks: the answer in the question, the
prompt's own words, menus in which several tools would do. Each is turned down, and counted here by its codes."""
_COLUMNS = ("stage", "code", "question", "pass_rate", "reward_values", *REWARDS)


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that must not go on. `name` is also the name of the state in which the round ends."""

    name: str
    why: str
    advice: str


@dataclass(slots=True)
class _Counts:
    """What passes while the candidates are read."""

    codes: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    measured: int = 0
    band: int = 0
    published: int = 0
    dead: int = 0
    flat: int = 0
    repeated: int = 0
    earlier: int = 0
    rewards: dict[str, float] = field(default_factory=lambda: dict.fromkeys(REWARDS, 0.0))
    questions: list[str] = field(default_factory=list)

    def add(self, row: Mapping[str, Any]) -> None:
        if row["stage"] == "propose":
            return
        self.answered += 1
        self.codes[row["code"]] += 1
        for name in REWARDS:
            self.rewards[name] += row[name] or 0.0
        if row["pass_rate"] is None:
            return
        self.measured += 1
        self.band += 0.25 <= row["pass_rate"] <= 0.75
        self.repeated += row["code"] in DUPLICATES
        self.earlier += row["code"] == "published_before"
        if row["stage"] == PUBLISHED:
            self.published += 1
            self.dead += row["pass_rate"] in (0.0, 1.0)
            self.flat += row["reward_values"] == 1
        self.questions.append(row["question"])


def figures(version: Version, facts: Facts) -> dict[str, float]:
    """The figures of a round, from its version."""
    counts = _Counts()
    for table in read_tables(version.storage, FILE, _COLUMNS):
        columns = [plain_values(table[name]) for name in _COLUMNS]
        for values in zip(*columns, strict=True):
            counts.add(dict(zip(_COLUMNS, values, strict=True)))
    answered, measured = max(1, counts.answered), max(1, counts.measured)
    found = {
        "briefs": facts.briefs,
        "answered": counts.answered,
        "proven": facts.fates.proven.total(),
        "measured": counts.measured,
        "in_band": counts.band,
        "published": counts.published,
        "in_band_share": counts.band / measured,
        "yield": counts.band / max(1, facts.briefs),
        "dead_expected": facts.spread.dead,
        "dead_seen": counts.dead / max(1, counts.published),
        "flat_seen": counts.flat / max(1, counts.published),
        "repeated_share": counts.repeated / measured,
        "earlier_share": counts.earlier / measured,
        "tools": len(facts.spread.tools),
        "wording": wording(counts.questions),
    }
    found |= {figure: counts.rewards[name] / answered for name, figure in REWARDS.items()}
    shares = {name: sum(counts.codes[code] for code in codes) / answered for name, codes in GAMING.items()}
    return {name: round(float(value), 6) for name, value in {**found, **shares}.items()}


def wording(questions: Sequence[str]) -> float:
    """Different pairs of neighbouring words among all such pairs, in [0, 1]: the mean over windows of questions.

    A last window that is not full counts only where it is the only one.
    """
    whole = len(questions) - len(questions) % WINDOW or len(questions)
    shares = []
    for start in range(0, whole, WINDOW):
        window = questions[start : start + WINDOW]
        pairs = Counter(pair for text in window for pair in pairwise(text.casefold().split()))
        shares.append(len(pairs) / pairs.total() if pairs else 1.0)
    return sum(shares) / len(shares) if shares else 1.0


def nothing(briefs: int) -> dict[str, float]:
    """The figures of a round that published nothing."""
    return {"briefs": float(briefs), "published": 0.0, "measured": 0.0, "in_band": 0.0, "in_band_share": 0.0}


def alarms(found: Mapping[str, float], first: Mapping[str, float]) -> list[Alarm]:
    """What is wrong with a round, against the first of its evolution that published (perhaps itself)."""
    told = []
    if not found["published"] or found["in_band_share"] < STARVED:
        told.append(
            Alarm(
                "Starved",
                f"{found['in_band_share']:.1%} of {found['measured']:.0f} measured tasks lie at the frontier "
                f"(at least {STARVED:.0%})",
                "ask for other kinds (`--kinds`), more domains or tools, or another solver: this one finds all of it "
                "too easy or too hard",
            )
        )
    if not found["published"]:
        return told
    if found["wording"] < COLLAPSED * first["wording"]:
        told.append(
            Alarm(
                "Collapsed",
                f"{found['wording']:.2f} of the pairs of words in the questions are different, {first['wording']:.2f} "
                f"at first (at least {COLLAPSED:.0%} of that)",
                _REPEATS,
            )
        )
    elif found["repeated_share"] > REPEATED:
        why = f"{found['repeated_share']:.1%} of the measured tasks ask what another asks (at most {REPEATED:.0%})"
        told.append(Alarm("Collapsed", why, _REPEATS))
    gamed = sum(found[name] for name in GAMING)
    if gamed > max(GAMED, 2 * sum(first.get(name, 0.0) for name in GAMING)):
        each = ", ".join(f"{found[name]:.1%} {name}" for name in GAMING)
        told.append(
            Alarm(
                "Gamed",
                f"{gamed:.1%} of the answers take an easier way than good tasks ({each}; at most {GAMED:.0%})",
                "see the rejections of the round's report; train the generator less (`--steps`), or anew",
            )
        )
    return told


_REPEATS = "the generator repeats itself: keep the one before, train it less (`--steps`), or widen domains and tools"
