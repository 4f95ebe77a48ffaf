"""Rollouts: how many attempts a task gets, which count, and what each is worth."""

import json
from collections.abc import Sequence

import pytest

from data.canonical import digest
from data.errors import UsageError
from data.records import Attempt, Task, Verdict
from solver.difficulty import rate
from solver.rollouts import Settings, attempt, settled
from tests.solver.solver_cases import Told, book, task

RIGHT = json.dumps([book("Roma")])
WRONG = json.dumps([book("Milano")])


async def attempts_of(tasks: Sequence[Task], policy: Told, **settings: int | bool) -> list[tuple[Attempt, ...]]:
    return await attempt(tasks, policy, Settings(**settings))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("passes", "attempts", "done"),
    # P(0.25 <= p <= 0.75) under Jeffreys: 0.117, 0.747, 0.029, 0.788, 0.942, 0.898 and 0.080.
    [
        (0, 4, False),
        (2, 4, False),
        (0, 8, True),
        (5, 8, False),
        (6, 12, True),
        (5, 12, False),
        (1, 12, True),
        (0, 0, False),
    ],
)
def test_a_task_is_settled_when_the_posterior_is_sure_of_its_frontier(passes: int, attempts: int, done: bool) -> None:
    assert settled(passes, attempts) is done


async def test_an_impossible_task_stops_early() -> None:
    (attempts,) = await attempts_of([task()], Told(lambda key, index: WRONG), k_max=64)
    assert len(attempts) == 8


async def test_an_undecided_task_goes_on_to_k_max() -> None:
    (attempts,) = await attempts_of([task()], Told(lambda key, index: RIGHT if index % 4 == 0 else WRONG), k_max=24)
    assert len(attempts) == 24


async def test_k_bounds_the_attempts() -> None:
    (attempts,) = await attempts_of([task()], Told(lambda key, index: RIGHT if index % 2 else WRONG), k=6)
    assert len(attempts) == 6


async def test_waves_that_could_stop_nothing_are_one_burst_for_all_open_tasks() -> None:
    policy = Told(lambda key, index: WRONG if key.startswith("never") or index % 2 else RIGHT)
    await attempts_of([task("never"), task("half")], policy, k=8, k_max=16)
    both = ["never:json", "half:json"]
    assert policy.bursts == [(both, 8, 0), (["half:json"], 4, 8)]


async def test_neighbours_and_their_order_change_nothing() -> None:
    def answer(key: str, index: int) -> str | None:
        return [RIGHT, WRONG, None][(index * 7 + len(key)) % 3]

    tasks = [task("a"), task("bb"), task("ccc")]
    together = await attempts_of(tasks, Told(answer), k_max=16)
    backwards = await attempts_of(tasks[::-1], Told(answer), k_max=16)
    alone = [(await attempts_of([one], Told(answer), k_max=16))[0] for one in tasks]
    assert together == backwards[::-1] == alone


async def test_a_task_given_twice_is_tried_once() -> None:
    policy = Told(lambda key, index: WRONG)
    first, second = await attempts_of([task(), task()], policy)
    assert first == second
    assert policy.bursts[0][0] == ["t:json"]


async def test_a_failure_of_the_engine_is_kept_and_replaced() -> None:
    (attempts,) = await attempts_of(
        [task()], Told(lambda key, index: None if index == 1 else RIGHT if index % 2 else WRONG)
    )
    assert [one.outcome for one in attempts].count("infrastructure") == 1
    assert len(attempts) == 9
    assert attempts[1].detail == "the line was dead"
    assert getattr(rate(attempts), "attempts", None) == 8


async def test_replacements_are_bounded_and_the_fate_named() -> None:
    (attempts,) = await attempts_of([task()], Told(lambda key, index: None))
    assert len(attempts) == 12
    assert isinstance(rate(attempts), Verdict)


async def test_fresh_attempts_are_exactly_k_with_other_seeds() -> None:
    policy = Told(lambda key, index: WRONG)
    (first,) = await attempts_of([task()], policy, k=12)
    (fresh,) = await attempts_of([task()], policy, k=12, fresh=True)
    assert (len(first), len(fresh)) == (8, 12)
    assert all(one.fresh for one in fresh)
    assert {one.seed for one in first}.isdisjoint(one.seed for one in fresh)


async def test_equal_answers_share_a_key_whatever_their_form() -> None:
    forms = [RIGHT, json.dumps(book("Roma", notes=None)), json.dumps([book(" Roma ")]), WRONG]  # type: ignore[arg-type]
    (attempts,) = await attempts_of([task()], Told(lambda key, index: forms[index]), k=4)
    assert len({one.answer_key for one in attempts[:3]}) == 1
    assert attempts[3].answer_key not in ("", attempts[0].answer_key)


@pytest.mark.parametrize(("k", "k_max"), [(0, None), (65, None), (8, 65), (8, 4)])
def test_k_that_does_not_fit_is_refused_by_name(k: int, k_max: int | None) -> None:
    with pytest.raises(UsageError, match=f"k = {k} and k_max = {k_max}"):
        Settings(k=k, k_max=k_max)


async def test_an_attempt_keeps_the_state_after_each_step_of_its_answer() -> None:
    source = "def run(state, arguments):\n    state['at'] = arguments['restaurant']\n    return {}"
    tried = task(world={}, implementations={"book_table": source}, outcome={"state": {}, "answers": []}, rule="outcome")
    answers = [json.dumps([book("Oslo"), book("Roma")]), RIGHT, "nothing", "[]"]
    ((first, second, third, fourth),) = await attempts_of([tried], Told(lambda key, index: answers[index]), k=4)
    assert first.steps == (digest({"at": "Oslo"}), digest({"at": "Roma"}))
    assert (second.steps, third.steps, fourth.steps) == ((digest({"at": "Roma"}),), (), ())


async def test_an_attempt_on_a_task_without_a_world_has_no_steps() -> None:
    ((only,),) = await attempts_of([task()], Told(lambda key, index: RIGHT), k=1)
    assert only.steps == ()
