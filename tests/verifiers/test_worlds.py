"""The built-in worlds as a whole: well-formed, told apart, pure, and never crashing."""

import json
from copy import deepcopy
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.canonical import canonical_json
from data.records import JsonObject, Message
from tests.verifiers.world_strategies import arguments, texts_in
from verifiers.determinacy import determinacy_faults
from verifiers.menu import Menu, read_menu
from verifiers.worlds import BUILTIN, WORLDS, builtin
from verifiers.worlds.base import Tool, ToolFailure, World
from verifiers.worlds.library import TOPICS, corpus, search

TOOLS = [(world, tool) for world in WORLDS.values() for tool in world.tools.values()]
ASKED = (
    "algebra",
    "calculator",
    "calendar",
    "currency",
    "files",
    "inbox",
    "library",
    "notes",
    "shop",
    "tables",
    "units",
)


def named(pair: tuple[World, Tool]) -> str:
    return f"{pair[0].name}.{pair[1].name}"


def menu_of(tools: list[Tool]) -> Menu:
    menu = read_menu(
        [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in tools]
    )
    assert isinstance(menu, Menu), menu
    return menu


def test_the_worlds_of_the_issue_are_there() -> None:
    assert tuple(sorted(WORLDS)) == ASKED


@pytest.mark.parametrize("world", WORLDS.values(), ids=lambda world: world.name)
def test_a_world_has_four_to_eight_tools(world: World) -> None:
    assert 4 <= len(world.tools) <= 8
    assert all(name == tool.name for name, tool in world.tools.items())


@pytest.mark.parametrize("pair", TOOLS, ids=named)
def test_a_tool_is_written_in_normal_form(pair: tuple[World, Tool]) -> None:
    tool = pair[1]
    (normal,) = menu_of([tool]).tools
    assert canonical_json(normal["parameters"]) == canonical_json(tool.parameters)
    assert tool.parameters["additionalProperties"] is False


@pytest.mark.parametrize("pair", TOOLS, ids=named)
def test_every_parameter_and_every_tool_is_described(pair: tuple[World, Tool]) -> None:
    tool = pair[1]
    properties = tool.parameters["properties"]
    assert isinstance(properties, dict)
    assert tool.description.endswith(".")
    assert all(schema["description"] for schema in properties.values())


def test_no_two_tools_of_all_worlds_share_a_name_or_a_meaning() -> None:
    menu = menu_of([tool for _, tool in TOOLS])
    calls: tuple[JsonObject, ...] = tuple({"name": tool.name, "arguments": {}} for _, tool in TOOLS)
    assert not [*determinacy_faults(menu, calls, (Message("user", "anything"),))]
    assert len({tool.description for _, tool in TOOLS}) == len(TOOLS)


def test_no_two_worlds_keep_their_state_under_the_same_key() -> None:
    keys = list(chain.from_iterable(world.make(Random(0)) for world in WORLDS.values()))
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("pair", TOOLS, ids=named)
def test_a_reference_names_its_tool(pair: tuple[World, Tool]) -> None:
    assert builtin(f"{BUILTIN}{named(pair)}") is pair[1]


@pytest.mark.parametrize("reference", ["", "builtin:", "builtin:calendar", "builtin:calendar.", "calendar.get_event"])
def test_a_reference_that_names_no_tool_is_none(reference: str) -> None:
    assert builtin(reference) is None


@pytest.mark.parametrize("world", WORLDS.values(), ids=lambda world: world.name)
def test_a_state_is_a_function_of_the_random_source(world: World) -> None:
    states = [canonical_json(world.make(Random(seed))) for seed in range(50)]
    assert states == [canonical_json(world.make(Random(seed))) for seed in range(50)]
    assert len(set(states)) > 40


@pytest.mark.parametrize("pair", TOOLS, ids=named)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 999))
def test_valid_arguments_give_json_or_a_refusal_that_changed_nothing(
    pair: tuple[World, Tool], data: st.DataObject, seed: int
) -> None:
    world, tool = pair
    state = world.make(Random(seed))
    known = [*texts_in(state), *list(corpus())[:5], "."]
    said = data.draw(arguments(tool.parameters, known))
    assert menu_of([tool]).validator(tool.name).first_cause(said) is None
    before, again, kept = deepcopy(state), deepcopy(state), canonical_json(said)
    try:
        result = tool.run(state, said)
    except ToolFailure:
        assert state == before
    else:
        assert json.loads(canonical_json(result)) == result
        assert json.loads(canonical_json(state)) == state
        assert canonical_json([tool.run(again, said), again]) == canonical_json([result, state])
        if isinstance(result, dict):
            unchanged = canonical_json(state)
            spoil(result)
            assert canonical_json(state) == unchanged, "the result is a part of the state"
    assert canonical_json(said) == kept, "the arguments were changed"


def spoil(value: object) -> None:
    """Change everything in a result that can be changed."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.append("spoilt")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("world", WORLDS.values(), ids=lambda world: world.name)
def test_a_long_walk_leaves_a_state_that_is_json(world: World, seed: int) -> None:
    random = Random(seed)
    state = world.make(random)
    known = sorted(set(texts_in(state)))
    for _ in range(200):
        tool = random.choice(list(world.tools.values()))
        said = {name: some(schema, known, random) for name, schema in tool.parameters["properties"].items()}  # type: ignore
        try:
            tool.run(state, said)
        except ToolFailure:
            continue
    assert json.loads(canonical_json(state)) == state


def some(schema: Any, known: list[str], random: Random) -> Any:
    """A valid value, quickly."""
    if "enum" in schema:
        return random.choice(schema["enum"])
    if schema.get("format") == "date":
        return f"2026-05-{random.randint(10, 30)}"
    if "pattern" in schema:
        return f"{random.randint(10, 23)}:30"
    match schema.get("type"):
        case "array":
            return [some(schema["items"], known, random) for _ in range(3)]
        case "object":
            return {random.choice(known): 1}
        case "integer" | "number":
            return random.randint(1, 6)
    return random.choice(known)[:20]


def test_the_corpus_has_passages_of_every_topic_and_each_can_be_found() -> None:
    assert len(corpus()) >= 60
    assert {passage["topic"] for passage in corpus().values()} == set(TOPICS)
    for name, passage in corpus().items():
        assert name in search(passage["title"].replace("-", " "), 10)


def test_the_corpus_has_no_passage_twice() -> None:
    assert len({passage["text"] for passage in corpus().values()}) == len(corpus())


def test_the_guide_names_every_world_and_tool() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "worlds.md").read_text(encoding="utf-8")
    for world in WORLDS.values():
        row = next(line for line in guide.splitlines() if line.startswith(f"| `{world.name}` |"))
        assert row.split("|")[3].split() == [f"`{name}`" for name in world.tools]
