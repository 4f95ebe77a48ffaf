"""From what a person writes after `--engine`, `--generator` or `--solver` to an open engine.

In: an engine as text and the player's role. Out: an `Engine`. There are `embedded` (the fetched weights) and
`embedded:<file.gguf>`, `vllm` (the same weights, converted) and `vllm:<folder>` (a model or a LoRA adapter), `scripted`
and `scripted:<options>`, `http(s)://host:port/v1#model`, and several servers of one model, `URL,URL#model`. Nothing is
sampled here, nobody is called and no server is started; `await engine.check()` is the preflight.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from data.errors import UsageError
from policies import model_folder, weights
from policies.balance import BalancedPolicy
from policies.embedded import EmbeddedPolicy
from policies.endpoint import EndpointPolicy
from policies.engine import Engine
from policies.managed import VllmPolicy
from policies.scripted import ScriptedPolicy
from policies.server_list import is_list

Role = Literal["generator", "solver"]
SLOTS: tuple[Role, ...] = ("generator", "solver")
"""Where the two players stand."""


def open_policy(engine: str, *, role: Role) -> Engine:
    """Open one player's engine.

    Raises `UsageError` for an engine that does not exist, `PolicyError` for one that cannot be used.
    """
    kind, _, rest = engine.partition(":")
    match kind:
        case "embedded":
            return EmbeddedPolicy(_gguf(rest))
        case "scripted":
            return ScriptedPolicy(role, rest)
        case "http" | "https":
            return BalancedPolicy(engine) if is_list(engine) else EndpointPolicy(engine)
        case "vllm":
            return VllmPolicy(rest)
    raise UsageError(
        f"unknown engine {engine!r}",
        hint="there are embedded, embedded:<file.gguf>, vllm, vllm:<folder>, scripted, scripted:<options>, "
        "http(s)://host:port/v1#model, or several: URL,URL#model; "
        "and checkpoint:NAME for trained weights",
    )


def engine_kind(engine: str) -> str:
    """`embedded`, `vllm`, `scripted` or `url`."""
    kind = engine.partition(":")[0]
    return "url" if kind in ("http", "https") else kind


def engine_digest(engine: str, role: Role) -> str:
    """The digest that `open_policy(engine, role=role)` will have, without loading weights. Raises the same, except
    that the default weights need not be there yet: their digest is pinned, and opening them checks it.
    """
    kind, _, rest = engine.partition(":")
    if kind == "embedded":
        default = not rest and not weights.named()
        return "sha256:" + (weights.SHA256 if default else weights.sha256(_gguf(rest)))
    if kind == "vllm":
        return model_folder.find(rest).digest
    return open_policy(engine, role=role).digest


def _gguf(named: str) -> Path:
    """The file behind `embedded[:<file.gguf>]`."""
    return weights.existing(Path(named).expanduser(), "the engine") if named else weights.find()
