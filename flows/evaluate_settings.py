"""What an evaluation is asked for: one frozen model that the command line, the flow and its form share.

In: option values. Out: `EvaluateConfig`, and the `Plan` that it stands for, with benchmarks read and players resolved.
Raises `UsageError` for what does not exist or cannot be asked. Knows no Prefect.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from data.errors import UsageError
from data.version import open_version
from flows.evaluation import Plan
from flows.form import lay_out
from flows.settings import EngineName, Folder, Location, policies_home
from flows.store_option import given_store
from policies.players import Player, named, resolve
from solver.benches import own
from solver.benches.base import Bench, some_of
from solver.benches.readers import PROBE, READERS, read_bench
from solver.handoff import handed_over
from solver.harness import HARNESSES, HarnessName

BENCHES = f"{PROBE}, {PROBE}=promotion, {PROBE}=final, or NAME=PATH with NAME of {', '.join(READERS)}"


class EvaluateConfig(BaseModel):
    """Solvers and harnesses on benchmarks (CONTRACT, `sparring evaluate`)."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=lay_out)

    bench: tuple[str, ...] = Field((f"{PROBE}=final",), title="Benchmarks", description=BENCHES)
    solver: EngineName = Field("", title="Solver", description="An engine or checkpoint:NAME; empty: the promoted one")
    against: EngineName = Field("", title="Compared with", description="Another solver, item by item; empty: none")
    harness: tuple[str, ...] = Field(("json",), title="Harnesses", description=f"Of {', '.join(HARNESSES)}")
    seeds: int = Field(3, ge=1, le=64, title="Answers to each item")
    items: int = Field(0, ge=0, title="Items of each category at most", description="0: all")
    handoff: bool = Field(False, title="Also from intermediate states", description="Where tasks have a world")
    style: Literal["auto", "plain", "chat"] = Field("auto", title="Prompt style")
    temperature: float = Field(0.7, ge=0, le=2, title="Temperature of the solver")
    max_tokens: int = Field(0, ge=0, title="Tokens of an answer", description="0: what the style needs")
    seed: int = Field(0, ge=0, lt=2**31, title="Seed")
    store: Location = Field("", title="Store")
    workdir: Folder = Field("", title="Work folder")


def plan_of(config: EvaluateConfig) -> Plan:
    """What is evaluated."""
    benches = _benches(config.bench, config.store)
    if config.items:
        benches = [some_of(one, config.items) for one in benches]
    if config.handoff:
        benches += _handed_over(benches)
    return Plan(
        solvers=tuple(_player(name) for name in [config.solver, *filter(None, [config.against])]),
        harnesses=tuple(map(_harness, config.harness)),
        benches=tuple(benches),
        style=config.style,
        seeds=config.seeds,
        temperature=config.temperature,
        max_tokens=config.max_tokens or None,
        seed=config.seed,
    )


def _benches(listed: Sequence[str], store: str) -> list[Bench]:
    """Each benchmark once; the files of one that is named several times together."""
    found: dict[str, Bench] = {}
    for text in listed:
        name, _, where = text.partition("=")
        one = _set(where, store) if name == "set" else read_bench(name, where)
        known = found.get(one.name)
        if known and {item.id for item in known.items} & {item.id for item in one.items}:
            raise UsageError(f"--bench {text} repeats items of another --bench {name}", hint="give each file once")
        found[one.name] = one if known is None else _joined(known, one)
    if not found:
        raise UsageError("nothing to evaluate on", hint=f"give --bench {BENCHES}")
    return list(found.values())


def _joined(one: Bench, other: Bench) -> Bench:
    return Bench(one.name, one.files + other.files, one.items + other.items, one.left_out + other.left_out)


def _set(where: str, store: str) -> Bench:
    """A set of our own: a Parquet file, or what names a version."""
    path = Path(where).expanduser()
    if where.endswith(".parquet") and path.is_file():
        return own.read(path)
    return own.read_version(open_version(given_store(store), where))


def _handed_over(benches: list[Bench]) -> list[Bench]:
    parts = [part for part in map(handed_over, benches) if part.items]
    if not parts:
        raise UsageError(
            "--handoff: no benchmark has a task of several calls with a world",
            hint="give a set that has some: sparring run --kinds world=1, then --bench set=NAME",
        )
    return parts


def _harness(name: str) -> HarnessName:
    for known in HARNESSES:
        if known == name:
            return known
    raise UsageError(f"there is no harness {name!r}", hint=f"there are {', '.join(HARNESSES)}")


def _player(text: str) -> Player:
    """The weights that were named, as they are; of nothing, the promoted solver, at first the embedded model."""
    return (named if text else resolve)(policies_home(), "solver", text)
