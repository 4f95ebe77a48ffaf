"""Every kind of task: its oracle verifies, what breaks it does not, and each is what it says."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from data.errors import UsageError
from data.records import Brief, BriefKind, Draft, Json, Message, Mode
from data.rows import brief_from_json, brief_json, task_from_row
from generator.briefs import BriefConfig, plan
from generator.catalogue import build_catalogue, load_catalogue
from generator.kinds import CHAT_SHARES, KINDS, PLAIN_SHARES, check_shares
from generator.prompts import Style, asks_nothing, render
from policies.corruptions import corrupt
from policies.protocol import prompt_text
from tests.generator.generator_cases import STYLES, answered, config, proved, published, task
from tests.generator.test_generator_prompts import shown
from tests.golden_files import assert_golden
from verifiers.verify import verify

EVERY: list[tuple[Mode, BriefKind]] = [(mode, kind) for mode, kinds in KINDS.items() for kind in kinds]
SPOKEN = [(mode, kind) for mode, kind in EVERY if not asks_nothing(Brief(0, 0, mode, kind, "", 0, 0))]
every = pytest.mark.parametrize(("mode", "kind"), EVERY)
spoken = pytest.mark.parametrize(("mode", "kind"), SPOKEN)
styles = pytest.mark.parametrize("style", STYLES)


def briefs(mode: Mode, kind: BriefKind, count: int = 60) -> list[Brief]:
    return [plan(config(mode, kind), index) for index in range(count)]


@styles
@spoken
def test_prompts_of_each_kind_are_as_they_were(mode: Mode, kind: BriefKind, style: Style) -> None:
    assert_golden(f"kinds/{mode}_{kind}_{style}.txt", shown(render(plan(config(mode, kind), 1), style)))


@every
def test_the_same_brief_comes_for_ever(mode: Mode, kind: BriefKind) -> None:
    again = BriefConfig(load_catalogue(), 5, mode, kinds={kind: 1.0}, parents=config(mode, kind).parents)
    assert briefs(mode, kind) == [plan(again, index) for index in range(60)]


@styles
@every
def test_a_brief_read_back_asks_and_makes_the_same(mode: Mode, kind: BriefKind, style: Style) -> None:
    for brief in briefs(mode, kind):
        back = brief_from_json(brief_json(brief))
        assert render(back, style) == render(brief, style)
        assert proved(back, style)[1] == proved(brief, style)[1]


@styles
@spoken
def test_the_oracle_of_each_kind_is_a_proven_task(mode: Mode, kind: BriefKind, style: Style) -> None:
    for brief in briefs(mode, kind):
        assert proved(brief, style)[1].reasons == ()


@styles
@spoken
def test_without_any_one_of_its_values_the_oracles_task_proves_nothing(
    mode: Mode, kind: BriefKind, style: Style
) -> None:
    for brief in briefs(mode, kind, 20):
        draft, _ = proved(brief, style)
        proof = draft.unanswerable if isinstance(draft.unanswerable, dict) else {}
        for value in values(proof.get("calls", draft.calls)):
            broken = replace(draft, messages=tuple(without(value, message) for message in draft.messages))
            if "unsaid" in proof:
                turn = without(value, Message("user", str(proof["unsaid"])))
                broken = replace(broken, unanswerable={**proof, "unsaid": turn.content})
            assert verify(broken).reasons, value


def without(value: Json, message: Message) -> Message:
    return replace(message, content=message.content.replace(str(value), "that"))


@spoken
def test_no_corruption_of_an_oracle_makes_parsing_or_checking_fail(mode: Mode, kind: BriefKind) -> None:
    for style in STYLES:
        for brief in briefs(mode, kind, 5):
            for draw in range(30):
                wrong, _ = corrupt(render(brief, style).oracle or "", draw / 30)
                if isinstance(answered(brief, style, wrong), Draft):
                    reasons = proved(brief, style, wrong)[1].reasons
                    assert all(reason.check != "checker" for reason in reasons)


def values(given: Json) -> list[Json]:
    """The values of calls, or of a part of one, that a question must say."""
    if isinstance(given, dict) and given.keys() == {"name", "arguments"}:
        return values(given["arguments"])
    if isinstance(given, dict):
        return [leaf for inner in given.values() for leaf in values(inner)]
    if isinstance(given, list):
        return [leaf for inner in given for leaf in values(inner)]
    return [] if isinstance(given, bool) or str(given).startswith("$var_") else [given]


def test_chains_go_four_calls_deep() -> None:
    depths = Counter(brief.calls for brief in briefs("catalogue", "dependent", 300))
    assert set(depths) == {2, 3, 4}
    assert (
        task(next(brief for brief in briefs("catalogue", "dependent") if brief.calls == 4), "plain").kind == "dependent"
    )


def test_a_small_players_calls_are_two_at_most() -> None:
    small = BriefConfig(load_catalogue(), kinds={"parallel": 0.5, "dependent": 0.5}, counts=(2,))
    assert {plan(small, index).calls for index in range(200)} == {2}


@styles
def test_a_conversation_says_the_gold_in_its_turns_and_the_later_value_counts(style: Style) -> None:
    corrected = 0
    for brief in briefs("catalogue", "conversation", 200):
        merged: dict[str, Json] = {}
        for turn in brief.said:
            corrected += any(name in merged for name in turn)
            merged |= turn
        assert merged == brief.arguments[0]
        draft, _ = proved(brief, style)
        assert [message.role for message in draft.messages[::2]] == ["user"] * brief.turns
    assert 40 < corrected < 120


def test_a_correction_that_the_last_turn_does_not_say_is_refused_by_name() -> None:
    brief = next(brief for brief in briefs("catalogue", "conversation") if brief.said[0].keys() & brief.said[-1].keys())
    turns = json.loads(render(brief, "plain").oracle or "")
    (name,) = brief.said[0].keys() & brief.said[-1].keys()
    swapped = [f"{turns[0]} And {brief.arguments[0][name]} again.", *turns[1:-1], "One more thing, please hurry."]
    assert [reason.code for reason in proved(brief, "plain", json.dumps(swapped))[1].reasons] == ["stale_value"]


def test_alternatives_are_what_the_catalogue_says_is_the_same() -> None:
    for brief in briefs("catalogue", "alternatives"):
        made = task(brief, "plain")
        assert isinstance(made.accept, list)
        assert any(made.accept)
        assert '"synonyms"' not in json.dumps(made.tools)


@styles
@pytest.mark.parametrize("kind", ["removed", "unsaid"])
def test_where_no_call_is_right_the_gold_makes_none_and_brings_its_proof(kind: BriefKind, style: Style) -> None:
    for mode in ("catalogue", "open"):
        for brief in briefs(mode, kind):
            made = task(brief, style)
            assert (made.kind, made.calls) == ("abstain", ())
            assert isinstance(made.unanswerable, dict)
            assert made.unanswerable.keys() == {kind, "calls"}


def test_the_proof_of_a_published_row_can_be_checked_again() -> None:
    from data.rows import published_row
    from data.schema import TASKS
    from tests.data.test_rows import SCORE

    for made in published():
        row = published_row(made, SCORE, env_index=0, generator_digest="g", solver_digest="s")
        assert set(row) == set(TASKS.names)
        back = task_from_row(row)
        draft = Draft(back.messages, list(back.tools), list(back.calls), back.accept, back.may_omit, back.unanswerable)
        assert verify(draft).reasons == ()


def test_a_chat_conversation_whose_turns_do_not_alternate_is_a_fault() -> None:
    brief = briefs("catalogue", "conversation")[0]
    text = "<question>User: a\nUser: b</question><tool_call_answer>[]</tool_call_answer>"
    assert getattr(answered(brief, "chat", text), "code", "") == "bad_turns"


def test_a_chat_conversation_without_labels_is_one_turn() -> None:
    brief = briefs("catalogue", "conversation")[0]
    draft = answered(brief, "chat", "<question>Do it now.</question><tool_call_answer>[]</tool_call_answer>")
    assert isinstance(draft, Draft)
    assert draft.messages == (Message("user", "Do it now."),)


@pytest.mark.parametrize("shares", [CHAT_SHARES, PLAIN_SHARES])
def test_the_usual_shares_are_of_known_kinds(shares: dict[Mode, dict[BriefKind, float]]) -> None:
    for mode, asked in shares.items():
        whole: dict[str, float] = {kind: share / sum(asked.values()) for kind, share in asked.items()}
        assert check_shares(whole, mode) == whole


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ({"singel": 1.0}, "'singel'"),
        ({"near": 1.0}, "'near'"),
        ({"single": 0.5}, "add up to 0.5"),
        ({"single": 1.5, "parallel": -0.5}, "single=1.5"),
    ],
)
def test_what_are_no_shares_is_named(shares: dict[str, float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_shares(shares, "catalogue")


ONE: Json = {"name": "ping", "parameters": {"type": "object", "properties": {}}}


@pytest.mark.parametrize("kind", [kind for kind in KINDS["catalogue"] if kind not in ("single", "world")])
def test_a_kind_asked_for_without_material_says_what_it_takes(kind: BriefKind) -> None:
    with pytest.raises(UsageError, match=kind) as raised:
        BriefConfig(build_catalogue([ONE], "test"), kinds={kind: 1.0})
    assert "it takes" in raised.value.hint


def test_a_usual_kind_without_material_does_not_come() -> None:
    small = BriefConfig(build_catalogue([ONE], "test"))
    assert small.shares.keys() <= {"single", "world"}


def test_no_text_of_a_prompt_of_a_kind_is_left_unfilled() -> None:
    for mode, kind in SPOKEN:
        for style in STYLES:
            assert "{plan}" not in prompt_text(render(plan(config(mode, kind), 0), style))
