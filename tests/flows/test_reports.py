"""Reports say what came out of how much, is it healthy, and hold what Prefect can render."""

from dataclasses import replace

import pytest

from data.ledger import LedgerRow
from flows.escaping import cell
from flows.report_facts import EXAMPLES, Example, Fates
from flows.report_figures import bar, chart, curve
from flows.report_sections import funnel
from flows.reports import TABLE_ROWS, headline, rejection_rows, report, task_rows
from tests.data.conftest import candidate_table
from tests.flows.report_support import FACTS, RUN, SCORE, TASK
from tests.golden_files import assert_golden

TABLES = {"tasks": "/v2/artifacts/artifact/1"}


def test_the_report_is_the_golden_one() -> None:
    assert_golden("report.md", report(RUN))


def test_a_title_that_opens_a_section_is_text_even_in_html() -> None:
    task = replace(TASK, domain="<b>&\n\n# x")
    said = report(replace(RUN, samples=(replace(RUN.samples[0], task=task),)))
    assert "<summary>4 of 8 right (frontier), &lt;b&gt;&amp; # x, single: add</summary>" in said


def test_the_ledger_of_the_report_adds_up() -> None:
    assert "| all |  | 4 | 100.0% |" in report(RUN)


def test_the_funnel_loses_every_brief_at_its_own_step() -> None:
    ledger = (
        LedgerRow("propose", "no_completion", 1), LedgerRow("verify", "ungrounded", 20), LedgerRow("verify", "a", 5),
        LedgerRow("solve", "no_valid_attempt", 4), LedgerRow("solve", "", 0, 99), LedgerRow("select", "suspect", 3),
        LedgerRow("select", "surplus", 7), LedgerRow("published", "", 60),
    )  # fmt: skip
    assert funnel(replace(FACTS, ledger=ledger)) == [
        ("briefs", 100, ""),
        ("answered", 99, "1 no_completion"),
        ("proven", 74, "20 ungrounded, 5 a"),
        ("measured", 70, "4 no_valid_attempt"),
        ("fit for the set", 67, "3 suspect"),
        ("published", 60, "7 left over: the set was full"),
    ]


def test_the_headline_says_what_came_out_whether_it_is_healthy_and_what_is_short() -> None:
    assert headline(RUN) == (
        "2 of 2 tasks published from 4 briefs; 1 at the frontier (pass rate 0.25 to 0.75), 1 tools, 1 domains. "
        "Healthy: all 10 checks hold."
    )
    assert headline(replace(RUN, shortfall="1 of 2 tasks")).endswith("Short: 1 of 2 tasks")


def test_the_file_links_its_figures_and_the_artifact_draws_them() -> None:
    file, artifact = report(RUN), report(RUN, TABLES)
    assert "](figures/pass_rate.svg)" in file
    assert "](figures/domains.svg)" in file
    assert "mermaid" not in file
    assert "figures/" not in artifact
    assert "```mermaid" in artifact


def test_the_file_ends_with_the_tasks_and_the_artifact_links_their_table() -> None:
    file, artifact = report(RUN), report(RUN, TABLES)
    assert "| 0123456789ab | finance |" in file
    assert "| 0123456789ab | finance |" not in artifact
    assert "[tasks](/v2/artifacts/artifact/1)" in artifact


def test_a_domain_whose_briefs_all_failed_is_named() -> None:
    assert "Without a task: weather." in report(RUN)


def test_versions_measured_in_another_way_are_not_compared_without_a_word() -> None:
    said = "Not all were measured by the same solver and harness"
    assert said in report(RUN)
    same = replace(FACTS.past[0], origin=FACTS.origin)
    assert said not in report(replace(RUN, facts=replace(FACTS, past=(same,))))


def test_a_lineage_is_shown_from_the_base_on() -> None:
    assert f"| solver | embedded | 1 | {'c' * 12} → {'b' * 12} |" in report(RUN)


def test_cost_is_told_for_each_published_task() -> None:
    said = report(RUN)
    for line in (
        "on what was not | 40 tokens | 20 |",
        "| solver | 900 tokens | 450 |",
        "| both | 1,000 tokens | 500 |",
    ):
        assert line in said
    assert "2 seconds | 0.75 |" in said


def test_rejection_rows_take_turns_and_end_where_the_table_does() -> None:
    fates = Fates()
    for code in range(60):
        examples = [Example(place, "d", "why", "text") for place in range(EXAMPLES)]
        fates.examples["verify", "format", f"c{code:02}"] = examples
    rows = rejection_rows(fates)
    assert len(rows) == TABLE_ROWS
    assert len({row["code"] for row in rows[:60]}) == 60


def test_fates_keep_the_first_of_each_reason_and_count_all() -> None:
    rejected = candidate_table(["verify"] * (EXAMPLES + 5))
    stored = candidate_table(["published", "verify"])
    fates = Fates()
    passed = list(fates.watch([stored, rejected]))
    assert passed == [stored, rejected]
    assert fates.reasons == {("verify", "x", "bad"): EXAMPLES + 6}
    examples = fates.examples["verify", "x", "bad"]
    assert [one.index for one in examples] == [1, *range(EXAMPLES - 1)]
    assert set(fates.examples) == set(fates.reasons)


@pytest.mark.parametrize(
    ("value", "most", "shown"), [(0, 8, ""), (8, 8, "██"), (4, 8, "█"), (1, 1000, "▏"), (0, 0, "")]
)
def test_a_bar_is_as_long_as_its_share_and_never_hides_a_little(value: int, most: int, shown: str) -> None:
    assert bar(value, most, 2) == shown


def test_a_curve_keeps_its_baseline_for_none() -> None:
    assert curve([0, 1, 7, 100]) == "▁▂▂█"
    assert curve([0, 0]) == "▁▁"


def test_a_chart_is_as_high_as_its_largest_bar() -> None:
    assert '"tasks" 0 --> 7' in chart([1, 7], ("a", "b"))
    assert '"tasks" 0 --> 1' in chart([0, 0], ("a", "b"))


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


def test_table_rows_are_plain_and_the_question_is_in_sight() -> None:
    (row,) = task_rows([(TASK, SCORE)])
    assert list(row)[:6] == ["task", "domain", "kind", "band", "pass rate", "question"]
    assert all(isinstance(value, str | int | float | bool) for value in row.values())
