"""Completions read into drafts or named faults; no text makes the parser raise."""

import json
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Draft, Json, Verdict
from generator.briefs import BriefConfig, plan
from generator.catalogue import build_catalogue, load_catalogue
from generator.parsing import parse
from generator.prompts import Style, render

REAL = Path(__file__).parents[3] / "shared" / "real" / "completions.jsonl"
FREE: Json = {
    "name": "note",
    "parameters": {"type": "object", "properties": {"t": {"type": "string"}}, "required": ["t"]},
}
GIVEN = plan(BriefConfig(load_catalogue(), seed=5), 0)
OWN = plan(BriefConfig(build_catalogue([FREE], "test"), seed=5), 0)
OPEN = plan(BriefConfig(load_catalogue(), seed=5, mode="open"), 0)
CALL: Json = {"name": "note", "arguments": {"t": "milk"}}
WHOLE = {"calls": [CALL], "question": "Please note milk for me."}
LEAVES = st.none() | st.integers() | st.text()
KEYS = st.sampled_from(["calls", "question", "tools", "x"])
OBJECTS = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner))
BRIEFS = {"given": GIVEN, "own": OWN, "open": OPEN}


def read(text: str, name: str = "own", style: Style = "plain") -> Draft | Verdict:
    brief = BRIEFS[name]
    return parse(brief, text, style, render(brief, style))


def code(text: str, name: str = "own", style: Style = "plain") -> str:
    verdict = read(text, name, style)
    assert isinstance(verdict, Verdict)
    assert verdict.check == "format"
    return verdict.code


def test_calls_and_question_become_a_draft_on_the_briefs_menu() -> None:
    draft = read(json.dumps(WHOLE))
    assert isinstance(draft, Draft)
    assert (draft.calls, draft.messages[0].content, draft.tools) == ([CALL], WHOLE["question"], list(OWN.tools))


def test_a_question_alone_takes_the_calls_that_the_brief_proposed() -> None:
    draft = read('"Please do it for me today."', "given")
    assert isinstance(draft, Draft)
    assert draft.calls == [{"name": GIVEN.targets[0], "arguments": GIVEN.arguments[0]}]


def test_an_open_completion_brings_its_own_tools() -> None:
    draft = read(json.dumps({"tools": [FREE], **WHOLE}), "open")
    assert isinstance(draft, Draft)
    assert draft.tools == [FREE]


def test_thoughts_and_one_fence_are_taken_off() -> None:
    assert isinstance(read(f"<think>hm</think>\n```json\n{json.dumps(WHOLE)}\n```"), Draft)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "invalid_json"),
        ("Sure! Here it is.", "invalid_json"),
        (json.dumps(WHOLE)[:-9], "invalid_json"),
        (json.dumps(WHOLE) + " and more", "invalid_json"),
        ('{"calls": [], "calls": [], "question": "x"}', "duplicate_key"),
        ("[" * 20_000, "too_large"),
        (json.dumps([WHOLE]), "missing_block"),
        ('{"question": "Note milk, please."}', "missing_block"),
        (json.dumps({"calls": [CALL]}), "missing_block"),
        (json.dumps({**WHOLE, "question": 7}), "missing_block"),
        (json.dumps({**WHOLE, "question": "  "}), "empty_question"),
        (json.dumps({**WHOLE, "question": "<the request>"}), "placeholder"),
        (json.dumps({**WHOLE, "question": "Have flowers sent to Graz, my aunt loves tulips, today"}), "placeholder"),
        (json.dumps({**WHOLE, "question": "a \ud800 b"}), "invalid_unicode"),
    ],
)
def test_each_fault_has_its_name(text: str, expected: str) -> None:
    assert code(text) == expected


def test_an_open_completion_without_tools_lacks_a_block() -> None:
    assert code(json.dumps(WHOLE), "open") == "missing_block"


def test_tagged_blocks_need_no_menu_in_catalogue_mode() -> None:
    text = f"<question>Note milk.</question><tool_call_answer>{json.dumps([CALL])}</tool_call_answer>"
    draft = read(text, style="chat")
    assert isinstance(draft, Draft)
    assert draft.tools == list(OWN.tools)
    assert code(text, "open", "chat") == "missing_block"


def test_a_menu_in_the_completion_does_not_replace_the_briefs() -> None:
    text = f"<question>Note milk.</question><available_tools>[]</available_tools><tool_call_answer>{json.dumps([CALL])}"
    draft = read(text + "</tool_call_answer>", style="chat")
    assert isinstance(draft, Draft)
    assert draft.tools == list(OWN.tools)


@pytest.mark.parametrize("style", get_args(Style))
@pytest.mark.parametrize("name", BRIEFS)
@given(text=st.text() | OBJECTS.map(json.dumps))
def test_no_text_makes_it_raise(name: str, style: Style, text: str) -> None:
    assert isinstance(read(text, name, style), Draft | Verdict)


@pytest.mark.skipif(not REAL.exists(), reason="the real inputs are not beside the checkout")
def test_every_real_completion_is_a_draft_or_a_named_fault() -> None:
    rows = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 79
    texts = [row["completion"] for row in rows] + [row["tagged"] for row in rows if row.get("tagged")]
    results = [read(text, name, style) for text in texts for name in BRIEFS for style in get_args(Style)]
    faults = [one for one in results if isinstance(one, Verdict)]
    assert all(fault.check == "format" and fault.code and fault.detail for fault in faults)
    assert len(faults) < len(results)
