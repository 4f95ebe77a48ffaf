"""What an evolution is asked for: one frozen, validated model that the command line, the flow and its form share.

In: option values. Out: `EvolveConfig`, or a `UsageError` that names every fault (`flows.settings.build`); and of each
round the `RunConfig` that makes its version. Whatever a run can be asked for, every round is; `tasks` is for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from data.canonical import digest
from data.errors import UsageError
from flows.form import lay_out
from flows.own_tools import KEPT
from flows.settings import MAX_BUDGET, EngineName, Folder, RunConfig, state_home
from policies.connect import engine_kind
from solver.benches.readers import read_bench

SEEDS = 2**31


def round_folder(root: Path, number: int) -> Path:
    """Where a round lies in the work folder."""
    return root / f"round-{number:04d}"


def _lay_out(schema: dict[str, Any]) -> None:
    """What an evolution alone is asked for comes first, behind the name."""
    fields = schema["properties"]
    own = [name for name in EvolveConfig.model_fields if name not in RunConfig.model_fields and name in fields]
    order = ["name", *own, *(name for name in fields if name not in (*own, "name"))]
    schema["properties"] = {name: fields[name] for name in order}
    lay_out(schema)


def _known_bench(named: str) -> str:
    """A benchmark that can be read, its path made absolute."""
    name, _, where = named.partition("=")
    try:
        read_bench(name, where)
    except UsageError as fault:
        raise ValueError(f"--bench {named}: {fault.message}") from None
    return f"{name}={Path(where).expanduser().absolute()}" if "/" in where or Path(where).exists() else named


class EvolveConfig(RunConfig):
    """Rounds of generating, publishing, training and guarded promotion (CONTRACT, `sparring evolve`)."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_lay_out)

    name: str = Field("evolved", title="Name of the task set", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    tasks: int = Field(32, ge=1, le=MAX_BUDGET, title="Tasks of each round's version")
    engine: EngineName = Field("vllm", title="Engine of both players")
    mode: Literal["catalogue", "open"] = Field("catalogue", title="Mode")
    parent: SkipJsonSchema[str] = ""
    rounds: int = Field(3, ge=1, le=1000, title="Rounds")
    weights: Literal["separate", "shared"] = Field("separate", title="Weights of the two players")
    train: bool = Field(True, title="Train the players")
    difficulty: bool = Field(True, title="Difficulty in the generator's reward")
    steps: int = Field(60, ge=1, le=100_000, title="Training steps of each player in each round")
    generator_config: Folder = Field("", title="The generator's trainer", description="YAML; empty: the shipped one")
    solver_config: Folder = Field("", title="The solver's trainer", description="YAML; empty: the shipped one")
    judge: EngineName = Field("", title="Judge of coherence", description="An engine that can lower, not rescue")
    margin: float = Field(0.05, gt=0, lt=1, title="Margin of non-inferiority")
    seeds: int = Field(3, ge=1, le=64, title="Answers to each item of the probes")
    probe_items: int = Field(0, ge=0, title="Items of each kind in a probe at most", description="0: all")
    bench: tuple[Annotated[str, AfterValidator(_known_bench)], ...] = Field(
        (), title="Benchmarks at the end", description="NAME=PATH each, beside the final probe; no decision sees them"
    )

    workdir: Folder = Field("", title="Work folder")

    @model_validator(mode="after")
    def _trainable(self) -> Self:
        for slot in ("generator", "solver"):
            engine = getattr(self, slot) or self.engine
            if self.train and engine_kind(engine) != "vllm":
                raise ValueError(
                    f"the {slot} {engine!r} cannot be trained: training takes weights that vLLM opens "
                    "(--engine vllm, or vllm:FOLDER); without training any engine evolves (--no-train)"
                )
        if self.weights == "shared" and (self.generator or self.engine) != (self.solver or self.engine):
            raise ValueError("--weights shared needs one engine for both players: leave out --generator and --solver")
        if not self.train and (self.weights == "shared" or not self.difficulty):
            raise ValueError("--weights shared and --no-difficulty are about training: leave out --no-train")
        return self

    @property
    def evolution(self) -> dict[str, Any]:
        """What decides a round: all but how many there are and what is measured at the end."""
        return {name: value for name, value in self.identity.items() if name not in ("rounds", "bench")}

    @property
    def work_folder(self) -> Path:
        """The work folder, or its default."""
        return Path(self.workdir or state_home() / "evolutions" / f"{self.name}-{digest(self.evolution)[:12]}")

    def of_round(self, number: int, root: Path, accepted: Mapping[str, float], players: Mapping[str, str]) -> RunConfig:
        """The run that makes the version of round `number`, with these engines as players."""
        shared: dict[str, Any] = {name: getattr(self, name) for name in RunConfig.model_fields}
        return RunConfig.model_validate(
            shared
            | dict(players)
            | {
                "seed": self.seed_of(number),
                "round": number,
                "accepted": dict(accepted),
                "tools": str(root / KEPT) if self.tools else "",
                "tools_digest": "",
                "workdir": str(round_folder(root, number) / "run"),
            }
        )

    def seed_of(self, what: int | str) -> int:
        """The seed of a round, or of something that has a name: other briefs and other samples in each."""
        return int(digest([self.seed, what])[:8], 16) % SEEDS
