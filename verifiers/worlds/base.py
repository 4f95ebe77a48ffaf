"""What a built-in world is made of: plain JSON states, and small tools that change them.

In: nothing of a model's. Out: the types that `verifiers.execution` runs and the worlds beside this file are written in.
A tool never reads a clock, the network, a file of the user or randomness; the same state and arguments give the same
result and the same new state. Not promised: that a tool validates its arguments; RULES C did, against `parameters`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from data.records import Json, JsonObject

State: TypeAlias = dict[str, Any]
"""A world as plain JSON: dicts with string keys, lists, strings, finite numbers, booleans, null; changed in place."""


class ToolFailure(Exception):
    """A tool refuses its arguments ("no event 17"). A refusal is data: of a gold it becomes `execution/tool_failed`."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a world. `parameters` is a closed JSON Schema 2020-12 object, as RULES M leave it.

    `run(state, arguments)` changes `state` in place and returns plain JSON that shares nothing with it; it raises
    `ToolFailure` for arguments it cannot serve, and has then changed nothing.
    """

    name: str
    description: str
    parameters: JsonObject
    run: Callable[[State, Mapping[str, Any]], Json]


@dataclass(frozen=True, slots=True)
class World:
    """A named set of tools over one kind of state. `make` draws a plausible initial state from the `Random` alone."""

    name: str
    tools: Mapping[str, Tool]
    make: Callable[[Random], State]
