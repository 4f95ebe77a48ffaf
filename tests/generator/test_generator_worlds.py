"""Tasks drawn over the built-in worlds: pure, of every kind, proved solvable, and true to the state they start from."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from data.canonical import canonical_json
from data.records import Draft, Message
from generator.world_values import COMPANIONS, LINKS, SOURCES
from generator.worlds import WorldDraw, draw
from verifiers.answer import reference
from verifiers.verify import CHECKS, verify
from verifiers.worlds import WORLDS, builtin

DRAWS = [draw(name, Random(f"{name}:{index}"), 1 + index % 4) for name in WORLDS for index in range(24)]


def draft_of(one: WorldDraw) -> Draft:
    """The task that a draw makes."""
    return Draft(
        messages=(Message("user", one.question),),
        tools=list(one.tools),
        calls=list(one.calls),
        world=one.world,
        implementations=dict(one.implementations),
    )


def depth(one: WorldDraw) -> int:
    """Calls on the longest way along references."""
    depths: list[int] = []
    for call in one.calls:
        needs = [found[0] for value in dict(call["arguments"]).values() if (found := reference(value))]  # type: ignore
        depths.append(1 + max((depths[need - 1] for need in needs), default=0))
    return max(depths)


def test_a_draw_depends_on_its_arguments_alone() -> None:
    for name in WORLDS:
        assert draw(name, Random(5), 3) == draw(name, Random(5), 3)
    assert len({canonical_json(one.world) for one in DRAWS}) > 0.9 * len(DRAWS)


@pytest.mark.parametrize("name", WORLDS)
def test_every_draw_is_proved_solvable(name: str) -> None:
    for one in DRAWS:
        if one.name == name:
            proof = verify(draft_of(one), checks=[check for check in CHECKS if check != "soundness"])
            assert proof.solvable, (proof.reasons, one.question)
            assert proof.tools == one.tools


def test_nearly_every_draw_has_a_reward_that_can_tell() -> None:
    """The others hold a limit that limits nothing, or a note that is written and deleted: check 7 refuses them."""
    some = DRAWS[::3]
    refused = [one for one in some if verify(draft_of(one)).reasons]
    assert len(refused) <= 0.1 * len(some)


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_yields_tasks_of_every_size_and_kind(name: str) -> None:
    for calls in (1, 2, 3, 4):
        for dependent in (False, True):
            one = draw(name, Random(calls), calls, dependent=dependent)
            assert len(one.calls) == calls
            assert one.kind == ("single" if calls == 1 else "dependent" if dependent else "parallel")


def test_every_call_of_a_dependent_draw_but_the_first_needs_an_earlier_one() -> None:
    for one in DRAWS:
        has = ["$var_" in canonical_json(call["arguments"]) for call in one.calls]
        assert all(has[1:]) if one.kind == "dependent" else not any(has)


def test_some_draws_are_four_deep() -> None:
    depths = Counter(depth(draw(name, Random(index), 4, dependent=True)) for name in WORLDS for index in range(4))
    assert depths[4] > 3


def test_every_tool_of_every_world_is_called_by_some_draw() -> None:
    called = {(one.name, call["name"]) for one in DRAWS for call in one.calls}
    called |= {
        (name, call["name"]) for name in WORLDS for seed in range(60) for call in draw(name, Random(seed), 2).calls
    }
    assert called == {(world.name, tool) for world in WORLDS.values() for tool in world.tools}


def test_the_menu_is_of_one_world_and_every_tool_of_it_is_implemented() -> None:
    for one in DRAWS:
        names = [str(tool["name"]) for tool in one.tools]
        assert set(names) == set(one.implementations) <= set(WORLDS[one.name].tools)
        assert all(builtin(one.implementations[name]) is WORLDS[one.name].tools[name] for name in names)


def test_the_menu_has_the_size_asked_for() -> None:
    for name in WORLDS:
        assert len(draw(name, Random(1), 1, menu_size=6).tools) == 6
        assert len(draw(name, Random(1), 1, menu_size=1).tools) == 1


def test_no_value_that_comes_by_reference_is_needed_in_the_question() -> None:
    for one in DRAWS:
        if one.kind == "dependent":
            silent = draft_of(replace(one, question=one.question.split(". Then ")[0]))
            proof = verify(silent, checks=("calls",))
            assert proof.solvable


def test_values_are_known_for_every_parameter() -> None:
    for name, world in WORLDS.items():
        for tool in world.tools.values():
            for key in tool.parameters["properties"]:  # type: ignore[union-attr]
                assert key in SOURCES[name] or f"{tool.name}.{key}" in SOURCES[name], (tool.name, key)


def test_sources_links_and_companions_name_parameters_that_exist() -> None:
    for name, world in WORLDS.items():
        properties = {tool.name: set(tool.parameters["properties"]) for tool in world.tools.values()}  # type: ignore
        keys = set().union(*properties.values())
        for source in SOURCES[name]:
            tool, _, key = source.rpartition(".")
            assert key in (properties[tool] if tool else keys), source
        assert set(LINKS.get(name, {})) <= keys
    every = {key for sources in SOURCES.values() for key in sources}
    assert set(COMPANIONS) <= every


@pytest.mark.parametrize("calls", [0, 5, -1])
def test_an_impossible_number_of_calls_is_refused(calls: int) -> None:
    with pytest.raises(ValueError, match="1 to 4 calls"):
        draw("notes", Random(0), calls)
