"""What a re-scoring is asked for: one frozen, validated model that the command line, the flow and its form share.

In: option values. Out: `RescoreConfig`, or a `UsageError` that names every fault (`flows.settings.build`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from data.canonical import digest
from data.records import Json
from flows.form import lay_out
from flows.settings import (
    EngineName,
    Location,
    MostAttempts,
    RunConfig,
    Runner,
    WorkLocation,
    default_store,
    exact_version,
    is_url,
    own_folder,
)
from policies.server_list import lasting
from solver.harness import HarnessName


class RescoreConfig(BaseModel):
    """One version measured again (CONTRACT, `sparring rescore`)."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=lay_out)

    version: str = Field(title="Version", description="name@v0003, or its folder or URL", min_length=1)
    solver: EngineName = Field("", title="Solver", description="An engine or checkpoint:NAME; empty: the promoted one")
    harness: HarnessName = Field("json", title="Harness of the solver")
    style: Literal["auto", "plain", "chat"] = Field("auto", title="Prompt style")
    k: int = Field(8, ge=4, le=64, title="Attempts for each task")
    k_max: MostAttempts = Field(8, title="Attempts at most, while the band is open")
    temperature: float = Field(0.7, ge=0, le=2, title="Temperature of the solver")
    seed: int = Field(0, ge=0, lt=2**31, title="Seed")
    store: Location = Field("", title="Store")
    workdir: WorkLocation = ""
    runner: Runner = Field("threads", title="Where the steps run")

    @field_validator("version")
    @classmethod
    def _exact(cls, reference: str) -> str:
        return exact_version("the version", reference)

    @property
    def run(self) -> RunConfig:
        """The same for the steps of a run; its generator is never asked."""
        shared = self.model_dump(exclude={"version"})
        return RunConfig(name="rescore", engine=self.solver, generator="scripted", **shared)

    @property
    def identity(self) -> dict[str, Any]:
        """What decides the result: every parameter but where it runs and is kept; of several servers, the model."""
        return self.model_dump(mode="json", exclude={"store", "workdir", "runner"}) | {"solver": lasting(self.solver)}

    def settings(self, name: str) -> dict[str, Json]:
        """The same for a manifest, with the version by name, not by place."""
        return self.identity | {"version": name}

    @property
    def store_location(self) -> str:
        """The folder or URL of the store, or its default."""
        return self.store or str(default_store())

    @property
    def work_folder(self) -> Path:
        """The work folder, or its default; of a run in a bucket, what stays on this machine."""
        return own_folder(self.workdir, f"rescore-{digest(self.identity)[:12]}")

    @property
    def work_location(self) -> str:
        """Where the steps read and write: the work folder's path, or a URL."""
        return self.workdir if is_url(self.workdir) else str(self.work_folder.absolute())
