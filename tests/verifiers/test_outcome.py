"""Scoring by outcome (RULES A11): another way to the same state and the same answers is right, nothing else is."""

import copy
import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from data.canonical import canonical_json
from data.records import Json, Verdict
from tests.verifiers import tiny_world
from tests.verifiers.tiny_world import IMPLEMENTATIONS, TOOLS, WORLD, call, menu
from verifiers import outcome as module
from verifiers.execution import Replay, check_execution, outcome, replay, same_outcome
from verifiers.lines import score_line
from verifiers.outcome import Scored, score_task
from verifiers.state_diff import difference

tiny = tiny_world.tiny
FIND = [call("find", name="milk")]
RENAME = [call("find", name="milk"), call("rename", id="$var_1.id", name="cream")]


def came_to(*calls: dict[str, Any], world: Json = WORLD) -> dict[str, Any]:
    replayed = replay(world, IMPLEMENTATIONS, calls)
    assert isinstance(replayed, Replay), replayed
    return outcome(world, replayed, calls)


def scored(gold: list[dict[str, Any]], answer: Json) -> Scored:
    text = answer if isinstance(answer, str) else f"<tool_call_answer>{json.dumps(answer)}</tool_call_answer>"
    wanted = check_execution(menu(), gold, WORLD, IMPLEMENTATIONS)
    assert not isinstance(wanted, Verdict)
    given: dict[str, Json] = {"world": WORLD, "implementations": IMPLEMENTATIONS, "outcome": wanted}
    return score_task(menu().tools, gold, text, **given)  # type: ignore[arg-type]


class TestOutcome:
    """What is read from a replay."""

    def test_a_change_is_told_by_pointer(self) -> None:
        assert came_to(call("rename", id=1, name="rum")) == {
            "state": {"set": {"/items/0/name": "rum"}, "removed": []},
            "answers": [],
        }

    def test_a_reading_that_nothing_uses_is_an_answer(self) -> None:
        assert came_to(*FIND) == {"state": difference({}, {}), "answers": [{"id": 2, "name": "milk"}]}

    def test_a_reading_on_the_way_is_no_answer(self) -> None:
        assert came_to(*RENAME)["answers"] == []

    def test_a_change_is_judged_by_the_state_alone(self) -> None:
        assert came_to(call("add", name="rice"))["answers"] == []

    def test_answers_stand_in_an_order_of_their_own(self) -> None:
        assert came_to(call("count"), *FIND) == came_to(*FIND, call("count"))

    def test_equal_answers_count_apart(self) -> None:
        assert not same_outcome(came_to(*FIND), came_to(*FIND, *FIND))

    def test_what_was_changed_back_is_no_change(self) -> None:
        there_and_back = [call("rename", id=1, name="rum"), call("rename", id=1, name="tea")]
        assert came_to(*there_and_back)["state"] == difference({}, {})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (0.1 + 0.2, 0.3, True),
        (1, 1.0, True),
        (1, 1.001, False),
        (True, 1, False),
        ("1", 1, False),
        (None, {}, False),
        ([1, 2], [2, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ("e\u0301", "\u00e9", True),
    ],
)
def test_values_are_the_same_by_the_rules_of_answers(one: Json, other: Json, same: bool) -> None:
    for answers, state in (((one, other), ({}, {})), (({}, {}), (one, other))):
        outcomes: list[Json] = [
            {"answers": [answers[side]], "state": {"set": {"/x": state[side]}, "removed": []}} for side in (0, 1)
        ]
        assert same_outcome(*outcomes) is same


def test_answers_are_matched_in_any_order_and_by_value() -> None:
    one: dict[str, Json] = {"state": difference({}, {}), "answers": [0.3, 5, "x"]}
    assert same_outcome(one, {**one, "answers": ["x", 5.0, 0.1 + 0.2]})
    assert not same_outcome(one, {**one, "answers": ["x", 5, 5]})


