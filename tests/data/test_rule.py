"""Rules: quotas, limits on dead groups and flat rewards, splits by tool, rule files."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.candidates import Candidate
from data.errors import UsageError
from data.records import Band, Verdict
from data.rule import Rule, domain_seats, read_rule
from data.select import select
from data.splits import held_apart

FRONTIER: Mapping[Band, float] = {"frontier": 1.0}


def candidate(
    index: int, *, domain: str = "d", tools: tuple[str, ...] = ("t",), rate: float = 0.5, **rest: Any
) -> Candidate:
    text = "".join(Random(index).choices("abcdefghijklmnopqrstuvwxyz", k=40))
    band: Band = "hard" if rate < 0.25 else "easy" if rate > 0.75 else "frontier"
    return Candidate(index, text, domain, tools, rate, band, False, **rest)


def crowd(domains: Mapping[str, int]) -> list[Candidate]:
    names = [name for name, count in domains.items() for _ in range(count)]
    return [candidate(index, domain=name, tools=(f"t{index % 7}",)) for index, name in enumerate(names)]


def test_quotas_are_met_to_the_row() -> None:
    pool = crowd({"weather": 50, "travel": 50, "books": 50, "news": 50})
    found = select(pool, Rule(20, FRONTIER, {"weather": 0.5, "travel": 0.1}))
    domains = Counter(one.domain for one in pool if one.index in set(found.chosen))
    assert domains == {"weather": 10, "travel": 2, "books": 4, "news": 4}
    assert found.quotas == {"travel": (2, 2), "weather": (10, 10)}
    assert found.describe() == ""


def test_a_quota_that_cannot_be_met_leaves_its_seats_to_others_and_is_said() -> None:
    found = select(crowd({"weather": 3, "books": 50}), Rule(20, FRONTIER, {"weather": 0.5}))
    assert found.missing == 0
    assert not found.mixed
    assert "domain weather 3 of 10" in found.describe()


def test_a_domain_of_quota_zero_is_never_used() -> None:
    found = select(crowd({"weather": 5, "books": 5}), Rule(10, FRONTIER, {"weather": 0}))
    assert found.missing == 5
    assert {verdict.code for verdict in found.refused.values()} == {"domain_excluded"}


@given(st.integers(0, 500), st.lists(st.floats(0, 0.25), max_size=4))
def test_seats_of_domains_add_up(n: int, shares: list[float]) -> None:
    seats = domain_seats(n, {f"d{i}": share for i, share in enumerate(shares)})
    assert sum(seats.values()) == n
    assert all(count >= 0 for count in seats.values())


def test_the_set_has_no_more_dead_groups_than_asked() -> None:
    pool = [candidate(i, dead=(i % 10) / 10) for i in range(100)]
    found = select(pool, Rule(50, FRONTIER, max_dead_share=0.2))
    dead = [one.dead for one in pool if one.index in set(found.chosen)]
    assert sum(dead) / len(dead) <= 0.2
    assert len(dead) == 50
    assert "dead_groups" in {verdict.code for verdict in found.refused.values()}


def test_only_as_many_dead_groups_are_refused_as_must_be() -> None:
    pool = [candidate(0, dead=0.9), *(candidate(i, dead=0.0) for i in range(1, 10))]
    assert select(pool, Rule(10, FRONTIER, max_dead_share=0.1)).missing == 0


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"min_reward_std": 0.2}, "flat_reward"),
        ({"pass_rate": (0.6, 0.7)}, "band_excluded"),
        ({"domains": ("other",)}, "domain_excluded"),
    ],
)
def test_what_a_rule_excludes_is_refused_by_name(rule: dict[str, Any], code: str) -> None:
    found = select([candidate(0, reward_std=0.1)], Rule(1, FRONTIER, **rule))
    assert found.refused[0].code == code


def test_what_the_screen_bars_no_rule_lets_in() -> None:
    barred = Verdict("select", "contaminated", "equals a question of bench.json")
    assert select([candidate(0, barred=barred)], Rule(1, suspects=True)).refused == {0: barred}


def test_the_eval_split_calls_no_tool_that_train_calls() -> None:
    rng = Random(0)
    pool = [candidate(i, tools=tuple(sorted({f"t{rng.randrange(40)}", f"t{rng.randrange(40)}"}))) for i in range(400)]
    found = select(pool, Rule(100, FRONTIER, eval_share=0.1))
    tools: dict[bool, set[str]] = {True: set(), False: set()}
    for one in pool:
        if one.index in set(found.chosen):
            tools[one.index in found.eval].update(one.tools)
    assert (len(found.chosen), len(found.eval)) == (100, 10)
    assert not tools[True] & tools[False]


def test_no_row_is_lost_to_the_split_where_tools_do_not_meet() -> None:
    pool = [candidate(i, tools=(f"t{i % 20}",)) for i in range(200)]
    found = select(pool, Rule(200, FRONTIER, eval_share=0.1))
    assert "split" not in {verdict.code for verdict in found.refused.values()}


def test_seats_that_eval_cannot_fill_go_to_train_and_are_said() -> None:
    found = select([candidate(i) for i in range(30)], Rule(20, FRONTIER, eval_share=0.2))
    assert (found.missing, len(found.eval)) == (0, 0)
    assert "eval 0 of 4" in found.describe()


def counted(groups: list[tuple[str, ...]]) -> Counter[frozenset[str]]:
    return Counter(map(frozenset, groups))


@given(st.randoms(use_true_random=False))
def test_the_tools_held_apart_do_not_depend_on_order(rng: Any) -> None:
    groups = [("a", "b"), ("c",), ("d", "e"), ("f",), ("g",), ("b", "h")] * 3
    shuffled = [*groups]
    rng.shuffle(shuffled)
    assert held_apart(counted(shuffled), 0.2) == held_apart(counted(groups), 0.2) != frozenset()


@pytest.mark.parametrize("text", ['{"n": 5, "mix": {"easy": 1}}', "n: 5\nmix:\n  easy: 1\n"])
def test_a_rule_is_read_from_json_and_yaml(tmp_path: Path, text: str) -> None:
    (tmp_path / "rule").write_text(text, encoding="utf-8")
    assert read_rule(tmp_path / "rule", Rule(9, suspects=True)) == Rule(5, {"easy": 1.0}, suspects=True)


@pytest.mark.parametrize("rule", [Rule(3), Rule(3, FRONTIER, {"a": 0.5}, domains=("a", "b"), pass_rate=(0.1, 0.9))])
def test_a_rule_is_read_again_from_what_it_says_of_itself(tmp_path: Path, rule: Rule) -> None:
    (tmp_path / "rule").write_text(json.dumps(rule.to_json()), encoding="utf-8")
    assert read_rule(tmp_path / "rule", Rule(9)) == rule


def test_every_fault_of_a_rule_is_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "rule.yaml").write_text("n: -3\nmix: {harder: 1}\neval_share: 0.9", encoding="utf-8")
    with pytest.raises(UsageError, match=r"-3 tasks.*harder.*eval_share 0\.9"):
        read_rule(tmp_path / "rule.yaml", Rule(1))


def test_a_rule_file_that_is_not_there_is_said_without_the_system_s_numbers(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.yaml cannot be read: No such file or directory\n"):
        read_rule(tmp_path / "none.yaml", Rule(1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n: [", "cannot be read"),
        ("- 1", "no object"),
        ("size: 3", "'size'"),
        ("n: true", "n: True"),
        ("mix: {hardest: 1}", "hardest"),
        ("quotas: {a: 0.7, b: 0.7}", "quotas"),
        ("pass_rate: [0.9, 0.1]", "pass_rate"),
        ("max_dead_share: 2", "max_dead_share"),
        ("near_duplicate: 0", "near_duplicate"),
        ("eval_share: .nan", "eval_share"),
        ("x: !!python/object/apply:os.getcwd []", "cannot be read"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "rule.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        read_rule(tmp_path / "rule.yaml", Rule(1))
