"""Check 7: a task whose reward cannot tell is refused with the mutant that survives; other ways are recorded."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from data.canonical import canonical_bytes
from data.records import Draft, JsonObject, Message, Verdict
from tests.verifiers import tiny_world
from tests.verifiers.tiny_world import IMPLEMENTATIONS, TOOLS, WORLD, call
from verifiers import soundness as module
from verifiers.answer import Judgement
from verifiers.execution import same_outcome
from verifiers.mutant import Gold, Mutant
from verifiers.mutant_calls import all_at_once
from verifiers.mutants import MAX_MUTANTS, mutants
from verifiers.outcome import score_task
from verifiers.verify import CHECKS, Proof, verify

tiny = tiny_world.tiny

BOOK: dict[str, Any] = {
    "name": "book",
    "description": "Book a table.",
    "parameters": {
        "type": "object",
        "properties": {
            "place": {"type": "string"},
            "guests": {"type": "integer", "minimum": 1, "maximum": 4},
            "area": {"type": "string", "enum": ["inside", "terrace", "bar"]},
            "quiet": {"type": "boolean"},
            "limit": {"type": "integer", "default": 10},
        },
    },
}
FIND: dict[str, Any] = {
    "name": "find",
    "description": "Find a place to book a table at.",
    "parameters": {"place": {"type": "string"}},
}
QUESTION = "Book the terrace of Chez Nous for 3, quiet, or ask Bistro Bleu. Show at most 5."
BRANCHES: dict[str, Any] = {"anyOf": [{"type": "integer"}, *({"const": f"c{n}"} for n in range(79))]}
CALL = call("book", place="Chez Nous", guests=3, area="terrace", quiet=True)


def by_calls(calls: list[Any], **alternatives: Any) -> Proof:
    return verify(Draft((Message("user", QUESTION),), [BOOK, FIND], calls, **alternatives))


def reason(proof: Proof) -> str:
    return f"{proof.reasons[0].check}/{proof.reasons[0].code}: {proof.reasons[0].detail}" if proof.reasons else ""


class TestByCalls:
    """Only alternatives can make the reward blind."""

    @pytest.mark.parametrize(
        "alternatives",
        [
            {
                "accept": [{"place": ["Bistro Bleu"], "guests": [2, 4], "area": ["bar"]}],
                "may_omit": [["quiet", "area"]],
            },
            {"accept": [{}], "may_omit": [["place", "guests"]]},
            {"may_omit": [["quiet"]]},
            {"accept": [{"area": ["bar", "bar"], "place": ["", "chez nous"]}]},
        ],
    )
    def test_alternatives_that_leave_teeth_pass(self, alternatives: Any) -> None:
        assert reason(by_calls([CALL], **alternatives)) == ""

    @pytest.mark.parametrize(
        ("alternatives", "kind"),
        [
            ({"accept": [{"area": ["bar", "inside"]}]}, "value: call 1, area"),
            ({"accept": [{"quiet": [False]}]}, "value: call 1, quiet"),
            ({"accept": [{"guests": [1, 2, 4]}]}, "value: call 1, guests"),
            ({"may_omit": [["place", "guests", "area", "quiet"]]}, "hollow: call 1"),
            ({"may_omit": [["place", "guests", "area"]]}, "hollow: call 1"),
            ({"accept": [{"place": [" "]}], "may_omit": [["guests", "area"]]}, "hollow: call 1"),
        ],
    )
    def test_alternatives_that_let_everything_pass_are_refused_by_name(self, alternatives: Any, kind: str) -> None:
        assert reason(by_calls([CALL], **alternatives)).startswith(f"soundness/survivor: {kind}")

    def test_a_default_that_is_accepted_is_as_good_as_nothing(self) -> None:
        assert "hollow" in reason(by_calls([call("book", limit=5)], accept=[{"limit": [10]}]))

    def test_an_argument_that_nobody_had_to_say_may_be_left_out_of_its_call(self) -> None:
        assert reason(by_calls([call("book", quiet=True)], may_omit=[["quiet"]])) == ""

    def test_two_calls_of_which_one_may_be_made_twice_are_refused(self) -> None:
        calls = [call("find", place="Chez Nous"), call("find", place="Bistro Bleu")]
        assert "repeat" in reason(by_calls(calls, accept=[{"place": ["Bistro Bleu"]}, {}]))
        assert reason(by_calls(calls, accept=[{"place": ["the Chez Nous"]}, {}])) == ""

    def test_a_row_without_alternatives_is_not_examined_unless_the_check_is_named(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "judge", lambda *_: Judgement(True, "correct", 1.0))
        assert by_calls([CALL]).solvable
        named = verify(Draft((Message("user", QUESTION),), [BOOK, FIND], [CALL]), checks=["soundness"])
        assert reason(named) == "soundness/survivor: empty: no calls scores like the gold"

    @pytest.mark.parametrize("kind", ["value", "exchange", "omit", "swap", "add", "drop", "reorder", "all"])
    def test_without_alternatives_a_survivor_of_any_kind_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, kind: str
    ) -> None:
        calls = (call("find", place="Bistro Bleu"), call("book", place="$var_1.name", guests=3, limit=2))
        draft = Draft((Message("user", QUESTION),), [BOOK, FIND, {"name": "ping"}], calls)
        assert verify(draft, checks=["soundness"]).solvable
        found = [mutant for mutant in mutants(gold_of(draft)) if mutant.kind == kind]
        if kind == "all":
            found = [all_at_once(gold_of(draft), [call("ping")])]
        blindness = found[0].calls

        def blind(tools: Any, gold: Any, answer: Any, *rest: Any) -> Judgement:
            return Judgement(answer == blindness, "", float(answer == blindness))

        monkeypatch.setattr(module, "judge", blind)
        assert not verify(draft, checks=["soundness"]).solvable

    def test_with_alternatives_a_gold_too_large_to_examine_is_refused(self) -> None:
        calls = [call("find", place="Chez Nous") for _ in range(17)]
        assert reason(by_calls(calls, may_omit=[["place"]] * 17)).startswith("soundness/unexamined")
        assert reason(by_calls(calls)) == ""
        assert verify(Draft((Message("user", QUESTION),), [FIND], calls), checks=CHECKS).solvable

    def test_a_gold_of_many_values_is_examined_or_refused_in_bounded_work(self) -> None:
        tools: list[Any] = [
            {"name": f"f{n}", "parameters": {f"p{m}": {"type": "integer"} for m in range(32)}} for n in range(40)
        ]
        for calls, values, examined in ((16, 2, True), (2, 256 // 8, True), (16, 3, False), (8, 9, False)):
            given = {f"p{m}": m for m in range(values)}
            gold = [call("f0", **given) for _ in range(calls)]
            alternatives: Any = {"may_omit": [["p0"]] + [[]] * (calls - 1)}
            proof = verify(Draft((Message("user", "f"),), tools, gold, **alternatives), checks=["soundness"])
            assert reason(proof).startswith("soundness/unexamined") != examined, (calls, values)
            assert proof.solvable == examined

    @pytest.mark.parametrize(
        ("schema", "accepted", "most"),
        [
            ({"type": "integer"}, 0, [MAX_MUTANTS]),
            ({"type": "integer"}, 2_000, [74]),
            (BRANCHES, 200, [9]),
            (BRANCHES, 300, []),
        ],
        ids=["plain", "many are accepted", "many branches", "both"],
    )
    def test_of_a_gold_that_is_dear_to_try_fewer_mutants_are_tried(
        self, monkeypatch: pytest.MonkeyPatch, schema: Any, accepted: int, most: list[int]
    ) -> None:
        asked: list[int] = []

        def none(gold: Gold, resolved: Any, most: int) -> Iterator[Mutant]:
            asked.append(most)
            return iter(())

        monkeypatch.setattr(module, "mutants", none)
        tools: list[Any] = [{"name": "f", "parameters": {"p": schema, "q": {"type": "boolean"}}}]
        other: Any = {"accept": [{"p": list(range(2, 2 + accepted)), "q": [True]}]}
        draft = Draft((Message("user", "f 1, 1, yes"),), tools, [call("f", p=1, q=False)], **other)
        proof = verify(draft, checks=["soundness"])
        assert (asked, reason(proof)[:20]) == (most, "" if most else "soundness/unexamined")

    def test_ill_formed_alternatives_are_no_matter_of_soundness(self) -> None:
        draft = Draft((Message("user", QUESTION),), [BOOK], [CALL], accept=[{"area": "bar"}])
        assert [one.check for one in verify(draft, every=True).reasons] == ["calls"]


def gold_of(draft: Draft) -> Gold:
    proof = verify(draft)
    assert proof.menu
    nothing: Any = ([{}] * len(proof.calls), [()] * len(proof.calls))
    return Gold(proof.menu, proof.calls, draft.messages, *nothing)


def by_outcome(question: str, *calls: dict[str, Any], tools: Sequence[str] = (), **sources: str) -> Proof:
    """A task over the tiny world; its menu: the tools that are called, `tools` besides, and those with a source."""
    names = {*(str(one["name"]) for one in calls), *tools}
    menu: list[Any] = [tool for tool in TINY_TOOLS if tool["name"] in names]
    menu += [{"name": name, "description": name, "parameters": SCHEMAS[name]} for name in sources]
    ours = {name: source for name, source in IMPLEMENTATIONS.items() if name in names}
    turns = (Message("user", question),)
    return verify(Draft(turns, menu, list(calls), world=WORLD, implementations={**ours, **sources}))


TINY_TOOLS: Any = TOOLS
SCHEMAS: dict[str, JsonObject] = {
    "say": {
        "type": "object",
        "properties": {"text": {"type": "string"}, "tone": {"type": "string", "enum": ["warm", "cold"]}},
    },
    "list": {"properties": {"kind": {"type": "string"}}, "type": "object"},
    "sum": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "clear": {},
    "touch_all": {},
    "touch": {"count": {"type": "integer"}},
    "keep": {"count": {"type": "integer"}},
    "spin": {"n": {"type": "integer"}},
}
SAY = "def run(state, arguments):\n    state['said'] = arguments['text']\n    return {}"
TOUCH = "def run(state, arguments):\n    state['touched'] = arguments['count']\n    return arguments"
KEEP = "def run(state, arguments):\n    state['kept'] = arguments['count']\n    return {}"
OK = "def run(state, arguments):\n    return {'ok': True}"
SUM = "def run(state, arguments):\n    return {'sum': arguments['a'] + arguments['b']}"
LIST = "def run(state, arguments):\n    return state['items'] if arguments.get('kind', 'tea') == 'tea' else []"
CLEAR = "def run(state, arguments):\n    state['items'] = []\n    return {}"
SPIN = "def run(state, arguments):\n    while arguments['n'] != 3:\n        pass\n    return {'n': 3}"


class TestByOutcome:
    """The world decides."""

    def test_a_task_with_teeth_passes(self) -> None:
        proof = by_outcome(
            "Rename item 2 to cream.", call("rename", id=2, name="cream"), tools=["find", "count", "drop"]
        )
        assert reason(proof) == ""
        assert proof.alternatives == ()

    def test_a_value_that_the_world_does_not_look_at_is_refused(self) -> None:
        assert reason(by_outcome("Say hello, warm.", call("say", text="hello", tone="warm"), say=SAY)).startswith(
            "soundness/survivor: value: call 1, tone: 'cold' for 'warm'"
        )

    def test_a_tool_for_which_every_other_does_as_well_is_refused(self) -> None:
        sources = {"touch_all": OK, "clear": OK}
        refused = by_outcome("Touch all.", call("touch_all"), **sources)
        assert reason(refused) == "soundness/survivor: swap: call 1: clear for touch_all scores like the gold"
        proof = by_outcome("Touch all.", call("touch_all"), tools=["count"], **sources)
        assert proof.alternatives == (({"name": "clear", "arguments": {}},),)

    def test_a_call_that_is_not_needed_is_refused(self) -> None:
        calls = (call("rename", id=2, name="cream"), call("rename", id=2, name="curd"))
        assert "survivor: drop: call 1" in reason(by_outcome("Rename 2 to cream, then to curd.", *calls))

    def test_a_lookup_of_what_the_task_says_is_refused(self) -> None:
        calls = (call("find", name="milk"), call("rename", id="$var_1.id", name="cream"))
        assert "survivor: drop: call 1" in reason(by_outcome("Rename milk, item 2, to cream.", *calls))
        assert reason(by_outcome("Rename milk to cream.", *calls)) == ""

    def test_a_filter_that_filters_nothing_is_refused(self) -> None:
        assert "survivor: hollow" in reason(by_outcome("List the tea.", call("list", kind="tea"), list=LIST))

    def test_an_order_that_calls_do_not_tell_and_a_reading_does_is_refused(self) -> None:
        calls = (call("clear"), call("count"))
        assert "survivor: sequence" in reason(by_outcome("Clear all, then count.", *calls, clear=CLEAR))
        assert reason(by_outcome("Add rice and oats.", call("add", name="rice"), call("add", name="oats"))) == ""

    def test_an_order_in_which_a_call_fails_is_refused(self) -> None:
        calls = (call("rename", id=2, name="rice"), call("find", name="rice"))
        assert "survivor: sequence" in reason(by_outcome("Rename item 2 to rice and show rice.", *calls))

    def test_all_tools_at_once_are_refused_where_they_change_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "same_outcome", lambda one, other: one["state"] == other["state"])
        proof = by_outcome("Rename item 2 to cream.", call("rename", id=2, name="cream"), tools=["count", "nan"])
        assert reason(proof).startswith("soundness/survivor: all: ")
        assert "count" in reason(proof)
        assert "nan" not in reason(proof), "a tool that fails is left out of all at once"

    def test_another_way_to_the_outcome_is_an_alternative_and_scores_1(self) -> None:
        question = "What is 4 plus 7?"
        proof = by_outcome(question, call("sum", a=4, b=7), sum=SUM)
        assert reason(proof) == ""
        assert ({"name": "sum", "arguments": {"a": 7, "b": 4}},) in proof.alternatives
        for calls in proof.alternatives:
            text = canonical_bytes(list(calls)).decode()
            scored = score_task(
                proof.tools,
                proof.calls,
                f"<tool_call_answer>{text}</tool_call_answer>",
                world=WORLD,
                implementations={"sum": SUM},
                outcome=proof.outcome,
            )
            assert (scored.judged.reward, scored.rule) == (1.0, "outcome")

    def test_a_reference_that_leads_to_the_same_value_elsewhere_is_no_other_value(self) -> None:
        calls = (call("count"), call("touch", count="$var_1.count"), call("keep", count="$var_2.count"))
        proof = by_outcome("Count, touch that many and keep as many.", *calls, touch=TOUCH, keep=KEEP)
        assert reason(proof) == ""
        assert [one[2]["arguments"] for one in proof.alternatives] == [{"count": "$var_1.count"}]

    def test_alternatives_are_always_the_same(self) -> None:
        first, second = (by_outcome("What is 4 plus 7?", call("sum", a=4, b=7), sum=SUM) for _ in range(2))
        assert first.alternatives == second.alternatives

    def test_mutants_that_do_not_end_are_given_up_on(self) -> None:
        assert reason(by_outcome("Spin 3.", call("spin", n=3), spin=SPIN)).startswith("soundness/unexamined: 4 mutants")

    def test_soundness_by_name_rests_on_execution(self) -> None:
        draft = tiny_world.draft("Find rum.", [call("find", name="rum")])
        assert [one.check for one in verify(draft, checks=["soundness"]).reasons] == ["execution"]

    def test_an_outcome_stored_with_its_alternatives_is_the_same_outcome(self) -> None:
        proof = by_outcome("What is 4 plus 7?", call("sum", a=4, b=7), sum=SUM)
        stored: Any = {**proof.outcome, "alternatives": proof.alternatives}  # type: ignore[dict-item]
        assert same_outcome(stored, proof.outcome)


def test_a_gold_that_does_not_run_is_our_fault_and_no_verdict() -> None:
    draft = tiny_world.draft("Find tea.", [call("find", name="tea")])
    proof = verify(draft, checks=["calls"])
    assert proof.menu
    gold = Gold(proof.menu, (call("find", name="rum"),), draft.messages, [{}], [()])
    with pytest.raises(ValueError, match="does not run"):
        module.check_soundness(gold, module.Executed(WORLD, IMPLEMENTATIONS, {}))


def test_the_verdict_is_of_check_soundness() -> None:
    proof = by_calls([CALL], accept=[{"quiet": [False]}])
    assert proof.reasons == (
        Verdict("soundness", "survivor", "value: call 1, quiet: False for True scores like the gold"),
    )
