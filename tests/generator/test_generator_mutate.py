"""Published tasks changed: each change is what it says, keeps its parent's meaning and is proved anew."""

import json

import pytest

from data.errors import UsageError
from data.records import BriefKind, Task
from generator.briefs import BriefConfig, plan
from generator.catalogue import load_catalogue
from generator.kinds import KINDS, WORDLESS
from generator.material import fits
from generator.prompts import render
from policies.protocol import prompt_text
from tests.generator.generator_cases import config, proved, published, task

PARENTS = {parent.task_id: parent for parent in published()}


def changed(kind: BriefKind, count: int = 60) -> list[tuple[Task, Task]]:
    """Parents and what became of them, those that the proof let through."""
    briefs = [plan(config("evolve", kind), index) for index in range(count)]
    solvable = [brief for brief in briefs if proved(brief, "plain")[1].solvable]
    assert len(solvable) > 0.9 * count
    return [(PARENTS[str(brief.parent_task_id)], task(brief, "plain")) for brief in solvable]


@pytest.mark.parametrize("kind", KINDS["evolve"])
def test_a_changed_task_names_its_parent_and_is_another(kind: BriefKind) -> None:
    for parent, child in changed(kind):
        assert child.parent_task_id == parent.task_id != child.task_id
        assert (child.mode, child.domain) == ("evolve", parent.domain)


@pytest.mark.parametrize("kind", sorted(WORDLESS))
def test_no_model_is_asked_where_no_words_are_due(kind: BriefKind) -> None:
    assert {prompt_text(render(plan(config("evolve", kind), index), "chat")) for index in range(9)} == {""}


def test_near_adds_tools_that_the_gold_does_not_fit() -> None:
    for parent, child in changed("near"):
        added = [tool for tool in child.tools if tool["name"] not in {one["name"] for one in parent.tools}]
        assert 2 <= len(added) <= 4
        assert child.calls == parent.calls
        assert not any(fits(tool, call["arguments"]) for tool in added for call in child.calls)  # type: ignore[arg-type]


def test_fewer_leaves_one_tool_that_nobody_calls() -> None:
    for parent, child in changed("fewer"):
        called = {call["name"] for call in child.calls}
        assert len([tool for tool in child.tools if tool["name"] not in called]) == 1
        assert (child.calls, child.messages) == (parent.calls, parent.messages)


def test_further_adds_a_call_that_uses_the_last_result() -> None:
    for parent, child in changed("further"):
        assert child.calls[:-1] == parent.calls
        assert f'"$var_{len(parent.calls)}.' in json.dumps(child.calls[-1])
        assert child.messages[-1].content.startswith(parent.messages[-1].content)


def test_indirect_says_the_same_in_other_words() -> None:
    for parent, child in changed("indirect"):
        assert (child.calls, child.tools) == (parent.calls, parent.tools)
        assert child.messages != parent.messages


def test_a_hint_that_names_its_tool_is_refused() -> None:
    brief = next(one for one in (plan(config("evolve", "indirect"), n) for n in range(99)) if one.calls == 1)
    named = json.loads(render(brief, "plain").oracle or "") + f" So {brief.targets[0].replace('_', ' ')} now."
    assert [reason.code for reason in proved(brief, "plain", json.dumps(named))[1].reasons] == ["not_indirect"]


def test_renamed_keeps_everything_but_names() -> None:
    for parent, child in changed("renamed"):
        assert child.messages == parent.messages
        assert not {tool["name"] for tool in child.tools} & {tool["name"] for tool in parent.tools}
        assert [len(call["arguments"]) for call in child.calls] == [len(call["arguments"]) for call in parent.calls]  # type: ignore[arg-type]
        assert all(tool["description"] for tool in child.tools)


def test_renamed_leaves_the_name_of_what_an_earlier_result_gives() -> None:
    for parent, child in changed("renamed", 200):
        for old, new in zip(parent.calls, child.calls, strict=True):
            for name, value in old["arguments"].items():  # type: ignore[union-attr]
                if str(value).startswith("$var_"):
                    assert new["arguments"][name] == value  # type: ignore[index]


@pytest.mark.parametrize("kind", ["removed", "unsaid"])
def test_an_unanswerable_child_has_its_parent_as_proof(kind: BriefKind) -> None:
    for parent, child in changed(kind):
        assert child.calls == ()
        assert isinstance(child.unanswerable, dict)
        assert child.unanswerable["calls"] == list(parent.calls)


def test_a_change_that_no_parent_allows_says_so() -> None:
    single = [parent for parent in published() if parent.kind == "single" and parent.turns == 1][:3]
    with pytest.raises(UsageError, match="unsaid"):
        BriefConfig(load_catalogue(), mode="evolve", kinds={"unsaid": 1.0}, parents=tuple(single))


def test_no_parents_at_all_are_the_users_fault() -> None:
    with pytest.raises(UsageError, match="no published task"):
        BriefConfig(load_catalogue(), mode="evolve")


def test_the_parents_enter_the_digest() -> None:
    configs = [BriefConfig(load_catalogue(), mode="evolve", parents=published()[:count]) for count in (3, 4)]
    assert configs[0].digest != configs[1].digest
