"""The generator's reward, part by part; every known fault of the reference is a test."""

from dataclasses import fields, replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Draft, Json, Message, Verdict
from data.schema import VERIFIED
from generator.reward import RewardParts, judge, repetition_penalties
from verifiers.verify import verify

TOOL: Json = {
    "name": "book",
    "description": "Book a table.",
    "parameters": {
        "type": "object",
        "properties": {"place": {"type": "string"}, "guests": {"type": "integer"}, "area": {"enum": ["in", "out"]}},
        "required": ["place", "guests"],
    },
}
PING: Json = {"name": "ping", "description": "Look whether the server lives.", "parameters": {}}


def draft(arguments: Json = None, name: str = "book", question: str = "Book Taj for 4 guests.", **more: Json) -> Draft:
    call: Json = {"name": name, "arguments": {"place": "Taj", "guests": 4} if arguments is None else arguments}
    return Draft((Message("user", question),), more.get("tools", [TOOL, PING]), more.get("calls", [call]))


def parts(one: Draft, **more: float) -> RewardParts:
    return judge(one, verify(one), **more)


def test_a_perfect_task_at_the_frontier_gets_three() -> None:
    reward = parts(draft(), difficulty=1.0)
    assert (reward.format, reward.validity, reward.curriculum, reward.reward) == (1.0, 1.0, 1.0, 3.0)


def test_the_parts_are_weighed_as_in_the_paper() -> None:
    whole = RewardParts(1, 1, 1, 1, 1, 1, 1, 1, 1, 0)
    lost = {field.name: 3 - replace(whole, **{field.name: 0.0}).reward for field in fields(RewardParts)}
    third = pytest.approx(1 / 3)
    assert lost == {
        "format_tags": third, "format_tools": third, "format_calls": third,
        "validity_name": pytest.approx(0.4), "validity_arguments": pytest.approx(0.4),
        "validity_grounding": pytest.approx(0.2), "difficulty": 0.5, "coherence": 0.5, "gate": 3, "repetition": 0,
    }  # fmt: skip


def test_every_part_has_its_column() -> None:
    stored = [field.name for field in VERIFIED if pa.types.is_floating(field.type)]
    assert [field.name for field in fields(RewardParts)] + ["reward"] == stored


@pytest.mark.parametrize("question", ["", "   ", "Book!", "<question here>", "[insert the question of the user]"])
def test_an_empty_or_echoed_question_is_worth_nothing(question: str) -> None:
    assert parts(draft(question=question), difficulty=1.0).reward == 0


def test_an_echo_of_the_prompt_is_worth_nothing() -> None:
    one = draft(question="Book Taj for 4 guests at the window, it is my birthday.")
    assert judge(one, verify(one)).gate == 1
    assert judge(one, verify(one, prompt="Like: book taj for 4 guests at the window, it is hot")).gate == 0


def test_a_named_fault_of_the_format_is_worth_nothing() -> None:
    assert judge(Verdict("format", "truncated"), None).reward == 0
    assert judge(Verdict("format", "truncated"), None).format_tags == 0
    assert judge(Verdict("format", "invalid_json"), None).format_tags == 1


# What the reference lets through or gets wrong (notes of the peers, 2.1).


def test_an_argument_that_the_tool_does_not_declare_costs() -> None:
    assert parts(draft({"place": "Taj", "guests": 4, "extra": "Taj"})).validity_arguments == 0


def test_an_argument_of_a_wrong_type_costs() -> None:
    assert parts(draft({"place": "Taj", "guests": "4"})).validity_arguments == 0


def test_a_boolean_is_no_number() -> None:
    assert parts(draft({"place": "Taj", "guests": True})).validity_arguments == 0


def test_a_value_outside_its_enum_costs() -> None:
    assert parts(draft({"place": "Taj", "guests": 4, "area": "Taj"})).validity_arguments == 0


def test_a_missing_argument_costs_the_arguments_but_not_the_name() -> None:
    reward = parts(draft({"place": "Taj"}))
    assert (reward.validity_name, reward.validity_arguments, reward.validity_grounding) == (1, 0, 0)


def test_an_unknown_tool_costs_name_and_arguments() -> None:
    reward = parts(draft(name="cook"))
    assert (reward.format, reward.validity_name, reward.validity_arguments) == (1, 0, 0)


def test_a_required_parameter_that_is_not_declared_costs() -> None:
    tool: Json = {"name": "book", "parameters": {"type": "object", "properties": {"place": {}}, "required": ["guests"]}}
    assert parts(draft(tools=[tool])).validity == 0


def test_a_tool_without_parameters_is_a_tool() -> None:
    assert parts(draft({}, name="ping", question="Does the server live?"), difficulty=1.0).reward == 3


def test_a_parameter_named_properties_is_a_parameter() -> None:
    tool: Json = {"name": "book", "parameters": {"type": "object", "properties": {"properties": {"type": "string"}}}}
    assert parts(draft({"properties": "Taj"}, tools=[tool]), difficulty=1.0).reward == 3


def test_every_call_counts_not_only_the_first() -> None:
    good: Json = {"name": "book", "arguments": {"place": "Taj", "guests": 4}}
    assert parts(draft(calls=[good, {"name": "cook", "arguments": {}}])).validity_name == 0
    assert parts(draft(calls=[good, {"name": "book", "arguments": {"place": "Taj"}}])).validity_arguments == 0


def test_a_value_that_is_not_said_costs_grounding_alone() -> None:
    reward = parts(draft(question="Book Taj for 14 guests."), difficulty=1.0)
    assert reward.validity == pytest.approx(0.8)
    assert reward.curriculum == 0


def test_dots_in_the_question_harm_nothing() -> None:
    assert parts(draft(question="Wait... book Taj for 4 guests."), difficulty=1.0).reward == 3


def test_without_a_judge_its_weight_is_the_programs() -> None:
    assert parts(draft()).coherence == 1
    assert parts(draft(question="Book Taj for 14 guests.")).coherence == 0


def test_a_judge_can_lower_and_never_rescue() -> None:
    assert parts(draft(), opinion=0.25).coherence == 0.25
    assert parts(draft(), opinion=7.0).coherence == 1
    assert parts(draft(question="Book Taj for 14 guests."), opinion=1.0).coherence == 0


def test_a_fault_of_the_checker_is_no_proof() -> None:
    proof = replace(verify(draft()), reasons=(Verdict("checker", "checker_error"),))
    assert judge(draft(), proof, difficulty=1.0).curriculum == 0


def test_like_questions_share_a_penalty_by_the_size_of_their_cluster() -> None:
    same = "Please book a table at the Taj for 4 guests tonight"
    batch = [same + ".", same + "!", "What is the weather in Oslo?", "Play Jolene."]
    assert repetition_penalties(batch) == pytest.approx([-0.1, -0.1, -0.05, -0.05])


@given(st.lists(st.text(max_size=12), max_size=12))
def test_penalties_stay_between_a_fifth_and_nothing(questions: list[str]) -> None:
    penalties = repetition_penalties(questions)
    assert len(penalties) == len(questions)
    assert all(-0.2 <= penalty < 0 for penalty in penalties)
