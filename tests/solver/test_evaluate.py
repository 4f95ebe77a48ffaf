"""One solver on items: every item for every seed, or no result; paired differences."""

import pytest

from data.errors import SparringError
from policies.scripted import ScriptedPolicy
from solver.benches.base import Item
from solver.evaluate import Asking, MissingAnswers, answers, differences, summaries
from solver.harness import harness
from tests.solver.solver_cases import Told, book, task

RIGHT = '[{"name": "book_table", "arguments": {"restaurant": "Roma", "guests": 2}}]'
ITEMS = [Item(f"i{n}", "even" if n % 2 == 0 else "odd", task(str(n))) for n in range(6)]
ASKING = Asking(harness("json", "plain"), seeds=2)


async def test_every_item_is_asked_for_every_seed() -> None:
    got = await answers("b", ITEMS, Told(lambda key, index: RIGHT if index else "[]"), ASKING)
    assert [[one.outcome for one in got[item.id]] for item in ITEMS] == [["missing_call", "correct"]] * 6


async def test_pass_at_1_is_the_share_of_right_answers_by_category_and_over_all() -> None:
    got = await answers("b", ITEMS, Told(lambda key, index: RIGHT if key[3] in "024" else "[]"), ASKING)
    means = {one.category: (one.items, one.pass_at_1.mean, one.reward_mean.mean) for one in summaries(ITEMS, got)}
    assert means == {"even": (3, 1.0, 1.0), "odd": (3, 0.0, 0.0), "overall": (6, 0.5, 0.5)}


async def test_an_answer_that_failed_once_is_asked_again() -> None:
    calls: dict[tuple[str, int], int] = {}

    def flaky(key: str, index: int) -> str | None:
        calls[key, index] = calls.get((key, index), 0) + 1
        return None if (key, calls[key, index]) == ("b:i3:json", 1) else RIGHT

    got = await answers("b", ITEMS, Told(flaky), ASKING)
    assert {one.outcome for given in got.values() for one in given} == {"correct"}
    assert calls["b:i3:json", 0] == 2
    assert calls["b:i2:json", 0] == 1


async def test_missing_answers_are_an_error_and_no_lower_number() -> None:
    with pytest.raises(MissingAnswers, match=r"2 of 12 answers are missing.*2 x the line was dead"):
        await answers("b", ITEMS, Told(lambda key, index: None if "i3" in key else RIGHT), ASKING)


async def test_an_engine_that_drops_a_tenth_gives_no_result() -> None:
    with pytest.raises(MissingAnswers) as caught:
        await answers("b", ITEMS, ScriptedPolicy("solver", "faults=0.5,ability=1"), ASKING)
    assert caught.value.exit_code == 1


async def test_a_fault_of_the_checker_is_no_wrong_answer() -> None:
    broken = Item("i", "c", task(accept=[{}, {}]))  # one call, alternatives of two
    with pytest.raises(SparringError, match="could not be judged"):
        await answers("b", [broken], Told(lambda key, index: RIGHT), ASKING)


async def test_a_difference_is_paired_item_by_item() -> None:
    one = await answers("b", ITEMS, Told(lambda key, index: RIGHT), ASKING)
    other = await answers("b", ITEMS, Told(lambda key, index: RIGHT if "i0" in key else "[]"), ASKING)
    found = {summary.category: summary.pass_at_1.mean for summary in differences(ITEMS, one, other)}
    assert found == {"even": pytest.approx(2 / 3), "odd": 1.0, "overall": pytest.approx(5 / 6)}


async def test_other_items_have_no_difference() -> None:
    one = await answers("b", ITEMS, Told(lambda key, index: RIGHT), ASKING)
    fewer = {name: given for name, given in one.items() if name != "i0"}
    with pytest.raises(SparringError, match="other items"):
        differences(ITEMS, one, fewer)


async def test_the_harness_decides_what_a_right_answer_looks_like() -> None:
    hermes = Asking(harness("hermes", "plain"), seeds=1)
    block = f"<tool_call>{RIGHT[1:-1]}</tool_call>"
    got = await answers("b", [Item("i", "c", task(calls=[book("Roma")]))], Told(lambda key, index: block), hermes)
    assert got["i"][0].outcome == "correct"
