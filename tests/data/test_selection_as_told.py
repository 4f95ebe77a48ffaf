"""Selection against its own description, told in the plainest way: every seat by a look at all that wait."""

import random
from collections import Counter
from typing import Any

import pytest

from data.candidates import Candidate, Candidates
from data.neardup import jaccard
from data.records import Band
from data.rule import BANDS, REST, Rule, domain_seats, seats
from data.select import select
from data.texts import folded, trigrams

WORDS = ["".join(random.Random(i).choices("abcdefghijklmnop", k=5)) for i in range(40)]


def pool(seed: int, count: int) -> list[Candidate]:
    """Candidates of few domains and tools, of which some ask the same or nearly."""
    rng = random.Random(seed)
    found: list[Candidate] = []
    for index in range(count):
        rate = rng.randrange(1, 9) / 8
        band: Band = "hard" if rate < 0.25 else "easy" if rate > 0.75 else "frontier"
        tools = tuple(sorted({f"t{rng.randrange(6)}" for _ in range(rng.randrange(1, 4))}))
        text = " ".join(rng.choices(WORDS, k=9))
        if found and rng.random() < 0.3:
            words = rng.choice(found).question.split()
            words[rng.randrange(9)] = rng.choice(WORDS)
            text = " ".join(words)
        found.append(Candidate(3 * index, text, f"d{rng.randrange(4)}", tools, rate, band, False))
    rng.shuffle(found)
    return found


def as_told(candidates: list[Candidate], rule: Rule) -> tuple[list[int], dict[int, int]]:
    """The chosen in order, and of each duplicate met on the way whom it resembles."""
    wanted, quotas = seats(rule.n, rule.mix), domain_seats(rule.n, rule.quotas)
    waiting, chosen, alike = [*candidates], list[Candidate](), dict[int, int]()
    domains, tools = Counter[str](), Counter[str]()
    rest = 1.0 if len(quotas) == 1 else max(1.0, quotas[REST])

    def filled(name: str) -> int:
        return domains[name] if name in quotas else sum(domains[one] for one in domains if one not in quotas)

    def turn(one: Candidate) -> tuple[Any, ...]:
        weight = max(1, quotas[one.domain]) if one.domain in quotas else rest
        off_frontier = max(0.25 - one.pass_rate, one.pass_rate - 0.75, 0.0)
        return domains[one.domain] / weight, max(tools[tool] for tool in one.tools), off_frontier, one.index

    def take(band: Band, count: int, *, capped: bool) -> None:
        while count > 0:
            those = [one for one in waiting if one.band == band]
            if capped:
                those = [
                    one for one in those if filled(one.domain) < quotas[one.domain if one.domain in quotas else REST]
                ]
            if not those:
                return
            next_ = min(those, key=turn)
            waiting.remove(next_)
            own = trigrams(folded(next_.question))
            near = [one.index for one in chosen if jaccard(own, trigrams(folded(one.question))) >= rule.near_duplicate]
            if near:
                alike[next_.index] = len(near)
                continue
            chosen.append(next_)
            domains[next_.domain] += 1
            tools.update(next_.tools)
            count -= 1

    for band in BANDS:
        take(band, wanted[band], capped=True)
    for capped in (True, False):
        for band in BANDS:
            take(band, rule.n - len(chosen), capped=capped)
    return [one.index for one in chosen], alike


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("quotas", [{}, {"d0": 0.5, "d1": 0.1}])
def test_a_selection_is_what_its_description_says(seed: int, quotas: dict[str, float]) -> None:
    candidates = pool(seed, 120)
    for n in (10, 40, 200):
        rule = Rule(n, quotas=quotas)
        found = select(candidates, rule)
        chosen, alike = as_told(candidates, rule)
        assert list(found.chosen) == chosen
        told = {index for index, verdict in found.refused.items() if "duplicate" in verdict.code}
        assert told == set(alike)


def test_candidates_that_came_since_are_selected_from_too() -> None:
    """What near-duplicates are found by is made again when there are more."""
    candidates = pool(0, 60)
    held = Candidates(candidates[:30])
    select(held, Rule(20))
    for one in candidates[30:]:
        held.add(one)
    assert select(held, Rule(20)) == select(candidates, Rule(20))


def test_an_earlier_selection_stays_as_it_was_when_candidates_come() -> None:
    candidates = pool(1, 60)
    held = Candidates(candidates[:30])
    found = select(held, Rule(20))
    for one in candidates[30:]:
        held.add(one)
    select(held, Rule(50))
    assert found == select(candidates[:30], Rule(20))
