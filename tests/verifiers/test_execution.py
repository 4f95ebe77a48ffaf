"""Check 6: gold calls run twice, references are resolved, and every fault has its code."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.canonical import digest
from data.records import Json, Verdict
from tests.verifiers import tiny_world
from tests.verifiers.tiny_world import IMPLEMENTATIONS, WORLD, call, draft, menu
from verifiers import execution
from verifiers.codes import CODES
from verifiers.execution import Replay, check_execution, replay, trace
from verifiers.verify import verify

tiny = tiny_world.tiny
PYTHON = "def run(state, arguments):\n    state['n'] = state.get('n', 0) + 1\n    return {'n': state['n']}"


def ran(*calls: dict[str, Any], world: Json = WORLD, implementations: Json = IMPLEMENTATIONS) -> Replay:
    replayed = replay(world, implementations, calls)
    assert isinstance(replayed, Replay), replayed
    return replayed


def fault(calls: list[dict[str, Any]], world: Json = WORLD, implementations: Json = IMPLEMENTATIONS) -> str:
    found = check_execution(menu(), calls, world, implementations)
    assert isinstance(found, Verdict), found
    assert found.check == "execution"
    return found.code


def test_a_step_says_what_was_called_what_came_back_and_what_the_state_is() -> None:
    step = ran(call("add", name="rice")).steps[0]
    state = {**WORLD, "items": [*WORLD["items"], {"id": 3, "name": "rice"}]}
    assert step.call == call("add", name="rice")
    assert step.result == {"item": {"id": 3, "name": "rice"}, "ids": [1, 2, 3]}
    assert (step.state, step.changed) == (digest(state), True)


def test_a_reading_leaves_the_state_as_it_was() -> None:
    step = ran(call("count")).steps[0]
    assert (step.state, step.changed) == (digest(WORLD), False)


def test_the_world_of_the_task_is_never_changed() -> None:
    before = copy.deepcopy(WORLD)
    ran(call("add", name="rice"), call("rename", id=1, name="coffee"))
    assert before == WORLD


def test_what_a_step_says_is_not_changed_by_later_calls() -> None:
    added, _ = ran(call("add", name="rice"), call("rename", id=3, name="oats")).steps
    assert added.result["item"]["name"] == added.call["arguments"]["name"] == "rice"  # type: ignore[call-overload,index]


@pytest.mark.parametrize(
    ("path", "value"), [(".item.id", 3), (".ids[0]", 1), (".ids[2]", 3), (".item", {"id": 3, "name": "rice"})]
)
def test_a_reference_stands_for_what_it_leads_to(path: str, value: Json) -> None:
    step = trace(WORLD, IMPLEMENTATIONS, [call("add", name="rice"), call("find", name=f"$var_1{path}")])
    assert execution._at(step[0].steps[0].result, path, "") == value


def test_a_later_call_sees_an_earlier_result() -> None:
    final = ran(call("find", name="milk"), call("rename", id="$var_1.id", name="cream"))
    assert final.state["items"][1] == {"id": 2, "name": "cream"}  # type: ignore[index,call-overload]
    assert final.steps[1].call == call("rename", id=2, name="cream")


def test_references_are_resolved_at_any_depth() -> None:
    source = "def run(state, arguments):\n    return arguments"
    both = {"a": source, "b": source}
    nested = call("b", x=[{"y": "$var_1.p[0].q"}], z="$var_1.p and more")
    steps = ran(call("a", p=[{"q": 7}]), nested, world={}, implementations=both).steps
    assert steps[1].result == {"x": [{"y": 7}], "z": "$var_1.p and more"}


@pytest.mark.parametrize(
    "reference",
    [
        "$var_1.nope",
        "$var_1.ids[3]",
        "$var_1.ids.0",
        "$var_1.item[0]",
        "$var_1.item.id.x",
        "$var_1.ids[00000000000003]",
    ],
)
def test_a_reference_that_leads_nowhere_is_named(reference: str) -> None:
    assert fault([call("add", name="rice"), call("find", name=reference)]) == "bad_reference"


@pytest.mark.parametrize("reference", ["$var_0.id", "$var_2.id", "$var_3.id", "$var_999999999999.id"])
def test_a_reference_to_no_earlier_call_is_named(reference: str) -> None:
    assert fault([call("find", name="tea"), call("drop", id=reference)]) == "bad_reference"


def test_a_reference_to_a_value_of_another_type_is_named() -> None:
    tools: list[Json] = [
        {"name": "make", "parameters": {}},
        {"name": "take", "parameters": {"number": {"type": "integer"}}},
    ]
    source = "def run(state, arguments):\n    state['x'] = 1\n    return {'number': 'seven'}"
    found = check_execution(
        menu(tools), [call("make"), call("take", number="$var_1.number")], {}, {"make": source, "take": source}
    )
    assert isinstance(found, Verdict)
    assert (found.code, found.detail[:15]) == ("bad_reference", "call 2, number:")


@pytest.mark.parametrize(
    ("code", "calls", "changed"),
    [
        ("no_implementation", [call("count")], {"implementations": None}),
        ("no_implementation", [call("count")], {"implementations": {}}),
        ("no_implementation", [call("count")], {"implementations": {"add": "builtin:tiny.add"}}),
        ("bad_implementation", [call("count")], {"implementations": ["builtin:tiny.count"]}),
        ("bad_implementation", [call("count")], {"implementations": {"count": 3}}),
        ("bad_implementation", [call("count")], {"implementations": {"count": "builtin:tiny.nope"}}),
        ("bad_implementation", [call("count")], {"implementations": {"count": "builtin:nope.count"}}),
        ("bad_implementation", [call("count")], {"implementations": {"count": PYTHON, "other": PYTHON}}),
        ("bad_implementation", [call("count")], {"implementations": {"count": "x = 1"}}),
        ("bad_world", [call("count")], {"world": []}),
        ("bad_world", [call("count")], {"world": "state"}),
        ("too_large", [call("count")], {"world": {"x": "y" * 300_000}}),
        ("too_large", [call("count")] * 17, {}),
        ("too_large", [call("fill")], {}),
        ("too_large", [call("long")], {}),
        ("tool_failed", [call("find", name="rum")], {}),
        ("tool_failed", [call("find", name="tea")], {"world": {"other": 1}}),
        ("not_json", [call("nan")], {}),
        ("nondeterministic", [call("tick")], {}),
        ("nondeterministic", [call("tick_state")], {}),
        ("empty_result", [call("nothing")], {}),
        ("empty_result", [call("drop", id=99)], {}),
        (
            "empty_result",
            [call("find", name="tea"), call("drop", id=99), call("rename", id="$var_1.id", name="tea")],
            {},
        ),
    ],
)
def test_each_fault_has_its_code(code: str, calls: list[dict[str, Any]], changed: dict[str, Json]) -> None:
    assert fault(calls, **changed) == code


def test_a_builtin_is_given_only_what_its_own_schema_allows() -> None:
    source = "def run(state, arguments):\n    return {'id': '1'}"
    calls = [call("count"), call("drop", id="$var_1.id")]
    found = replay(WORLD, {**IMPLEMENTATIONS, "count": source}, calls)
    assert isinstance(found, Verdict)
    assert found.detail.startswith("call 2, drop: wrong_type at id")


def test_a_fault_names_its_call() -> None:
    found = replay(WORLD, IMPLEMENTATIONS, [call("count"), call("find", name="rum")])
    assert found == Verdict("execution", "tool_failed", "call 2, find: no item rum")


def test_the_steps_before_a_fault_are_kept() -> None:
    kept, found = trace(WORLD, IMPLEMENTATIONS, [call("drop", id=1), call("find", name="tea")])
    assert found is not None
    assert [step.changed for step in kept.steps] == [True]


def test_a_task_needs_no_world() -> None:
    assert ran(call("count"), world=None, implementations={"count": PYTHON}).state == {"n": 1}


def test_generated_tools_share_nothing_but_the_state() -> None:
    leaky = "seen = []\ndef run(state, arguments):\n    seen.append(1)\n    return {'seen': len(seen)}"
    steps = ran(call("a"), call("a"), call("b"), world={}, implementations={"a": leaky, "b": leaky}).steps
    assert [step.result for step in steps] == [{"seen": 1}] * 3


def test_generated_and_built_in_tools_work_on_one_state() -> None:
    source = "def run(state, arguments):\n    return {'name': state['items'].pop(0)['name']}"
    final = ran(
        call("pop"), call("add", name="$var_1.name"), implementations={"pop": source, "add": "builtin:tiny.add"}
    )
    items = [{"id": 2, "name": "milk"}, {"id": 2, "name": "tea"}]
    assert final.state == {**WORLD, "items": items}


def test_all_generated_calls_of_a_replay_share_their_time() -> None:
    slow = "def run(state, arguments):\n    i = 0\n    while i < 300000:\n        i += 1\n    return {'i': i}"
    assert fault([call("count")] * 16, implementations={"count": slow}) == "timeout"


class TestVerify:
    """The check in its place."""

    def test_a_task_that_runs_has_its_outcome_in_the_proof(self) -> None:
        proof = verify(draft("Add rice.", [call("add", name="rice")]))
        assert proof.reasons == ()
        assert proof.outcome == {
            "state": {"set": {"/items/2": {"id": 3, "name": "rice"}}, "removed": []},
            "answers": [],
        }

    def test_a_task_without_world_or_implementations_has_none(self) -> None:
        proof = verify(draft("Add rice.", [call("add", name="rice")], world=None, implementations=None))
        assert (proof.solvable, proof.outcome) == (True, None)

    def test_a_world_that_nothing_works_on_is_a_fault(self) -> None:
        (reason,) = verify(draft("Add rice.", [call("add", name="rice")], implementations=None)).reasons
        assert (reason.check, reason.code) == ("execution", "no_implementation")

    def test_a_value_that_stands_in_the_world_alone_is_not_said(self) -> None:
        (reason,) = verify(draft("Rename the tea.", [call("rename", id=1, name="tea")])).reasons
        assert (reason.check, reason.code) == ("grounding", "ungrounded")

    def test_it_comes_after_determinacy(self) -> None:
        (reason,) = verify(draft("Call find(name='rum').", [call("find", name="rum")])).reasons
        assert (reason.check, reason.code) == ("determinacy", "leaks_answer")

    def test_it_can_be_left_out(self) -> None:
        wanted = verify(draft("Find the rum.", [call("find", name="rum")]), checks=["grounding"])
        assert wanted.solvable

    def test_the_parent_of_an_unanswerable_task_is_run(self) -> None:
        tools = [tool for tool in tiny_world.TOOLS if tool["name"] != "find"]  # type: ignore[index,call-overload]
        removed = next(tool for tool in tiny_world.TOOLS if tool["name"] == "find")  # type: ignore[index,call-overload]
        for name, solvable in (("tea", True), ("rum", False)):
            proof = {"removed": removed, "calls": [call("find", name=name)]}
            checked = verify(draft(f"Find the {name}.", [], tools=tools, unanswerable=proof))
            assert (checked.solvable, checked.outcome) == (solvable, None)


NAMES = st.sampled_from(["tea", "milk", "rice", "oats"])
CALLS = st.one_of(
    st.builds(lambda name: call("add", name=name), NAMES),
    st.builds(lambda name: call("find", name=name), NAMES),
    st.builds(lambda i, name: call("rename", id=i, name=name), st.integers(1, 4), NAMES),
    st.builds(lambda i: call("drop", id=i), st.integers(1, 4)),
    st.just(call("count")),
)


@given(st.lists(CALLS, max_size=8))
def test_a_replay_is_deterministic(calls: list[dict[str, Any]]) -> None:
    assert trace(WORLD, IMPLEMENTATIONS, calls) == trace(copy.deepcopy(WORLD), dict(IMPLEMENTATIONS), calls)


@given(st.lists(CALLS, max_size=8))
def test_the_last_digest_is_that_of_the_final_state(calls: list[dict[str, Any]]) -> None:
    replayed, _ = trace(WORLD, IMPLEMENTATIONS, calls)
    assert digest(replayed.state) == (replayed.steps[-1].state if replayed.steps else digest(WORLD))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text("aé$_.["),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, st.text("$var_1.ab[]0", max_size=12))
def test_any_reference_into_any_result_is_resolved_or_named(result: Json, text: str) -> None:
    source = "def run(state, arguments):\n    return arguments"
    replayed = replay({}, {"t": source}, [call("t", a=result), call("t", b="$var_1." + text)])
    assert isinstance(replayed, Replay) or replayed.code == "bad_reference"


WORLDS = JSON | st.fixed_dictionaries({"items": st.lists(JSON, max_size=3)})
SOURCES = JSON | st.dictionaries(
    st.sampled_from(["add", "find", "count", "other"]),
    JSON | st.sampled_from(["builtin:tiny.add", "builtin:tiny.find", "builtin:", "builtin:tiny.", PYTHON, "x ="]),
    max_size=3,
)


@given(WORLDS, SOURCES, st.lists(CALLS, min_size=1, max_size=3))
def test_whatever_world_and_implementations_are_there_is_an_outcome_or_a_code(
    world: Json, implementations: Json, calls: list[dict[str, Any]]
) -> None:
    found = verify(draft("Do it.", calls, world=world, implementations=implementations), checks=["execution"])
    assert {reason.check for reason in found.reasons} <= {"execution", "calls"}
    assert all(reason.code in CODES[reason.check] for reason in found.reasons)
    assert found.solvable == (found.outcome is not None or (world is None and implementations is None))
