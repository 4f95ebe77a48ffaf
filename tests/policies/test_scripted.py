"""The scripted stand-in: deterministic, spread out, wrong in every way."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import UsageError
from policies.corruptions import CALLS, LENGTH, TEXT, corrupt, take_apart
from policies.protocol import Completion, Prompt, SamplingParams
from policies.scripted import Options, ScriptedPolicy

PARAMS = SamplingParams(seed=5)
CALL = [{"name": "set_thermostat", "arguments": {"room": "bedroom", "degrees": 21}}]
JSON = json.dumps(CALL)
TAGGED = f"<think>Warm.</think><question>Warm it.</question><tool_call_answer>{JSON}</tool_call_answer>"
LINE = "Set the temperature in the bedroom to 21 degrees."
PROMPTS = [Prompt(f"k{i}", text=f"Task {i}", oracle=TAGGED) for i in range(300)]


async def sample(options: str = "", role: str = "solver", n: int = 8, first: int = 0) -> list[list[Completion]]:
    return await ScriptedPolicy(role, options).sample(PROMPTS, n, PARAMS, first_index=first)


async def test_the_same_seed_says_the_same_whatever_the_batch() -> None:
    whole = await sample()
    assert [a + b for a, b in zip(await sample(n=3), await sample(n=5, first=3), strict=True)] == whole
    alone = await ScriptedPolicy("solver").sample(PROMPTS[7:8], 8, PARAMS)
    assert alone == whole[7:8]


async def test_another_seed_says_something_else() -> None:
    other = await ScriptedPolicy("solver").sample(PROMPTS, 8, SamplingParams(seed=6))
    assert other != await sample()


async def test_pass_rates_cover_zero_to_one() -> None:
    rates = Counter(sum(one.text == TAGGED for one in done) for done in await sample())
    assert set(rates) == set(range(9))


async def test_a_fixed_ability_is_the_share_of_right_answers() -> None:
    done = [one for many in await sample("ability=0.6") for one in many]
    assert sum(one.text == TAGGED for one in done) / len(done) == pytest.approx(0.6, abs=0.04)


async def test_ability_belongs_to_the_prompt_not_to_its_key() -> None:
    policy = ScriptedPolicy("solver")
    once, again = await policy.sample(
        [Prompt("one", text="Task 3", oracle=LINE), Prompt("two", text="Task 3", oracle=LINE)], 400, PARAMS
    )
    shares = [sum(one.text == LINE for one in done) / 400 for done in (once, again)]
    assert shares[0] == pytest.approx(shares[1], abs=0.1)
    assert [one.text for one in once] != [one.text for one in again]


async def test_faults_are_infrastructure_failures_of_the_given_share() -> None:
    done = [one for many in await sample("faults=0.1") for one in many]
    assert sum(one.finish_reason == "error" for one in done) / len(done) == pytest.approx(0.1, abs=0.03)


async def test_every_kind_of_corruption_occurs() -> None:
    wrong = {one.text for many in await sample("ability=0") for one in many}
    parts = take_apart(TAGGED)
    assert wrong == {make(parts) for make in (TEXT | CALLS).values()}


@pytest.mark.parametrize("right", [JSON, TAGGED, json.dumps(CALL[0])], ids=["json", "tags", "object"])
@pytest.mark.parametrize("kind", [*TEXT, *CALLS])
def test_a_corruption_is_never_the_right_text(kind: str, right: str) -> None:
    assert (TEXT | CALLS)[kind](take_apart(right)) != right


@pytest.mark.parametrize("kind", CALLS)
def test_a_corruption_of_calls_is_not_the_right_calls(kind: str) -> None:
    text = CALLS[kind](take_apart(JSON))
    try:
        value = json.loads(text)
    except ValueError:
        return
    assert value != CALL


@given(st.text(), st.floats(0, 1, exclude_max=True))
def test_any_oracle_can_be_corrupted(right: str, draw: float) -> None:
    text, reason = corrupt(right, draw)
    assert isinstance(text, str)
    assert reason in ("stop", "length")


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
)


@given(ANY_JSON, st.floats(0, 1, exclude_max=True))
def test_any_json_oracle_can_be_corrupted(value: object, draw: float) -> None:
    assert isinstance(corrupt(json.dumps(value), draw)[0], str)


def test_a_cut_answer_ends_for_length() -> None:
    assert set(TEXT) >= LENGTH
    place = list({**TEXT, **CALLS}).index("half")
    assert corrupt(TAGGED, (place + 0.5) / len(TEXT | CALLS)) == (TAGGED[: len(TAGGED) // 2], "length")


async def test_tokens_are_words() -> None:
    [[done]] = await ScriptedPolicy("solver", "ability=1").sample([Prompt("k", text="a b c", oracle="d e")], 1, PARAMS)
    assert (done.prompt_tokens, done.completion_tokens) == (3, 2)


def test_the_digest_tells_roles_and_options_apart() -> None:
    made = [("solver", ""), ("generator", ""), ("solver", "ability=0.5"), ("solver", "faults=0.5")]
    assert len({ScriptedPolicy(*one).digest for one in made}) == 4


@pytest.mark.parametrize(
    "text", ["speed=1", "faults", "faults=x", "faults=2", "ability=-1", "latency=nan", "latency=inf"]
)
def test_an_impossible_option_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=text.partition("=")[0]):
        Options.parse(text)
