"""Matching, references, alternatives, outcomes and the graded reward (RULES A6-A10), and attacks on them (A1)."""

import ast
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers import answer
from verifiers.answer import Judgement, judge, score

TOOLS = [
    {
        "name": "weather",
        "description": "",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "unit": {"type": "string", "default": "c"},
                "days": {"type": "integer"},
                "note": {"type": ["string", "null"], "default": None},
            },
        },
    },
    {"name": "find", "description": "", "parameters": {"type": "object", "properties": {"name": {"type": "string"}}}},
    {"name": "send", "description": "", "parameters": {"type": "object", "properties": {"to": {}, "text": {}}}},
    {"name": "ping", "description": "", "parameters": {"type": "object", "properties": {}}},
]


def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


def ruled(gold: list[Any], calls: list[Any], **alternatives: Any) -> tuple[str, float]:
    judged = judge(TOOLS, gold, calls, **alternatives)
    assert judged.correct == (judged.outcome == "correct")
    return judged.outcome, round(judged.reward, 6)


PARIS, ROME, OSLO = (call("weather", city=city) for city in ("Paris", "Rome", "Oslo"))
ADA, BOB, PING = call("find", name="Ada"), call("find", name="Bob"), call("ping")


def send(to: Any, text: str = "hi") -> dict[str, Any]:
    return call("send", to=to, text=text)


@pytest.mark.parametrize(
    ("gold", "calls", "outcome", "reward"),
    [
        ([], [], "correct", 1.0),
        ([PING], [PING], "correct", 1.0),
        ([PARIS, PARIS], [PARIS, PARIS], "correct", 1.0),
        ([PARIS, ROME, OSLO], [OSLO, PARIS, ROME], "correct", 1.0),
        ([PARIS], [call("weather", city="Paris", note=None, unit="c")], "correct", 1.0),
        ([PARIS], [], "missing_call", 0.0),
        ([], [PARIS], "extra_call", 0.0),
        ([PARIS, ROME], [ROME], "missing_call", 0.5),
        ([PARIS], [PARIS, PARIS], "extra_call", 0.8),
        ([PARIS], [ROME, PARIS, OSLO], "extra_call", 1 / 1.5),
        ([PARIS], [PING], "wrong_tool", 0.0),
        ([PARIS], [call("weather")], "missing_argument", 0.2),
        ([PARIS], [call("weather", town="Paris")], "missing_argument", 0.2),
        ([PARIS], [call("weather", city="Paris", days=2)], "extra_argument", 0.2 + 0.3 * 2 / 3 + 0.25),
        ([PING], [call("ping", x=1)], "extra_argument", 0.2),
        ([PARIS], [ROME], "wrong_value", 0.5),
        ([PARIS], [call("weather", city=3)], "wrong_type", 0.5),
        ([PARIS], [call("weather", city=None)], "wrong_type", 0.5),
        ([PARIS], [call("weather", city=["Paris"])], "wrong_type", 0.5),
        ([PARIS], [call("weather", city="Paris", unit="f")], "wrong_value", 0.75),
        ([call("weather", city="Paris", unit="f")], [PARIS], "wrong_value", 0.75),
        ([call("weather", city="Paris", days=3)], [call("weather", city="Rome", days="3")], "wrong_type", 0.5),
        ([call("weather", city="Paris", days=3)], [call("weather", city=1)], "missing_argument", 0.4),
        ([send([1, 2])], [send(["1", 2])], "wrong_type", 0.75),
        ([send([1, 2])], [send([1])], "wrong_value", 0.75),
        ([PARIS, PING], [PING, ROME], "wrong_value", 0.75),
        ([PARIS, ROME], [PING, call("weather")], "missing_argument", 0.1),
    ],
)
def test_outcome_and_reward_follow_the_rules(gold: Any, calls: Any, outcome: str, reward: float) -> None:
    assert ruled(gold, calls) == (outcome, round(reward, 6))


def test_nearly_right_is_at_most_099() -> None:
    wide = call("send", **{f"a{n}": n for n in range(200)})
    off = call("send", **{**wide["arguments"], "a0": -1})
    assert ruled([wide], [off]) == ("wrong_value", 0.99)


