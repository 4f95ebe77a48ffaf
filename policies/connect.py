"""From what a person writes after `--engine`, `--generator` or `--solver` to an open policy.

In: an engine as text (`embedded`, `scripted[:options]`, `http(s)://host/v1#model`) and the player's role.
Out: an `Engine`. Nothing is sampled here; `await engine.check()` is the preflight.
"""

from __future__ import annotations

from typing import Literal

from data.errors import UsageError
from policies.embedded import EmbeddedPolicy
from policies.engine import Engine
from policies.scripted import ScriptedPolicy
from policies.weights import find

Role = Literal["generator", "solver"]


def open_policy(engine: str, *, role: Role, model: str | None = None) -> Engine:
    """Open one player's engine. `model` names the model of a URL, as `#model` in the URL does.

    Raises `UsageError` for an engine that does not exist, `PolicyError` for one that cannot be used.
    """
    kind, _, options = engine.partition(":")
    if engine == "embedded":
        return EmbeddedPolicy(find())
    if kind == "scripted":
        return ScriptedPolicy(role, options)
    raise UsageError(
        f"unknown engine {engine!r}", hint="there are: embedded, scripted[:options], http(s)://host/v1#model"
    )
