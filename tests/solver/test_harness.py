"""Harnesses: what is asked, in which words, and how answers are read."""

import pytest

from data.errors import UsageError
from data.records import Message
from policies.protocol import Prompt
from solver.harness import WAYS as NAMES
from solver.harness import Harness, harness
from tests.golden_files import assert_golden
from tests.solver.solver_cases import book, task

WAYS = [Harness(name, style) for name, style in NAMES]
CONVERSATION = (
    Message("system", "Today is 2026-03-05."),
    Message("user", "Find me a good trattoria."),
    Message("assistant", "Roma is near."),
    Message("tool", '{"open": true}'),
    Message("user", "Then a table for two there."),
)


def words(prompt: Prompt) -> str:
    return prompt.text or "\n".join(f"{turn.role}: {turn.content}" for turn in prompt.messages or ())


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.name}-{way.style}")
class TestEveryHarness:
    def test_its_prompt_is_the_golden_file(self, way: Harness) -> None:
        text = words(way.prompt(task(messages=CONVERSATION))) + "\n"
        assert_golden(f"solver_{way.name}_{way.style}.txt", text)

    def test_its_oracle_is_correct(self, way: Harness) -> None:
        one = task(calls=[book("Roma"), book("Oslo")])
        assert way.score(one, way.prompt(one).oracle or "").judged.correct

    def test_the_oracle_of_a_task_without_calls_is_correct(self, way: Harness) -> None:
        assert way.score(task(calls=()), way.prompt(task(calls=())).oracle or "").judged.correct

    def test_what_a_task_says_is_never_taken_for_a_slot(self, way: Harness) -> None:
        said = "Braces {tools} and {conversation} and {0}"
        assert said in words(way.prompt(task(messages=(Message("user", said),))))

    def test_the_gold_is_not_in_the_prompt(self, way: Harness) -> None:
        assert "Zanzibar" not in words(way.prompt(task(calls=[book("Zanzibar")])))

    def test_an_answer_that_ran_into_the_limit_is_truncated(self, way: Harness) -> None:
        judged = way.score(task(), "<think>The table", "length").judged
        assert (judged.outcome, judged.reward) == ("truncated", 0.0)

    def test_a_whole_answer_counts_even_at_the_limit(self, way: Harness) -> None:
        assert way.score(task(), way.prompt(task()).oracle or "", "length").judged.correct


def test_only_json_constrains_its_answer() -> None:
    assert [way.prompt(task()).schema is not None for way in WAYS] == [way.name == "json" for way in WAYS]


@pytest.mark.parametrize(("name", "style"), [("openai", "plain"), ("json", "poem"), ("xml", "chat")])
def test_an_unknown_harness_is_named(name: str, style: str) -> None:
    with pytest.raises(UsageError, match=f"{name}.*{style}"):
        harness(name, style)


class TestOpenaiHarness:
    DOTTED = ({"name": "maps.route", "description": "", "parameters": {"type": "object"}},)

    def test_the_menu_goes_out_under_legal_names(self) -> None:
        prompt = harness("openai", "chat").prompt(task(tools=self.DOTTED, calls=()))
        assert [tool["function"]["name"] for tool in prompt.tools] == ["maps_route"]  # type: ignore[call-overload,index]

    def test_a_call_comes_back_under_the_menus_own_name(self) -> None:
        one = task(tools=self.DOTTED, calls=[{"name": "maps.route", "arguments": {}}])
        answer = '[{"arguments": "{}", "name": "maps_route"}]'
        assert harness("openai", "chat").score(one, answer).judged.correct

    def test_arguments_that_are_no_strict_json_are_malformed(self) -> None:
        answer = '[{"arguments": "{\\"guests\\": 2, \\"guests\\": 2}", "name": "book_table"}]'
        assert harness("openai", "chat").score(task(), answer).judged.outcome == "malformed"

    def test_no_call_at_the_token_limit_is_truncated(self) -> None:
        assert harness("openai", "chat").score(task(), "[]", "length").judged.outcome == "truncated"
