"""A world with one tool of each temper, made through the interface of `verifiers.worlds.base`, and its task."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import pytest

from data.records import Draft, Json, JsonObject, Message
from verifiers import worlds
from verifiers.menu import Menu, read_menu
from verifiers.worlds.base import State, Tool, ToolFailure, World

WORLD: dict[str, Any] = {"items": [{"id": 1, "name": "tea"}, {"id": 2, "name": "milk"}], "log": {}}
_ticks = count()


def _add(state: State, arguments: Mapping[str, Any]) -> Json:
    item = {"id": len(state["items"]) + 1, **arguments}
    state["items"].append(item)
    return {"item": {**item}, "ids": [one["id"] for one in state["items"]]}


def _find(state: State, arguments: Mapping[str, Any]) -> Json:
    for item in state["items"]:
        if item["name"] == arguments["name"]:
            return dict(item)
    raise ToolFailure(f"no item {arguments['name']}")


def _rename(state: State, arguments: Mapping[str, Any]) -> Json:
    for item in state["items"]:
        if item["id"] == arguments["id"]:
            item["name"] = arguments["name"]
            return {}
    raise ToolFailure(f"no item {arguments['id']}")


def _drop(state: State, arguments: Mapping[str, Any]) -> Json:
    state["items"] = [item for item in state["items"] if item["id"] != arguments["id"]]
    return None


def _count(state: State, arguments: Mapping[str, Any]) -> Json:
    return {"count": len(state["items"]), "third": 1 / 3}


def _nothing(state: State, arguments: Mapping[str, Any]) -> Json:
    return []


def _tick(state: State, arguments: Mapping[str, Any]) -> Json:
    return {"tick": next(_ticks)}


def _tick_state(state: State, arguments: Mapping[str, Any]) -> Json:
    state["log"] = {"tick": next(_ticks)}
    return {}


def _nan(state: State, arguments: Mapping[str, Any]) -> Json:
    return {"value": float("nan")}


def _fill(state: State, arguments: Mapping[str, Any]) -> Json:
    state["log"] = "x" * 300_000
    return {}


def _long(state: State, arguments: Mapping[str, Any]) -> Json:
    return "x" * 70_000


NAME: Json = {"name": {"type": "string"}}
ID: Json = {"id": {"type": "integer"}}
_TOOLS = {
    "add": (_add, NAME),
    "find": (_find, NAME),
    "rename": (_rename, {**ID, **NAME}),  # type: ignore[dict-item]
    "drop": (_drop, ID),
    "count": (_count, {}),
    "nothing": (_nothing, {}),
    "tick": (_tick, {}),
    "tick_state": (_tick_state, {}),
    "nan": (_nan, {}),
    "fill": (_fill, {}),
    "long": (_long, {}),
}


def _schema(properties: Json) -> JsonObject:
    assert isinstance(properties, dict)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TINY = World(
    "tiny",
    {name: Tool(name, f"To {name}.", _schema(properties), run) for name, (run, properties) in _TOOLS.items()},
    lambda random: {"items": [], "log": {}},
)
TOOLS: list[Json] = [
    {"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in TINY.tools.values()
]
IMPLEMENTATIONS: dict[str, Json] = {name: f"builtin:tiny.{name}" for name in TINY.tools}


@pytest.fixture(autouse=True, scope="module")
def tiny() -> Iterator[None]:
    """The world is known while the tests of a module run; the module imports this fixture."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(worlds.WORLDS, "tiny", TINY)
        yield


def menu(tools: Json = None) -> Menu:
    read = read_menu(tools or TOOLS)
    assert isinstance(read, Menu)
    return read


def call(tool: str, /, **arguments: Json) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


def draft(question: str, calls: Json, **more: Any) -> Draft:
    given = {"tools": TOOLS, "world": WORLD, "implementations": IMPLEMENTATIONS, **more}
    return Draft((Message("user", question),), calls=calls, **given)
