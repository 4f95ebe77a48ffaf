"""What the generator shall propose: `(seed, index)` -> `Brief`, purely.

In: a `BriefConfig` and an index. Out: the same brief for ever: domain (equal weight), menu size, one call or two (0.8 /
0.2 as in Tool-R0), the menu in catalogue mode with the tools to be called and values proposed for them.
Not promised: that a brief can be met. Open briefs name only the domain and the sizes; the model writes the tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from data.canonical import digest
from data.records import Brief, Json, JsonObject, Mode
from generator.catalogue import Catalogue, Entry
from generator.domains import DOMAINS, check_domains
from generator.values import VALUES_VERSION, draw_arguments, least_values

PAPER_MENUS = (2, 3, 4, 5, 6, 7, 8)
"""Menu sizes of Tool-R0, equally likely."""

SMALL_MENUS = (2, 3, 4)
SMALL_VALUES = 1
"""Menu sizes and values a call at which a 135M solver passes some attempts and fails others."""


@dataclass(frozen=True, slots=True)
class BriefConfig:
    """The distribution that briefs are drawn from. `UsageError` names a domain that is unknown or has no tools here."""

    catalogue: Catalogue
    seed: int = 0
    mode: Mode = "catalogue"
    domains: tuple[str, ...] = ()
    """Domains to draw from; all that the mode knows when empty."""
    menu_sizes: tuple[int, ...] = PAPER_MENUS
    """Drawn from with equal weight: name a size twice to double its weight."""
    two_calls: float = 0.2
    dependent: float = 0.5
    """Share of the two-call briefs whose second call needs the result of the first."""
    most_values: int = 8
    """Values that a call is given at most; tools that require more are distractors, unless there are no others."""

    entries: tuple[Entry, ...] = field(init=False, repr=False)
    """The catalogue's tools of these domains."""
    callable: tuple[Entry, ...] = field(init=False, repr=False)
    """Those of them that a brief may ask to be called."""

    def __post_init__(self) -> None:
        known = DOMAINS if self.mode == "open" else self.catalogue.domains
        object.__setattr__(self, "domains", check_domains(self.domains, known) or known)
        entries = tuple(entry for entry in self.catalogue.entries if entry.domain in self.domains)
        light = tuple(entry for entry in entries if least_values(entry.parameters) <= self.most_values)
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "callable", light or entries)

    @property
    def digest(self) -> str:
        """Identifies the distribution, for cache keys: equal digests, equal briefs."""
        fields: dict[str, Json] = {"catalogue": self.catalogue.digest, "seed": self.seed, "mode": self.mode}
        fields |= {"domains": self.domains, "menu_sizes": self.menu_sizes, "values": VALUES_VERSION}
        fields |= {"two_calls": self.two_calls, "dependent": self.dependent, "most_values": self.most_values}
        return digest(fields)


def plan(config: BriefConfig, index: int) -> Brief:
    """Brief number `index` of the distribution."""
    random = Random(f"{config.seed}:{index}")
    size = random.choice(config.menu_sizes)
    two = random.random() < config.two_calls
    dependent = two and random.random() < config.dependent
    if config.mode == "open":
        return Brief(config.seed, index, "open", random.choice(config.domains), size, 1 + two, dependent)
    return _from_catalogue(config, random, index, size, two, dependent)


def proposes_all(brief: Brief) -> bool:
    """Whether the brief proposes a value for every required parameter of its targets."""
    schemas = {tool["name"]: tool["parameters"] for tool in brief.tools}
    for name, given in zip(brief.targets, brief.arguments, strict=True):
        schema = schemas[name]
        required = schema.get("required", ()) if isinstance(schema, Mapping) else ()
        if not given.keys() >= set(required if isinstance(required, (list, tuple)) else ()):
            return False
    return bool(brief.targets)


def _from_catalogue(config: BriefConfig, random: Random, index: int, size: int, two: bool, dependent: bool) -> Brief:
    names = {entry.name for entry in config.callable}
    chains = [one for one in config.catalogue.chains if {one.producer.name, one.consumer.name} <= names]
    dependent = dependent and bool(chains)
    if dependent:
        chain = random.choice(chains)
        targets = [chain.producer, chain.consumer]
    else:
        domain = random.choice(sorted({entry.domain for entry in config.callable}))
        near = [entry for entry in config.callable if entry.domain == domain]
        targets = random.sample(near, min(1 + two, len(near)))
    arguments: list[JsonObject] = [draw_arguments(entry.parameters, random, config.most_values) for entry in targets]
    if dependent:
        arguments[1] = {**arguments[1], chain.value: f"$var_1.{chain.value}"}
    menu = targets + _distractors(random, config.entries, targets, size - len(targets))
    random.shuffle(menu)
    return Brief(
        seed=config.seed,
        index=index,
        mode="catalogue",
        domain=targets[0].domain,
        menu_size=len(menu),
        calls=len(targets),
        dependent=dependent,
        tools=tuple(entry.tool for entry in menu),
        targets=tuple(entry.name for entry in targets),
        arguments=tuple(arguments),
    )


def _distractors(random: Random, entries: tuple[Entry, ...], targets: list[Entry], count: int) -> list[Entry]:
    chosen = {entry.name for entry in targets}
    others = [entry for entry in entries if entry.name not in chosen]
    return random.sample(others, min(max(count, 0), len(others)))
