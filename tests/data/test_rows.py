"""Records survive their rows; what a column cannot hold is refused by name."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.canonical import CanonicalError, canonical_json
from data.errors import StoreError
from data.records import Attempt, Brief, Json, Message, Score, Task
from data.rows import (
    ESCAPED,
    attempt_from_row,
    attempt_row,
    brief_from_json,
    brief_json,
    published_row,
    question_of,
    raw_text,
    score_from_row,
    score_row,
    stored_text,
    task_columns,
    task_from_row,
)
from data.schema import ATTEMPTS, LEDGER, MEASUREMENT_COLUMNS, SCORES, TASKS, describe, to_table
from tests.golden_files import assert_golden

HARD: Json = {
    "": {},
    "empty": [],
    "none": None,
    "big": [2**63, -(10**40)],
    "emoji": "👩‍🚀",
    "rtl": "שלום",
    "cjk": "東京",
    "float": 0.1,
    "deep": [[[[{"a": [{}]}]]]],
    "quote": '"\\\n\t',
}
TASK = Task(
    task_id="ab" * 32,
    kind="single",
    turns=1,
    domain="weather",
    mode="open",
    messages=(Message("system", ""), Message("user", "Ist es in Zürich 🌧?"), Message("assistant", "Where?")),
    tools=({"name": "t", "description": "", "parameters": {"type": "object", "properties": {}}},),
    calls=({"name": "t", "arguments": HARD},),
)
SCORE = Score("ab" * 32, "tags", 8, 4, 0.5, 0.2, 0.8, False, "frontier", 0.9, 1.0, 0.6, 0.3, 3, 0.99, 0.5, True)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(exclude_categories=["Cs", "M"])).filter(lambda text: "\0" not in text)
)
trees = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=8)


def through_arrow(row: dict[str, object]) -> dict[str, object]:
    return dict(to_table([row], TASKS).to_pylist()[0])


def published(task: Task) -> dict[str, object]:
    return published_row(task, SCORE, env_index=3, generator_digest="g", solver_digest="s")


def test_the_arrow_schemas_are_those_of_the_golden_file() -> None:
    assert_golden("arrow_schema.txt", describe())


def test_every_task_column_is_either_identity_or_measurement() -> None:
    identity = set(TASKS.names) - MEASUREMENT_COLUMNS
    assert set(TASKS.names) == identity | MEASUREMENT_COLUMNS
    assert {"pass_rate", "band", "harness", "solver_digest"} <= MEASUREMENT_COLUMNS
    assert {"task_id", "messages_json", "generator_digest"} <= identity


def test_a_task_survives_its_published_row() -> None:
    assert task_from_row(through_arrow(published(TASK))) == TASK


@given(trees, trees)
def test_any_json_in_a_task_survives(arguments: Json, world: Json) -> None:
    task = dataclasses.replace(
        TASK, calls=({"name": "t", "arguments": {"a": arguments}},), world=world, accept=[], outcome={}
    )
    again = task_from_row(through_arrow(published(task)))
    assert canonical_json(again.calls) == canonical_json(task.calls)
    assert canonical_json([again.world, again.accept, again.outcome]) == canonical_json([world, [], {}])


def test_absent_and_empty_alternatives_stay_apart() -> None:
    assert task_from_row(through_arrow(published(TASK))).accept is None
    assert task_from_row(through_arrow(published(dataclasses.replace(TASK, accept=[])))).accept == []


def test_nfd_is_stored_as_nfc() -> None:
    decomposed = dataclasses.replace(TASK, messages=(Message("user", "Zu\u0308rich"),))
    assert task_from_row(through_arrow(published(decomposed))).messages == (Message("user", "Zürich"),)


@pytest.mark.parametrize("text", ["a\0", "\ud83c"])
def test_a_task_with_text_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(CanonicalError):
        task_columns(dataclasses.replace(TASK, messages=(Message("user", text),)))


def test_the_proof_of_an_unanswerable_task_survives_its_columns() -> None:
    task = dataclasses.replace(TASK, unanswerable={"removed": {"name": "x"}, "calls": []})
    assert task_from_row(task_columns(task)) == task


def test_a_score_survives_its_row() -> None:
    assert score_from_row(to_table([score_row(SCORE)], SCORES).to_pylist()[0]) == SCORE


@given(st.text(), st.text(), trees)
def test_an_attempt_survives_its_row_whatever_the_model_wrote(completion: str, detail: str, calls: Json) -> None:
    attempt = Attempt(
        "id", "tags", 3, 7, completion, calls, "correct", 1.0, 10, 2**31 - 1, "stop", "", detail, True, ("d",)
    )
    again = attempt_from_row(to_table([attempt_row(attempt)], ATTEMPTS).to_pylist()[0])
    assert dataclasses.replace(again, calls=None) == dataclasses.replace(attempt, calls=None)
    assert canonical_json(again.calls) == canonical_json(calls)


@pytest.mark.parametrize("text", ["", "plain \\u0000", "a\0b", "\ud83c\udf27", ESCAPED, f"{ESCAPED}x"])
def test_raw_text_is_stored_without_loss(text: str) -> None:
    stored = stored_text(text)
    stored.encode()
    assert "\0" not in stored
    assert raw_text(stored) == text


def test_ordinary_raw_text_is_stored_as_it_is() -> None:
    assert stored_text("<think>\\n</think> 👩‍🚀 e\u0301") == "<think>\\n</think> 👩‍🚀 e\u0301"


def test_a_brief_survives_its_json() -> None:
    brief = Brief(1, 2, "catalogue", "single", "travel", 3, 1, tools=TASK.tools, targets=("t",), parent_task_id="p")
    assert brief_from_json(brief_json(brief)) == brief


def test_the_question_is_the_last_user_turn() -> None:
    assert question_of(TASK.messages) == "Ist es in Zürich 🌧?"
    assert question_of(()) == ""


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"stage": "a\0"}, "stage may not hold U\\+0000"),
        ({"stage": "\ud800"}, "stage cannot hold"),
        ({"stage": None}, "stage may not hold null"),
        ({"stage": b"x"}, "stage was given bytes"),
        ({"count": 2**63}, "count cannot hold"),
        ({"count": 2.5}, "count was given float"),
        ({"count": True}, "count cannot hold"),
        ({"seconds": math.nan}, "seconds may not hold NaN"),
        ({"seconds": math.inf}, "seconds may not hold NaN or infinity"),
        ({"other": 1}, "differ in other"),
    ],
)
def test_what_a_column_cannot_hold_is_refused_by_its_name(change: dict[str, object], named: str) -> None:
    row = {"stage": "s", "code": "c", "count": 1, "tokens": 0, "seconds": 0.0} | change
    with pytest.raises(StoreError, match=named):
        to_table([row], LEDGER)


def test_a_missing_column_is_refused_by_its_name() -> None:
    with pytest.raises(StoreError, match="differ in seconds"):
        to_table([{"stage": "s", "code": "c", "count": 1, "tokens": 0}], LEDGER)