@pytest.mark.parametrize(
    ("gold", "calls", "outcome", "reward"),
    [
        ([ADA, send("$var_1.id")], [ADA, send("$var_1.id")], "correct", 1.0),
        ([ADA, BOB, send("$var_2.id")], [BOB, ADA, send("$var_1.id")], "correct", 1.0),
        ([ADA, ADA, send("$var_2.id")], [ADA, send("$var_1.id"), ADA], "correct", 1.0),
        ([ADA, send("$var_1.id"), send("$var_2.id")], [ADA, send("$var_1.id"), send("$var_2.id")], "correct", 1.0),
        ([ADA, send(["$var_1.id", 2])], [ADA, send(["$var_1.id", 2.0])], "correct", 1.0),
        ([ADA, send("$var_1.id")], [ADA, send("$var_1.name")], "wrong_value", 0.875),
        ([ADA, send("$var_1.id")], [ADA, send("$var_1")], "wrong_value", 0.875),
        ([ADA, send("$var_1.id")], [ADA, send("see $var_1.id")], "wrong_value", 0.875),
        ([ADA, send("$var_1.id")], [ADA, send(7)], "wrong_value", 0.875),
        ([ADA, send(7)], [ADA, send("$var_1.id")], "wrong_value", 0.875),
        ([ADA, send("$var_1.id")], [BOB, send("$var_1.id")], "wrong_value", 0.625),
        ([ADA, BOB, send("$var_2.id")], [ADA, BOB, send("$var_1.id")], "wrong_value", 2.75 / 3),
        ([ADA, send("$var_1.id")], [send("$var_2.id"), ADA], "wrong_order", 0.875),
        ([ADA, send("$var_1.id")], [send("$var_1.id"), ADA], "wrong_value", 0.875),
        ([ADA, send("$var_1.id")], [ADA, send("$var_9.id")], "wrong_value", 0.875),
        ([ADA, send("$var_1.id")], [ADA, send("$var_0.id")], "wrong_value", 0.875),
        ([ADA, send("$var_1.id")], [ADA, send("$var_" + "9" * 5000 + ".id")], "wrong_value", 0.875),
        ([ADA, send("$var_1.id", "a")], [send("$var_2.id", "b"), ADA], "wrong_value", 0.75),
    ],
)
def test_references_mean_the_call_and_not_its_place(gold: Any, calls: Any, outcome: str, reward: float) -> None:
    assert ruled(gold, calls) == (outcome, round(reward, 6))


def test_answers_that_refer_in_circles_end() -> None:
    circle = [send("$var_2.id"), send("$var_1.id")]
    assert ruled([ADA, send("$var_1.id")], circle)[0] == "wrong_tool"
    assert ruled([send(1), send("$var_1.id")], circle)[0] == "wrong_value"


def test_a_long_chain_of_references_is_no_deep_recursion() -> None:
    chain = [ADA, *(send(f"$var_{n}.id", str(n)) for n in range(1, 150))]
    assert ruled(chain, chain) == ("correct", 1.0)


@pytest.mark.parametrize(
    ("calls", "alternatives", "outcome"),
    [
        ([ROME], {"accept": [{"city": ["Rome"]}]}, "correct"),
        ([PARIS], {"accept": [{"city": ["Rome"]}]}, "correct"),
        ([OSLO], {"accept": [{"city": ["Rome"]}]}, "wrong_value"),
        ([call("weather", city=7)], {"accept": [{"city": [None, 8]}]}, "wrong_value"),
        ([call("weather")], {"may_omit": [["city"]]}, "correct"),
        ([call("weather", unit="c")], {"may_omit": [["city"]]}, "correct"),
        ([ROME], {"may_omit": [["city"]]}, "wrong_value"),
        ([call("weather", days=2)], {"may_omit": [["city"]]}, "extra_argument"),
        ([PARIS], {"accept": [], "may_omit": None}, "correct"),
        ([call("weather", city="Paris", days=2)], {"accept": [{"days": [1, 2]}]}, "correct"),
        ([call("weather", city="Paris", days=3)], {"accept": [{"days": [1, 2]}]}, "wrong_value"),
        ([call("weather", city="Paris", unit="f")], {"accept": [{"unit": ["f"]}]}, "correct"),
        ([PARIS], {"accept": [{"days": [1, 2], "unit": ["f"]}]}, "correct"),
    ],
)
def test_alternatives_are_as_good_as_the_gold(calls: Any, alternatives: Any, outcome: str) -> None:
    assert ruled([PARIS], calls, **alternatives)[0] == outcome


