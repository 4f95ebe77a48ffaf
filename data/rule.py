"""An acceptance rule: which measured candidates a set may hold, how many, and in which proportions.

In: numbers and names, from `sparring run` or from a rule file (JSON or YAML, `read_rule`). Out: `Rule`, checked.
`data.select` applies it. The same candidates and the same rule give the same set, so a rule can be judged on stored
candidates. Not promised: that some set of candidates can satisfy it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

import yaml

from data.errors import UsageError
from data.neardup import THRESHOLD
from data.records import Band, JsonObject

BANDS: tuple[Band, ...] = ("frontier", "hard", "easy")
"""In the order in which they are filled, and in which they take seats that others leave."""

DEFAULT_MIX: Mapping[Band, float] = MappingProxyType({"easy": 0.2, "frontier": 0.6, "hard": 0.2})
"""Tool-R0 mixes 20/50/30 by a judge's word; here it is the measured pass rate, and the frontier is preferred."""

REST = ""
"""In seats by domain: all domains without a quota, together."""


Name = TypeVar("Name", bound=str)


@dataclass(frozen=True, slots=True)
class Rule:
    """What is accepted. `UsageError` on construction for what no set can have."""

    n: int
    """Tasks of the set, over all splits."""
    mix: Mapping[Band, float] = field(default_factory=lambda: DEFAULT_MIX)
    """Shares by band; a band without a share is never used."""
    quotas: Mapping[str, float] = field(default_factory=dict)
    """Shares of n by domain; the other domains have what is left. A domain with share 0 is never used."""
    suspects: bool = False
    """Whether tasks are let in whose gold half of the attempts dispute."""
    domains: tuple[str, ...] = ()
    """Only these; empty: all."""
    pass_rate: tuple[float, float] = (0.0, 1.0)
    """Only tasks between, both ends included; a task that nobody passed is out in any case."""
    min_reward_std: float = 0.0
    """Only tasks whose graded reward varies at least so much over the attempts."""
    max_dead_share: float = 1.0
    """Of the whole set: the mean of p^8 + (1-p)^8, the expected share of groups of 8 that do not disagree."""
    near_duplicate: float = THRESHOLD
    """Share of character trigrams from which two questions are one."""
    eval_share: float = 0.0
    """Share of n in the split `eval`, whose gold calls no tool that one of the split `train` calls."""

    def __post_init__(self) -> None:
        if faults := self._faults():
            raise UsageError("; ".join(faults), hint=_EXAMPLE)

    @property
    def eval_seats(self) -> int:
        """Tasks of the split `eval`."""
        return max(1, round(self.n * self.eval_share)) if self.eval_share else 0

    def to_json(self) -> JsonObject:
        """The rule as a rule file holds it."""
        values = {item.name: getattr(self, item.name) for item in fields(Rule)}
        shares = {"mix": dict(self.mix), "quotas": dict(self.quotas)}
        return values | shares | {"domains": list(self.domains), "pass_rate": list(self.pass_rate)}

    def _faults(self) -> list[str]:
        faults = [] if self.n >= 0 else [f"a set of {self.n} tasks cannot be"]
        total = sum(self.mix.get(band, 0.0) for band in BANDS)
        if not 0 < total < math.inf or any(share < 0 for share in self.mix.values()):
            faults.append(f"the mix {dict(self.mix)} has no shares")
        if unknown := sorted(set(self.mix) - set(BANDS)):
            faults.append(f"the mix has {unknown[0]!r}, which is no band")
        if any(not 0 <= share <= 1 for share in self.quotas.values()) or sum(self.quotas.values()) > 1 + 1e-9:
            faults.append(f"the quotas {dict(self.quotas)} are no shares: each in [0, 1], together 1 at most")
        low, high = self.pass_rate
        if not 0 <= low <= high <= 1:
            faults.append(f"pass_rate {list(self.pass_rate)} is no interval in [0, 1]")
        if not 0 <= self.max_dead_share <= 1:
            faults.append(f"max_dead_share {self.max_dead_share} does not lie in [0, 1]")
        if not 0 <= self.min_reward_std < math.inf:
            faults.append(f"min_reward_std {self.min_reward_std} is no spread")
        if not 0.3 <= self.near_duplicate <= 1:
            faults.append(f"near_duplicate {self.near_duplicate} does not lie in [0.3, 1]")
        if not 0 <= self.eval_share <= 0.5:
            faults.append(f"eval_share {self.eval_share} does not lie in [0, 0.5]")
        return faults


_EXAMPLE = "a rule has {}, as `mix: {{easy: 0.2, frontier: 0.6, hard: 0.2}}`".format(
    ", ".join(item.name for item in fields(Rule))
)


def read_rule(path: Path, default: Rule) -> Rule:
    """The rule of a JSON or YAML file; what it does not say is as in `default`.

    Raises `UsageError` for a file that cannot be read, an unknown name, a value of another type, or a bad value.
    """
    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8"))  # JSON is YAML.
    except OSError as error:
        raise UsageError(
            f"the rule {path} cannot be read: {error.strerror}", hint="give a JSON or YAML file"
        ) from error
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"the rule {path} cannot be read: {' '.join(str(error).split())}", hint=_EXAMPLE) from error
    if not isinstance(said, dict):
        raise UsageError(f"the rule {path} is no object of names and values", hint=_EXAMPLE)
    known = {item.name for item in fields(Rule)}
    if unknown := sorted(str(name) for name in said if name not in known):
        raise UsageError(f"the rule {path} has {unknown[0]!r}, which no rule has", hint=_EXAMPLE)
    values = {item.name: getattr(default, item.name) for item in fields(Rule)}
    for name, value in said.items():
        values[name] = _typed(path, name, value)
    return Rule(**values)


def _typed(path: Path, name: str, value: Any) -> Any:
    """A value as its field has it; `UsageError` if it is of another type."""
    match name:
        case "n" if isinstance(value, int) and not isinstance(value, bool):
            return value
        case "suspects" if isinstance(value, bool):
            return value
        case "mix" | "quotas" if isinstance(value, dict) and all(
            isinstance(key, str) and _is_number(share) for key, share in value.items()
        ):
            return {key: float(share) for key, share in value.items()}
        case "domains" if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(cast(list[str], value))
        case "pass_rate" if isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)):
            return float(value[0]), float(value[1])
        case "min_reward_std" | "max_dead_share" | "near_duplicate" | "eval_share" if _is_number(value):
            return float(value)
    raise UsageError(f"the rule {path} says {name}: {value!r}, which is of another type", hint=_EXAMPLE)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def seats(n: int, mix: Mapping[Band, float]) -> dict[Band, int]:
    """How many of `n` each band gets: largest remainders, ties in the order of `BANDS`; they add up to `n`."""
    total = sum(mix.get(band, 0.0) for band in BANDS)
    return _apportion(n, {band: mix.get(band, 0.0) / total for band in BANDS})


def domain_seats(n: int, quotas: Mapping[str, float]) -> dict[str, int]:
    """How many of `n` each domain with a quota gets, and under `REST` all others together; they add up to `n`."""
    shares = {name: quotas[name] for name in sorted(quotas)}
    return _apportion(n, shares | {REST: max(0.0, 1 - sum(shares.values()))})


def _apportion(n: int, shares: dict[Name, float]) -> dict[Name, int]:
    exact = {name: n * share for name, share in shares.items()}
    given = {name: int(share + 1e-9) for name, share in exact.items()}
    for name in sorted(shares, key=lambda one: given[one] - exact[one])[: n - sum(given.values())]:
        given[name] += 1
    return given
