"""A round of an evolution as its stages see it: whose it is, where it lies, who may play.

In: the work folder, the configuration, the round's number. Out: paths, versions, and the run of the round as a step
would see it. Players travel as what a person writes for them (`Player.title`), so that a result can be read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from data.storage import open_storage
from data.version import Version, open_version
from flows.context import Context
from flows.evolve_settings import EvolveConfig, round_folder
from flows.preflight import players

Lineup = Mapping[str, str]
"""Who plays in each slot."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One round."""

    root: Path
    config: EvolveConfig
    number: int

    @property
    def folder(self) -> Path:
        return self.at(self.number)

    def at(self, number: int) -> Path:
        """The folder of any round."""
        return round_folder(self.root, number)

    def context(self, lineup: Lineup, accepted: Mapping[str, float], *, seed: int) -> Context:
        """The round's run as its steps would see it, with another seed; its tools are those of the evolution."""
        run = self.config.of_round(self.number, self.root, accepted, lineup)
        own = {"tools_digest": self.config.tools_digest, "seed": seed}
        return Context(str(self.root), run.model_copy(update=own), *players(run))

    def version(self, path: str) -> Version:
        """A version that a round published."""
        return open_version(open_storage(self.config.store_location), path)