def test_a_default_may_be_left_out_where_the_gold_says_something_else_only_by_leave() -> None:
    gold = [call("weather", city="Paris", unit="f")]
    assert ruled(gold, [PARIS], may_omit=[["unit"]]) == ("correct", 1.0)
    assert ruled(gold, [call("weather", city="Paris", unit="c")], may_omit=[["unit"]]) == ("wrong_value", 0.75)


def test_only_a_maximum_matching_finds_the_pairs() -> None:
    gold = [call("send", to=1), call("send", to=2), call("send", to=3)]
    accept = [{"to": [2, 3]}, {"to": [3]}, {}]
    for order in itertools.permutations([3, 1, 2]):
        assert ruled(gold, [call("send", to=to) for to in order], accept=accept) == ("correct", 1.0)
    assert ruled(gold, [call("send", to=to) for to in (1, 1, 3)], accept=accept)[0] == "wrong_value"


def best_by_trying(cost: list[list[float]]) -> float:
    if len(cost) > len(cost[0]):
        cost = [list(column) for column in zip(*cost, strict=True)]
    orders = itertools.permutations(range(len(cost[0])), len(cost))
    return min(sum(cost[i][j] for i, j in enumerate(order)) for order in orders)


@given(
    st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
        lambda size: st.lists(
            st.lists(st.sampled_from([0, 0.25, 0.5, 1]) | st.floats(0, 1), min_size=size[1], max_size=size[1]),
            min_size=size[0],
            max_size=size[0],
        )
    )
)
def test_the_assignment_is_the_cheapest_of_all(cost: list[list[float]]) -> None:
    pairs = answer._assign(cost)
    rows, columns = ({pair[side] for pair in pairs} for side in (0, 1))
    assert len(pairs) == len(rows) == len(columns) == min(len(cost), len(cost[0]))
    assert sum(cost[i][j] for i, j in pairs) == pytest.approx(best_by_trying(cost))


VALUES = st.sampled_from([1, 1.0, "1", True, None, [1], {"k": 1}, "$var_1.id", "$var_2.id", "$var_7.id"])
CALLS = st.lists(
    st.builds(
        lambda name, arguments: {"name": name, "arguments": arguments},
        st.sampled_from(["weather", "find", "send", "ping", "unknown"]),
        st.dictionaries(st.sampled_from(["city", "unit", "note", "to"]), VALUES, max_size=3),
    ),
    max_size=4,
)


def references_stand_earlier(calls: list[Any]) -> bool:
    texts = [json.dumps(one) for one in calls]
    return not any(f"$var_{n}." in text for place, text in enumerate(texts) for n in range(place + 1, 9))


@given(CALLS.filter(references_stand_earlier))
def test_the_gold_itself_always_scores_one(gold: list[Any]) -> None:
    assert ruled(gold, json.loads(json.dumps(gold))) == ("correct", 1.0)


@given(CALLS.filter(references_stand_earlier), CALLS)
def test_the_reward_is_one_exactly_when_correct_and_never_near_it_otherwise(gold: Any, calls: Any) -> None:
    judged = judge(TOOLS, gold, calls)
    assert judged.outcome in (*answer.OUTCOMES, "missing_call", "extra_call")
    assert judged.reward == 1.0 if judged.correct else 0 <= judged.reward <= 0.99
    assert judged.correct or judged.detail
    if bool(gold) != bool(calls):
        assert judged.reward == 0


@given(CALLS.filter(lambda calls: "$var_" not in json.dumps(calls)), st.randoms(use_true_random=False))
def test_calls_that_need_nothing_of_each_other_have_no_order(gold: list[Any], random: Any) -> None:
    shuffled = random.sample(gold, len(gold))
    assert ruled(gold, shuffled) == ("correct", 1.0)


