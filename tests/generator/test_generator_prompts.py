"""Prompts: golden texts, and completions that come back as what was asked for."""

import json
import re
from dataclasses import replace
from typing import get_args

import pytest

from data.records import Draft, Json, JsonObject
from data.rows import brief_from_json, brief_json
from generator.briefs import BriefConfig, plan
from generator.catalogue import build_catalogue, load_catalogue
from generator.decoding import question_schema
from generator.parsing import parse
from generator.prompts import PROMPT_VERSION, Style, render
from policies.protocol import Prompt, prompt_text
from tests.golden_files import assert_golden
from verifiers.verify import verify

FREE: Json = {
    "name": "note",
    "parameters": {"type": "object", "properties": {"t": {"type": "string"}}, "required": ["t"]},
}
CONFIGS = {
    "catalogue": BriefConfig(load_catalogue(), seed=5),
    "own": BriefConfig(build_catalogue([FREE], "test"), seed=5),
    "open": BriefConfig(load_catalogue(), seed=5, mode="open"),
}


def shown(prompt: Prompt) -> str:
    return "\n".join(
        [
            *([prompt.text] if prompt.text is not None else []),
            *(f"--- {turn.role}\n{turn.content}" for turn in prompt.messages or ()),
            f"--- schema\n{json.dumps(prompt.schema, indent=1)}",
            f"--- stop\n{json.dumps(prompt.stop)}",
            f"--- oracle\n{prompt.oracle}\n",
        ]
    )


@pytest.mark.parametrize("style", get_args(Style))
@pytest.mark.parametrize("name", CONFIGS)
def test_prompts_are_as_they_were(name: str, style: Style) -> None:
    briefs = (plan(CONFIGS[name], index) for index in range(99))
    brief = next(one for one in briefs if (one.kind, one.calls) == ("parallel", 2) or name == "own")
    assert_golden(f"prompts_{name}_{style}.txt", shown(render(brief, style)))


@pytest.mark.parametrize("style", get_args(Style))
@pytest.mark.parametrize("name", ["catalogue", "open"])
def test_the_oracle_is_a_solvable_task(name: str, style: Style) -> None:
    for index in range(300):
        brief = plan(CONFIGS[name], index)
        prompt = render(brief, style)
        draft = parse(brief, prompt.oracle or "", style, prompt)
        assert isinstance(draft, Draft)
        assert verify(draft, prompt=prompt_text(prompt)).reasons == ()


@pytest.mark.parametrize("style", get_args(Style))
def test_a_brief_read_back_from_a_chunk_renders_to_the_same_prompt(style: Style) -> None:
    for index in range(50):
        brief = plan(CONFIGS["catalogue"], index)
        assert render(brief_from_json(brief_json(brief)), style) == render(brief, style)


def test_what_a_value_says_in_braces_stays_as_it_is() -> None:
    brief = plan(CONFIGS["catalogue"], 0)
    marked = replace(brief, arguments=({"city": "{domain} {calls}"},), targets=brief.targets[:1])
    assert "{domain} {calls}" in prompt_text(render(marked, "chat"))


def test_keys_are_unique_and_stable() -> None:
    keys = [render(plan(CONFIGS["catalogue"], index), "plain").key for index in range(50)]
    assert len(set(keys)) == 50
    assert keys[7] == "brief-5-7"


def test_the_version_is_a_digest() -> None:
    assert re.fullmatch("[0-9a-f]{12}", PROMPT_VERSION)


def question_for(value: Json) -> JsonObject:
    return question_schema([{"it": value}])


def test_a_question_is_held_to_name_every_value_in_any_order() -> None:
    pattern = str(question_for(["São Paulo", 2.5, "7:30 (pm)"])["pattern"])
    assert re.search(pattern, "Go at 7:30 (pm) to São Paulo for 2.5 euros.")
    assert re.search(pattern, "Go to São Paulo at 7:30 (pm) for 2.5.")
    assert not re.search(pattern, "Go to São Paulo for 2.5 euros.")
    assert not re.search(pattern, "Go at 7:30 (pm) to São Paulo for 285 euros.")


def test_a_true_boolean_is_named_by_its_parameter_and_a_reference_not_at_all() -> None:
    pattern = str(question_for({"extra_towels": True, "room": "$var_1.room", "late": False, "none": None})["pattern"])
    assert re.search(pattern, "Get me a room and extra towels.")
    assert not re.search(pattern, "Get me a room and some towels.")


@pytest.mark.parametrize("value", ['say "hi"', "back\\slash", "two\nlines", " edge", ""])
def test_a_value_that_a_grammar_cannot_carry_leaves_the_question_free(value: str) -> None:
    assert "pattern" not in question_for(value)


def test_a_value_that_no_list_knows_is_the_models_to_write() -> None:
    schema = json.dumps(render(plan(CONFIGS["own"], 0), "plain").schema)
    assert '"const": "note"' in schema
    assert '"t": {"type": "string"}' in schema