class TestDifference:
    """The probe itself."""

    @pytest.mark.parametrize(
        ("before", "after", "found"),
        [
            ({"a": 1}, {"a": 1.0}, {}),
            ({"a": 1}, {"a": True}, {"set": {"/a": True}}),
            ({"a": 0.3}, {"a": 0.1 + 0.2}, {}),
            ({"a": {"b": 1}}, {"a": {}}, {"removed": ["/a/b"]}),
            ({"a": [1, 2]}, {"a": [1, 2, 3]}, {"set": {"/a/2": 3}}),
            ({"a": [1, 2, 3]}, {"a": [1]}, {"removed": ["/a/1", "/a/2"]}),
            ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, {"set": {"/a/0/b": 2}}),
            ({"a": []}, {"a": {}}, {"set": {"/a": {}}}),
            ({"a/b~c": 1}, {"a/b~c": 2}, {"set": {"/a~1b~0c": 2}}),
            ({"": 1}, {"": 2}, {"set": {"/": 2}}),
            ({}, {"a": None}, {"set": {"/a": None}}),
            ([], {}, {"set": {"": {}}}),
        ],
    )
    def test_it_names_what_is_new_and_what_is_gone(self, before: Json, after: Json, found: dict[str, Any]) -> None:
        assert difference(before, after) == {"set": {}, "removed": [], **found}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("a/~", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a/~0", max_size=2), inner, max_size=3),
    max_leaves=10,
)
STATES = st.dictionaries(st.text("ab/", max_size=2), JSON, max_size=3)


@given(STATES, STATES, STATES)
def test_equal_differences_from_one_state_mean_equal_states(start: Json, one: Json, other: Json) -> None:
    equal = difference(start, one) == difference(start, other)
    assert equal == (difference(one, other) == difference({}, {}))


@given(STATES)
def test_a_state_does_not_differ_from_itself(state: dict[str, Any]) -> None:
    assert difference(state, copy.deepcopy(state)) == difference({}, {})


class TestScore:
    """The rule by which an answer is right, or is not."""

    @pytest.mark.parametrize(
        ("gold", "answer", "correct", "rule"),
        [
            pytest.param(FIND, FIND, True, "calls", id="the gold itself"),
            pytest.param(RENAME, [call("rename", id=2, name="cream")], True, "outcome", id="without the reading"),
            pytest.param(
                [RENAME[1] | {"arguments": {"id": 2, "name": "cream"}}], RENAME, True, "outcome", id="with it"
            ),
            pytest.param(
                RENAME,
                [call("rename", id=2, name="x"), call("rename", id=2, name="cream")],
                True,
                "outcome",
                id="a detour",
            ),
            pytest.param(RENAME, [*RENAME, call("count")], False, "outcome", id="one more reading"),
            pytest.param(FIND, [*FIND, *FIND], False, "outcome", id="the answer twice"),
            pytest.param(FIND, [], False, "outcome", id="no calls"),
            pytest.param(FIND, [call("count")], False, "outcome", id="another answer"),
            pytest.param(RENAME, [call("rename", id=1, name="cream")], False, "outcome", id="another item"),
            pytest.param(
                RENAME, [*RENAME, call("drop", id=99), call("find", name="rum")], False, "outcome", id="a refusal"
            ),
            pytest.param(RENAME, [call("rename", id="2", name="cream")], False, "outcome", id="invalid"),
            pytest.param(RENAME, [call(name) for name in ("count", "nothing")], False, "outcome", id="all"),
            pytest.param(FIND, "no answer", False, "outcome", id="unreadable"),
        ],
    )
    def test_an_answer_is_right_by_its_calls_or_by_what_it_comes_to(
        self, gold: list[dict[str, Any]], answer: Json, correct: bool, rule: str
    ) -> None:
        found = scored(gold, answer)
        assert (found.judged.correct, found.rule) == (correct, rule)
        assert (found.judged.reward == 1.0) is correct
        assert (found.judged.outcome == "correct") is correct

    def test_a_wrong_answer_keeps_the_graded_reward_of_its_calls(self) -> None:
        assert scored(RENAME, [RENAME[0]]).judged.reward == pytest.approx(0.5)

    def test_another_way_is_said_in_the_detail(self) -> None:
        assert scored(RENAME, [call("rename", id=2, name="cream")]).judged.detail.startswith("by another way")

    def test_the_state_after_each_step_is_kept(self) -> None:
        steps = scored(RENAME, RENAME).steps
        assert list(steps) == [step.state for step in replay(WORLD, IMPLEMENTATIONS, RENAME).steps]  # type: ignore[union-attr]

    def test_the_steps_before_a_refusal_are_kept(self) -> None:
        assert len(scored(RENAME, [RENAME[0], call("find", name="rum"), RENAME[0]]).steps) == 1

    def test_a_task_without_an_outcome_is_scored_by_its_calls(self) -> None:
        answer = f"<tool_call_answer>{json.dumps(FIND)}</tool_call_answer>"
        assert score_task(menu().tools, FIND, answer) == Scored(scored(FIND, FIND).judged, "calls", ())

    def test_more_calls_than_are_run_are_not_right(self) -> None:
        assert not scored(RENAME, [*RENAME, *[call("drop", id=99)] * 20]).judged.correct

    def test_a_fault_of_ours_is_no_wrong_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object) -> None:
            raise RuntimeError("ours")

        monkeypatch.setattr(module, "trace", broken)
        assert scored(RENAME, FIND).judged.outcome == "checker_error"


