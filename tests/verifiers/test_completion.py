"""A generator's completion becomes a draft or a named fault (RULES F), whatever a model writes."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Draft, Json, Message, Verdict
from verifiers.completion import INSTRUCTIONS, check_question, read_completion

QUESTION = "What is the weather in Paris?"
TOOLS: Json = [{"name": "weather", "description": "Weather.", "parameters": {"city": {"type": "string"}}}]
CALLS: Json = [{"name": "weather", "arguments": {"city": "Paris"}}]
REAL = Path(__file__).resolve().parents[3] / "shared" / "real" / "completions.jsonl"


def q(text: str = QUESTION) -> str:
    return f"<question>{text}</question>"


def t(text: str = json.dumps(TOOLS)) -> str:
    return f"<available_tools>{text}</available_tools>"


def c(text: str = json.dumps(CALLS)) -> str:
    return f"<tool_call_answer>{text}</tool_call_answer>"


@pytest.mark.parametrize(
    "text",
    [
        q() + t() + c(),
        c() + "\nand\n" + q() + t(),
        "<think>plan</think>" + q() + t() + c(),
        "plan</think>" + q() + t() + c(),
        "<think>" + q("draft") + "</think>" + q() + t() + c(),
        q("old") + "</think>" + q() + t() + c(),
        q() + t() + c() + "<think>" + q(),
        q("\n" + QUESTION + "\n") + t(f"```json\n{json.dumps(TOOLS)}\n```") + c(f"```\n{json.dumps(CALLS)}```"),
        q(f"```\n{QUESTION}\n```") + t() + c(),
        q() + t() + c() + "</question>",
    ],
)
def test_the_three_blocks_make_a_draft_in_any_order(text: str) -> None:
    assert read_completion(text) == Draft((Message("user", QUESTION),), TOOLS, CALLS)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "missing_block"),
        (q() + t(), "missing_block"),
        (q() + t() + "<think>" + c(), "missing_block"),
        (q() + t() + c().replace("_answer", "_answers"), "missing_block"),
        (q() + t() + c() + c(), "duplicate_block"),
        (q() + t() + t(), "duplicate_block"),
        (q() + q() + t() + c()[:-5], "truncated"),
        (q() + "<available_tools>[", "truncated"),
        ("<question>" + q() + t() + c(), "truncated"),
        (q() + t() + c() + "<question>", "truncated"),
        (q() + t("weather(city)") + c(), "invalid_json"),
        (q() + t() + c(""), "invalid_json"),
        (q() + t() + c("[{'name': 'weather'}]"), "invalid_json"),
        (q() + t("[{}, NaN]") + c(), "invalid_json"),
        (q() + t() + c("[1e999]"), "invalid_json"),
        (q() + t("```json\n[]\n```\ntext") + c(), "invalid_json"),
        (q() + t('[{"name": "a", "name": "b"}]') + c(), "duplicate_key"),
        (q() + t() + c("[" * 20_000 + "]" * 20_000), "too_large"),
        (q() + t() + c("[" + "9" * 6_000 + "]"), "too_large"),
        (q("q " * 600_000) + t() + c(), "too_large"),
        (q() + t('["\\udead"]') + c(), "invalid_unicode"),
        (q("a\ud83d b") + t() + c(), "invalid_unicode"),
        (q("a\0b") + t() + c(), "invalid_unicode"),
        (q("") + t() + c(), "empty_question"),
        (q(" \n\u3000\u200b") + t() + c(), "empty_question"),
        (q("") + t("{") + c(), "invalid_json"),
        (q("<your question>") + t() + c(), "placeholder"),
    ],
)
def test_the_first_rule_that_is_broken_is_named(text: str, code: str) -> None:
    found = read_completion(text)
    assert isinstance(found, Verdict)
    assert (found.check, found.code) == ("format", code)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("<the user question here>", "placeholder"),
        ("[question]", "placeholder"),
        ("{user_question}", "placeholder"),
        ("  <<question>> ", "placeholder"),
        ("[a [b] c]", "placeholder"),
        ("<a <b>", "placeholder"),
        ("[Paris] or [Rome]?", None),
        ("[Paris] or [Rome]", None),
        ("<b>Paris</b>", None),
        ("{} is what?", None),
        ("Call it <x>", None),
        ("(Paris)", None),
        ("?", None),
    ],
)
def test_a_question_wholly_in_brackets_is_a_placeholder(question: str, code: str | None) -> None:
    found = check_question(question)
    assert (found.code if found else None) == code


PROMPT = "Invent a task for the domain travel. The user wants to book a cheap flight to Lima next May."


@pytest.mark.parametrize(
    ("question", "echo"),
    [
        ("I know the user wants to book a cheap flight to Oslo.", True),
        ("THE USER -- wants to book, a cheap flight!", True),
        ("The user wants to book a cheap", False),
        ("The user wants to book a very cheap flight to Lima next May", False),
        ("wants to book a cheap flight to Lima", True),
        ("to book a cheap flight to Lima", False),
    ],
)
def test_eight_consecutive_words_of_the_prompt_are_an_echo(question: str, echo: bool) -> None:
    assert (check_question(question, PROMPT) is not None) is echo


def test_without_a_prompt_the_known_instructions_count_and_with_one_they_do_not() -> None:
    copied = INSTRUCTIONS.strip().splitlines()[2]
    assert check_question(copied)
    assert not check_question(copied, PROMPT)


@given(
    st.text(alphabet='<>/[]{}"`:, aé\ud800\0\n')
    | st.lists(st.sampled_from([q(), t(), c(), "<think>", "```"])).map("".join)
)
def test_any_text_gives_a_draft_or_a_fault(text: str) -> None:
    found = read_completion(text, PROMPT)
    assert isinstance(found, Draft) or found.check == "format"


@pytest.mark.skipif(not REAL.exists(), reason="the real completions are not beside this checkout")
def test_every_real_completion_gives_a_draft_or_a_named_fault() -> None:
    rows = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    found = [read_completion(row["tagged"]) for row in rows if row["kind"] == "generator"]
    codes = [one.code for one in found if isinstance(one, Verdict)]
    assert (len(found), codes.count("truncated")) == (59, 30)
    assert set(codes) == {"truncated"}
