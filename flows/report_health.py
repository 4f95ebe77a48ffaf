"""Is a set healthy? Named checks, each with its threshold in words and what to do when it does not hold.

In: `Facts`. Out: `Check`s. Thresholds are for sets that GRPO learns from, and stand here alone; they are no rules:
a set that fails one is published all the same, and may be what was wanted. What cannot be known is not judged.
Not promised: that a healthy set teaches anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from data.ledger import PUBLISHED
from data.rule import BANDS, seats
from flows.report_facts import Facts

MIX = 0.10
ENGINE = 0.01
SUSPECTS = 0.10
UNSOLVED = 0.40
DEAD = 0.30
YIELD = 0.10
DUPLICATES = 0.20
TOOLS_SHARE, TOOLS_MOST = 0.2, 50
DOMAIN = 0.40


@dataclass(frozen=True, slots=True)
class Check:
    """One question about a set."""

    name: str
    found: str
    limit: str
    """What is healthy."""
    holds: bool
    advice: str
    """What to do when it does not hold."""


def examine(facts: Facts) -> tuple[Check, ...]:
    """All checks that the facts allow, in the order in which a person should read them."""
    return (*_of_the_set(facts), *_of_the_making(facts))


def verdict(checks: Sequence[Check]) -> str:
    """One sentence."""
    failing = [check.name for check in checks if not check.holds]
    if not failing:
        return f"Healthy: all {len(checks)} checks hold."
    return f"Look at {len(failing)} of {len(checks)} checks: {', '.join(failing)}."


def _of_the_set(facts: Facts) -> Iterator[Check]:
    """What is published: enough, of the right difficulty, about many things."""
    spread, rule = facts.spread, facts.rule
    yield Check(
        "size", f"{spread.tasks:,} of {rule.n:,} tasks", "all that were asked for", spread.tasks >= rule.n,
        "raise `--budget`; or widen what is accepted: `--mix`, `--domain`, more tools",
    )  # fmt: skip
    wanted = seats(spread.tasks, rule.mix)
    moved = sum(max(0, wanted[band] - spread.bands[band]) for band in BANDS) / max(1, spread.tasks)
    yield Check(
        "mix", f"{moved:.0%} of the tasks in another band than asked", f"at most {MIX:.0%}", moved <= MIX,
        "raise `--budget`; where hard ones lack ask for more calls (`--kinds`), where easy ones lack for fewer; "
        "or ask for the mix that this solver gives",
    )  # fmt: skip
    limit = min(DEAD, rule.max_dead_share)
    always, never = spread.rates[1.0], spread.rates[0.0]
    yield Check(
        "dead groups",
        f"{spread.dead:.0%} of groups of 8 expected without signal ({always:,} tasks always right, {never:,} never)",
        f"at most {limit:.0%}", spread.dead <= limit + 1e-9,
        "ask for more of the frontier (`--mix`), or for fewer of them (`--max-dead-share`)",
    )  # fmt: skip
    least = min(TOOLS_MOST, math.ceil(TOOLS_SHARE * spread.tasks))
    yield Check(
        "tools", f"{len(spread.tools):,} tools called", f"at least {least}", len(spread.tools) >= least,
        "give more tools (`--tools`) or domains; what is asked for only with few tools teaches those few",
    )  # fmt: skip
    if spread.domains:
        name, most = min(spread.domains.items(), key=lambda item: (-item[1], item[0]))
        large = max(DOMAIN, 2 / len(facts.fates.briefs or spread.domains), rule.quotas.get(name, 0.0) + 0.05)
        yield Check(
            "one domain", f"{most / spread.tasks:.0%} of the tasks are about {name}", f"at most {min(1.0, large):.0%}",
            most <= large * spread.tasks,
            "see in the rejections where the other domains' briefs end; or hold it down with `--quota`",
        )  # fmt: skip


def _of_the_making(facts: Facts) -> Iterator[Check]:
    """How the briefs fared: what a run that goes on like this wastes, or hides."""
    fates, briefs = facts.fates, max(1, facts.briefs)
    count = {(row.stage, row.code): row.count for row in facts.ledger}
    lost = sum(number for (stage, _), number in count.items() if stage in ("propose", "solve"))
    yield Check(
        "engine", f"{lost / briefs:.1%} of the briefs without an answer", f"at most {ENGINE:.0%}",
        lost <= ENGINE * briefs, "see the run's log: the engine was away, overloaded, or refused requests",
    )  # fmt: skip
    out = count.get((PUBLISHED, ""), 0)
    good = out + count.get(("select", "surplus"), 0)
    yield Check(
        "yield", f"{100 * out / briefs:.1f} published per 100 briefs, {100 * good / briefs:.1f} good enough to be",
        f"at least {YIELD:.0%} good enough", good >= YIELD * briefs,
        "see the largest rejections below: a larger generator, fewer calls a task, or longer completions help most",
    )  # fmt: skip
    if not fates.measured:
        return
    shares = (
        ("suspects", fates.suspects, "have a gold that half of the attempts dispute", SUSPECTS,
         "read the examples: if the solver is right, the generator is too weak; if not, both misread alike"),
        ("never solved", fates.unsolved, "were never solved", UNSOLVED,
         "too hard, or wrong in a way no check sees: ask for fewer calls, take a stronger solver, or raise `--k`"),
        ("duplicates", fates.duplicates, "ask what another task asks", DUPLICATES,
         "widen `--domain` and `--tools`; a generator that repeats itself wants more to write about"),
    )  # fmt: skip
    for name, number, words, limit, advice in shares:
        share = number / fates.measured
        yield Check(name, f"{share:.1%} of measured tasks {words}", f"at most {limit:.0%}", share <= limit, advice)
