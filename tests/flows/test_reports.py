"""Reports show what a model wrote as text, and a table artifact holds what Prefect can render."""

from dataclasses import replace

import pytest

from data.records import JsonObject, Message, Score, Task
from flows.escaping import cell
from flows.reports import Curriculum, Sample, headline, report, task_rows
from tests.golden_files import assert_golden

EVIL = "Say ``` | <script>alert(1)</script> **bold** [link](http://x)\n# head"
TOOL: JsonObject = {
    "name": "add",
    "description": "Add.",
    "parameters": {"type": "object", "properties": {"a": {}, "b": {}}},
}
TASK = Task(
    task_id="0123456789abcdef",
    kind="single",
    turns=1,
    domain="finance",
    mode="catalogue",
    messages=(Message("user", EVIL),),
    tools=(TOOL,),
    calls=({"name": "add", "arguments": {"a": 1, "b": 2}},),
)
SCORE = Score(
    task_id=TASK.task_id, harness="json", attempts=8, passes=4, pass_rate=0.5, pass_low=0.2, pass_high=0.8,
    confirmed=False, band="frontier", band_probability=0.9, difficulty_reward=1.0, reward_mean=0.7, reward_std=0.3,
    reward_values=2, signal_g8=0.99, consensus_share=0.5, consensus_is_gold=True,
)  # fmt: skip
RUN = Curriculum(
    name="demo", version="v0001-abc", path="sets/demo", asked=2, published=2, briefs=4, shortfall="",
    engine="scripted", harness="json", k=8, seconds=1.5, tokens=1234, equal=True, generator="scripted sha256:aa",
    solver="scripted sha256:bb", ledger=(("verify", "ungrounded", 2), ("published", "", 2)), pass_rates=(0.5, 0.875),
    tools={"add": 2}, domains={"finance": 2}, samples=(Sample(TASK, SCORE, ((EVIL, "malformed", 3),)),),
)  # fmt: skip


def test_the_report_is_the_golden_one() -> None:
    assert_golden("report.md", report(RUN))


def test_what_a_model_wrote_stays_inside_its_fence() -> None:
    lines = report(RUN).splitlines()
    inside, fence = False, ""
    for line in lines:
        if not inside and line.startswith("```"):
            inside, fence = True, line.rstrip("abcdefghijklmnopqrstuvwxyz")
        elif inside and line == fence:
            inside = False
        elif not inside:
            assert "<script>" not in line
            assert "[link]" not in line
    assert not inside


def test_the_ledger_of_the_report_adds_up() -> None:
    assert "| all |  | 4 | 100.0% |" in report(RUN)


def test_the_headline_says_what_is_short() -> None:
    assert headline(RUN) == (
        "2 of 2 tasks published from 4 briefs; 1 at the frontier (pass rate 0.25 to 0.75), 1 tools, 1 domains."
    )
    assert headline(replace(RUN, shortfall="1 of 2 tasks")).endswith("Short: 1 of 2 tasks")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.1 + 0.2, 0.3),
        (float("inf"), None),
        (float("nan"), None),
        (True, True),
        (None, None),
        (2**70, 2**70),
        ("a\n b", "a b"),
        ("x" * 100, "x" * 79 + "…"),
        ({"a": [1]}, '{"a": [1]}'),
    ],
)
def test_cells_are_finite_flat_and_short(value: object, shown: object) -> None:
    assert cell(value) == shown


def test_table_rows_have_the_same_plain_columns_and_the_question_last() -> None:
    (row,) = task_rows([(TASK, SCORE)])
    assert list(row)[-1] == "question"
    assert all(isinstance(value, str | int | float | bool) for value in row.values())
