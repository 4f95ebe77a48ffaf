"""Where a version comes from: what its manifest says of players, prompts, settings, code and libraries.

In: a run's context. Out: `data.manifest.Origin`. Nothing of the machine is in it: no path, no host, no user.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from data.digests import file_digest
from data.held_out import held_out_files
from data.manifest import SCRIPTED, Manifest, Origin
from data.records import Json, JsonObject
from flows.context import Context
from flows.settings import checkout
from generator.prompts import PROMPT_VERSION as GENERATOR_PROMPTS
from policies.connect import engine_kind
from policies.players import Player, both_base
from policies.weights import SHA256
from solver.harness import PROMPT_VERSION as SOLVER_PROMPTS
from verifiers.verify import VERIFIER_VERSION

LIBRARIES = (
    "google-re2", "jsonschema", "openai", "prefect", "pyarrow", "pydantic-monty", "rensa", "sympy", "xllamacpp",
)  # fmt: skip

LICENCES = {f"sha256:{SHA256}": "apache-2.0"}
"""Licences of weights that are known by digest, as SPDX ids in small letters."""


def origin(run: Context) -> Origin:
    """The manifest's account of this run."""
    config = run.config
    return Origin(
        engine=_engine(engine_kind(run.generator.engine), engine_kind(run.solver.engine)),
        players={
            "generator": _player(run.generator),
            "solver": _player(run.solver),
            "equal": both_base(run.generator, run.solver),
        },
        prompts={"generator": GENERATOR_PROMPTS, "solver": SOLVER_PROMPTS},
        verifier_version=VERIFIER_VERSION,
        difficulty=_difficulty(run),
        seed=config.seed,
        config=_settings(run),
        git=git_state(checkout()),
        libraries={name: version(name) for name in LIBRARIES},
        sparring=version("sparring"),
    )


def remeasured(run: Context, old: Manifest, settings: JsonObject) -> Origin:
    """The account of an old version that was measured again: its tasks' origin, and the new solver's."""
    wrote: Any = old.origin.players["generator"]
    solver = run.solver
    return replace(
        old.origin,
        engine=_engine(engine_kind(wrote["engine"]), engine_kind(solver.engine)),
        players={
            "generator": wrote,
            "solver": _player(solver),
            "equal": not wrote["round"] and not solver.round and wrote["base"] == unplaced(solver.base),
        },
        prompts={**old.origin.prompts, "solver": SOLVER_PROMPTS},
        difficulty=_difficulty(run),
        seed=run.config.seed,
        config={"rescore": settings},
        git=git_state(checkout()),
        libraries={name: version(name) for name in LIBRARIES},
        sparring=version("sparring"),
    )


def _difficulty(run: Context) -> JsonObject:
    config = run.config
    return {
        "harness": config.harness,
        "style": run.style(run.solver),
        "k": config.k,
        "k_max": config.k_max,
        "temperature": config.temperature,
        "confirm": config.confirm,
    }


def _engine(*kinds: str) -> str:
    """`scripted` as soon as one player is: such a set says nothing of a model and is never `latest`."""
    return SCRIPTED if SCRIPTED in kinds else "+".join(sorted(set(kinds)))


def _player(player: Player) -> JsonObject:
    # The words of the script are ours, and `vllm` alone is the default weights in another form.
    kind = engine_kind(player.engine)
    known = kind == SCRIPTED or player.engine == "vllm"
    return {
        "engine": f"{kind}:{player.checkpoint}" if player.checkpoint else unplaced(player.engine),
        "checkpoint": player.checkpoint,
        "base": unplaced(player.base),
        "digest": player.digest,
        "round": player.round,
        "parent": player.parent,
        "shared": player.shared,
        "licence": LICENCES.get(player.digest, "apache-2.0" if known else ""),
    }


def unplaced(engine: str) -> str:
    """An engine without the place of its weights: the last name of a path alone. Digests say which they are."""
    kind, _, path = engine.partition(":")
    return f"{kind}:{Path(path).name}" if kind in ("embedded", "vllm") and path else engine


def _settings(run: Context) -> dict[str, Json]:
    """The run's parameters; of a tools file and of held-out files their content counts, not where they lay."""
    settings: dict[str, Json] = dict(run.config.identity)
    files = [file for path in run.config.held_out for file in held_out_files(Path(path))]
    held_out: list[Json] = [file_digest(file) for file in files]
    engines: dict[str, Json] = {key: unplaced(str(settings[key])) for key in ("engine", "generator", "solver")}
    return settings | engines | {"tools": run.catalogue.digest if run.config.tools else "", "held_out": held_out}


def git_state(root: Path | None) -> dict[str, Json]:
    """Commit and whether the working tree differs from it; empty outside a checkout."""
    if root is None or not (root / ".git").exists():
        return {}
    try:
        commit = _git(root, "rev-parse", "HEAD")
        return {"commit": commit, "dirty": bool(_git(root, "status", "--porcelain"))}
    except (OSError, subprocess.CalledProcessError):
        return {}


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True, timeout=30
    ).stdout.strip()