CALLS = st.one_of(
    st.builds(lambda name: call("add", name=name), st.sampled_from(["rice", "oats"])),
    st.builds(lambda i, name: call("rename", id=i, name=name), st.integers(1, 3), st.sampled_from(["tea", "rum"])),
    st.builds(lambda i: call("drop", id=i), st.integers(1, 3)),
    st.builds(lambda name: call("find", name=name), st.sampled_from(["tea", "milk"])),
)


@given(st.lists(CALLS, min_size=1, max_size=4), st.lists(CALLS, min_size=1, max_size=4))
def test_right_by_outcome_is_the_same_state_and_the_same_answers(gold: Any, answer: Any) -> None:
    wanted = check_execution(menu(), gold, WORLD, IMPLEMENTATIONS)
    assume(isinstance(wanted, dict))
    found = scored(gold, answer)
    ran = replay(WORLD, IMPLEMENTATIONS, answer)
    same = isinstance(ran, Replay) and canonical_json(outcome(WORLD, ran, answer)) == canonical_json(wanted)  # type: ignore[arg-type]
    assert found.judged.correct == (same or found.rule == "calls")


@given(st.lists(CALLS, min_size=1, max_size=3), st.integers(1, 2), st.sampled_from(["a", "b"]))
def test_a_detour_to_the_same_state_is_right(gold: Any, item: int, name: str) -> None:
    assume(isinstance(check_execution(menu(), gold, WORLD, IMPLEMENTATIONS), dict))
    back = call("rename", id=item, name=WORLD["items"][item - 1]["name"])
    assert scored(gold, [call("rename", id=item, name=name), back, *gold]).judged.correct


class TestLines:
    """`sparring score` on a row with a world."""

    def row(self, answer: Json, **more: Any) -> dict[str, Any]:
        given = {
            "id": "r",
            "tools": TOOLS,
            "calls": RENAME,
            "completion": f"<tool_call_answer>{json.dumps(answer)}</tool_call_answer>",
            "world": WORLD,
            "implementations": IMPLEMENTATIONS,
            **more,
        }
        return score_line(json.dumps(given).encode(), 1)

    def test_it_says_by_which_rule(self) -> None:
        other = [call("rename", id=2, name="cream")]
        assert [self.row(answer)["rule"] for answer in (RENAME, other, FIND)] == ["calls", "outcome", "outcome"]
        assert [self.row(answer)["correct"] for answer in (RENAME, other, FIND)] == [True, True, False]

    def test_a_gold_that_does_not_run_is_no_measure(self) -> None:
        answer = self.row(RENAME, calls=[call("find", name="rum")])
        assert answer["outcome"] == "checker_error"
        assert answer["detail"] == "execution/tool_failed: call 1, find: no item rum"

    def test_a_row_without_a_world_is_scored_by_calls(self) -> None:
        assert self.row(FIND, world=None, implementations=None)["rule"] == "calls"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1/2", "0.5", True),
        ("2*sqrt(2)", "sqrt(8)", True),
        ("x^2 - 1", "(x-1)*(x+1)", True),
        ("x^2 - 1", "x^2 + 1", False),
        ("0.50", "0.5", False),
        ("2026-03-05", "2018", False),
        ("555-1234", "-679", False),
        ("1/2", 0.5, False),
        ("", "0", False),
        ({"a": ["1/2", 3]}, {"a": ["0.5", 3.0]}, True),
        ({"a": ["1/2"]}, {"b": ["1/2"]}, False),
        (["1/2"], ["1/2", "1/2"], False),
    ],
)
def test_texts_that_are_equal_expressions_come_to_the_same(one: Json, other: Json, same: bool) -> None:
    assert same_outcome({"state": {"/x": one}, "answers": []}, {"state": {"/x": other}, "answers": []}) is same
    assert same_outcome({"state": {}, "answers": [one]}, {"state": {}, "answers": [other]}) is same


def test_an_outcome_of_many_hard_expressions_asks_three_times_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("verifiers.algebra_exact.exactly_equal", lambda a, b: asked.append(a))
    answers: list[Json] = [f"sqrt(8)+{number}-{number}" for number in range(16)]
    others: list[Json] = [f"2*sqrt(2)+{number}-{number}" for number in range(16)]
    assert not same_outcome({"state": {}, "answers": answers}, {"state": {}, "answers": others})
    assert len(asked) == 3