def tagged(calls: Any) -> str:
    return f"<tool_call_answer>{json.dumps(calls)}</tool_call_answer>"


@pytest.mark.parametrize(
    ("completion", "outcome"),
    [
        (tagged([PARIS]), "correct"),
        (tagged([PARIS]) + tagged([PARIS]), "several_answers"),
        (tagged([PARIS]) + "\n<tool_call_answer>", "truncated"),
        ("<think>" + tagged([PARIS]), "no_answer"),
        (tagged([ROME]) + "</think>" + tagged([PARIS]), "correct"),
        (tagged([PARIS]) + "</think>" + tagged([ROME]), "wrong_value"),
        (tagged([PARIS]).replace("_", "\u200b_"), "no_answer"),
        (tagged([call("weather", city="Par\u200bis")]), "wrong_value"),
        (tagged([call("weather", city="P\u0430ris")]), "wrong_value"),
        (tagged([call("weather\u200b", city="Paris")]), "wrong_tool"),
        (tagged([call("Weather", city="Paris")]), "wrong_tool"),
        (tagged([call("weather", city="</tool_call_answer>" + tagged([PARIS]))]), "several_answers"),
        (tagged([call("weather", city="<tool_call_answer>")]), "truncated"),
        (tagged({"answers": [[PARIS], [ROME]]}), "malformed"),
        (tagged([[PARIS], [ROME]]), "malformed"),
        (tagged("correct"), "malformed"),
        (tagged([PARIS, ROME]), "extra_call"),
        (tagged([{**PARIS, "arguments": [PARIS["arguments"]]}]), "malformed"),
        (tagged([{**PARIS, "reward": 1}]), "malformed"),
        ("__import__('os').system('true')", "no_answer"),
    ],
)
def test_attacks_on_the_format_earn_nothing(completion: str, outcome: str) -> None:
    judged = score(TOOLS, [PARIS], completion)
    assert judged.outcome == outcome
    if outcome in ("no_answer", "several_answers", "truncated", "malformed"):
        assert (judged.reward, judged.calls) == (0.0, None)


@pytest.mark.parametrize(
    ("gold", "alternatives"),
    [
        (None, {}),
        ([{"name": "weather", "parameters": {}}], {}),
        ([PARIS], {"accept": [{}, {}]}),
        ([PARIS], {"may_omit": [[], []]}),
        ([PARIS], {"accept": [3]}),
    ],
)
def test_an_unfit_gold_is_our_fault_and_no_wrong_answer(gold: Any, alternatives: Any) -> None:
    judged = score(TOOLS, gold, tagged([PARIS]), **alternatives)
    assert judged[:3] == (False, "checker_error", 0.0)
    assert judged.detail


def test_absurdly_many_calls_are_an_answer_of_little_worth() -> None:
    judged = judge(TOOLS, [PARIS], [PARIS, *(call("weather", city=str(n)) for n in range(24_000))])
    assert judged[:2] == (False, "extra_call")
    assert judged.reward == pytest.approx(1 / (1 + 0.25 * 24_000))


def test_a_large_set_is_compared_in_a_blink() -> None:
    tools = [{"name": "f", "parameters": {"properties": {"x": {"uniqueItems": True}}}}]
    gold = [call("f", x=list(range(20_000)))]
    assert judge(tools, gold, [call("f", x=[float(n) for n in reversed(range(20_000))])]).correct
    assert not judge(tools, gold, [call("f", x=[n + 0.5 for n in range(20_000)])]).correct


def test_the_leaf_imports_the_standard_library_alone() -> None:
    tree = ast.parse(Path(answer.__file__).read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names | {"__future__"}


def test_a_judgement_keeps_the_calls_it_judged() -> None:
    assert score(TOOLS, [PARIS], tagged(PARIS)) == Judgement(True, "correct", 1.0, "", [PARIS])
    assert score(TOOLS, [PARIS], tagged([ROME])).calls == [ROME]


def test_the_detail_names_call_argument_and_both_values() -> None:
    assert judge(TOOLS, [PING, PARIS], [ROME, PING]).detail == 'call 2, city: expected "Paris", found "Rome"'
