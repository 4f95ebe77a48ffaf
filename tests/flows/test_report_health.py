"""Each health check says no where it should, and only there; what cannot be known is not judged."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from data.ledger import LedgerRow
from data.records import Band
from data.rule import Rule
from flows.report_facts import Facts, Fates, Spread
from flows.report_health import examine, verdict
from tests.flows.report_support import ORIGIN

MIX: dict[Band, float] = {"frontier": 0.6, "hard": 0.2, "easy": 0.2}
PUBLISHED = LedgerRow("published", "", 100)
GOOD = Facts(
    name="demo",
    version="v0001-abc",
    origin=ORIGIN,
    rule=Rule(100, MIX),
    ledger=(
        LedgerRow("verify", "ungrounded", 600),
        LedgerRow("select", "surplus", 300),
        LedgerRow("published", "", 100),
    ),
    spread=Spread(
        rates=Counter({0.5: 60, 0.125: 20, 0.875: 20}),
        bands=Counter(frontier=60, hard=20, easy=20),
        domains=Counter({f"d{place}": 20 for place in range(5)}),
        tools=Counter({f"t{place}": 4 for place in range(25)}),
    ),
    fates=Fates(briefs=Counter({f"d{place}": 200 for place in range(5)}), measured=400),
)


def failing(facts: Facts) -> list[str]:
    return [check.name for check in examine(facts) if not check.holds]


def test_a_good_set_is_healthy() -> None:
    assert failing(GOOD) == []
    assert verdict(examine(GOOD)) == "Healthy: all 10 checks hold."


BAD = {
    "size": replace(GOOD, rule=Rule(101, MIX)),
    "mix": replace(GOOD, spread=replace(GOOD.spread, bands=Counter(frontier=40, hard=40, easy=20))),
    "dead groups": replace(GOOD, spread=replace(GOOD.spread, rates=Counter({0.5: 60, 1.0: 40}))),
    "tools": replace(GOOD, spread=replace(GOOD.spread, tools=Counter({f"t{place}": 5 for place in range(19)}))),
    "one domain": replace(GOOD, spread=replace(GOOD.spread, domains=Counter(d0=41, d1=29, d2=30))),
    "engine": replace(GOOD, ledger=(*GOOD.ledger, LedgerRow("propose", "no_completion", 11))),
    "yield": replace(GOOD, ledger=(LedgerRow("verify", "ungrounded", 901), PUBLISHED)),
    "suspects": replace(GOOD, fates=replace(GOOD.fates, suspects=41)),
    "never solved": replace(GOOD, fates=replace(GOOD.fates, unsolved=161)),
    "duplicates": replace(GOOD, fates=replace(GOOD.fates, duplicates=81)),
}


@pytest.mark.parametrize(("name", "facts"), BAD.items(), ids=list(BAD))
def test_one_fault_fails_its_own_check_alone(name: str, facts: Facts) -> None:
    assert failing(facts) == [name]
    assert verdict(examine(facts)) == f"Look at 1 of 10 checks: {name}."


EDGE = {
    "engine": replace(
        GOOD, ledger=(LedgerRow("verify", "x", 890), LedgerRow("solve", "x", 10), LedgerRow("published", "", 100))
    ),
    "suspects": replace(GOOD, fates=replace(GOOD.fates, suspects=40)),
    "never solved": replace(GOOD, fates=replace(GOOD.fates, unsolved=160)),
    "one domain": replace(GOOD, spread=replace(GOOD.spread, domains=Counter(d0=40, d1=30, d2=30))),
}


@pytest.mark.parametrize("facts", EDGE.values(), ids=list(EDGE))
def test_a_threshold_itself_is_healthy(facts: Facts) -> None:
    assert failing(facts) == []


@pytest.mark.parametrize(
    ("briefs", "quotas"),
    [(Counter("a"), {}), (Counter("ab"), {}), (Counter("abcdef"), {"d0": 0.6})],
)
def test_a_domain_may_be_as_large_as_was_asked(briefs: Counter[str], quotas: dict[str, float]) -> None:
    only = replace(GOOD.spread, domains=Counter(d0=60, d1=40))
    facts = replace(GOOD, spread=only, fates=replace(GOOD.fates, briefs=briefs), rule=Rule(100, MIX, quotas))
    assert failing(facts) == []


def test_tasks_left_over_are_no_waste() -> None:
    ledger = (LedgerRow("verify", "x", 890), LedgerRow("select", "surplus", 109), LedgerRow("published", "", 1))
    assert failing(replace(GOOD, ledger=ledger)) == []


def test_what_old_versions_did_not_keep_is_not_judged() -> None:
    names = [check.name for check in examine(replace(GOOD, fates=Fates()))]
    assert names == ["size", "mix", "dead groups", "tools", "one domain", "engine", "yield"]


def test_every_check_says_what_to_do() -> None:
    assert all(check.advice and check.limit and check.found for check in examine(GOOD))


def test_the_guide_names_every_check_and_its_share() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
    for check in examine(GOOD):
        (line,) = [line for line in guide.splitlines() if line.startswith(f"| {check.name} |")]
        assert set(re.findall(r"\d+%", check.limit)) <= set(re.findall(r"\d+%", line))
