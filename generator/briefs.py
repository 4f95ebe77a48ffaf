"""What the generator shall propose: `(seed, index)` -> `Brief`, purely.

In: a `BriefConfig` and an index. Out: the same brief for ever: kind by its share, domain (equal weight), menu size; in
catalogue mode the menu with the tools to be called and values proposed for them; in mode `evolve` a published task
and the change to be made to it.
Not promised: that a brief can be met. Open briefs name only the domain and the sizes; the model writes the tools.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from data.canonical import digest
from data.errors import UsageError
from data.records import Brief, BriefKind, Json, JsonObject, Mode, Task
from generator.catalogue import Catalogue, Entry, load_catalogue
from generator.control import FLOOR, SAMPLED, TRIES, Cell, cell_of
from generator.domains import DOMAINS, check_domains
from generator.kinds import CHAT_SHARES, Shares, check_shares, draw_kind
from generator.material import Material, fits, material
from generator.mutate import changeable, mutate
from generator.values import VALUES_VERSION, alternatives, required_names
from generator.wishes import Wish, conversation, dependent, parallel, single, synonym, unsaid
from generator.worlds import draw
from verifiers.worlds import WORLDS

PAPER_MENUS = (2, 3, 4, 5, 6, 7, 8)
"""Menu sizes of Tool-R0, equally likely."""

SMALL_MENUS = (2, 3, 4)
SMALL_VALUES = 1
SMALL_COUNTS = (2,)
"""Menu sizes, values a call and numbers of calls at which a 135M solver passes some attempts and fails others."""


@dataclass(frozen=True, slots=True)
class BriefConfig:
    """The distribution that briefs are drawn from.

    `UsageError` names a domain that is unknown or has no tools here, and a kind asked for without material.
    """

    catalogue: Catalogue
    seed: int = 0
    mode: Mode = "catalogue"
    domains: tuple[str, ...] = ()
    """Domains to draw from; all that the mode knows when empty."""
    menu_sizes: tuple[int, ...] = PAPER_MENUS
    """Drawn from with equal weight: name a size twice to double its weight."""
    kinds: Mapping[str, float] = field(default_factory=dict)
    """Shares of the kinds; when empty those of `usual`, less what there is no material for."""
    usual: Mapping[Mode, Shares] = field(default_factory=lambda: CHAT_SHARES)
    counts: tuple[int, ...] = (2, 2, 2, 3, 4)
    """Numbers of calls of a parallel or dependent brief, drawn from with equal weight."""
    most_values: int = 8
    """Values that a call is given at most; tools that require more are distractors, unless there are no others.
    A world's tools are given what they need."""
    parents: tuple[Task, ...] = field(default=(), repr=False)
    """The published tasks that mode `evolve` changes."""
    accepted: Mapping[str, float] = field(default_factory=dict)
    """By cell the share of its briefs that is kept (`generator.control`); of cells too rare to be named, `FLOOR`."""

    shares: Shares = field(init=False)
    """What kinds are drawn by."""
    stock: Material = field(init=False, repr=False)
    worlds: tuple[str, ...] = field(init=False)
    """The built-in worlds that briefs may be about: of the domains asked for, and beside a user's tools none."""
    changeable: Mapping[BriefKind, tuple[Task, ...]] = field(init=False, repr=False)
    """The parents of these domains that each change can be made to."""

    def __post_init__(self) -> None:
        known = DOMAINS if self.mode == "open" else self.catalogue.domains
        if self.mode == "evolve":
            known = tuple(sorted({task.domain for task in self.parents}))
        own = self.catalogue.digest != load_catalogue().digest and not self.kinds
        worlds = [] if own else [name for name in WORLDS if not self.domains or name in self.domains]
        domains = check_domains(self.domains, known) or known
        entries = [entry for entry in self.catalogue.entries if self.mode == "evolve" or entry.domain in domains]
        parents = [task for task in self.parents if task.domain in domains]
        object.__setattr__(self, "domains", domains)
        object.__setattr__(self, "worlds", tuple(sorted(worlds)))
        object.__setattr__(self, "stock", material(entries, self.catalogue.chains, self.most_values))
        object.__setattr__(self, "changeable", changeable(parents, self.catalogue) if self.mode == "evolve" else {})
        object.__setattr__(self, "shares", self._shares())

    def _shares(self) -> Shares:
        asked = check_shares(self.kinds, self.mode) if self.kinds else self.usual[self.mode]
        empty = [kind for kind, share in asked.items() if share and not self._has(kind)]
        if self.kinds and empty:
            raise UsageError(f"there is nothing to make tasks of kind {empty[0]!r} of", hint=_NEEDS[empty[0]])
        shares = {kind: share for kind, share in asked.items() if share and kind not in empty}
        if not shares:
            raise UsageError("no published task can be changed", hint="give a --parent with tasks of these domains")
        return shares

    def _has(self, kind: BriefKind) -> bool:
        if self.mode == "evolve":
            return bool(self.changeable[kind])
        return self.mode == "open" or (bool(self.worlds) if kind == "world" else self.stock.has(kind))

    @property
    def digest(self) -> str:
        """Identifies the distribution, for cache keys: equal digests, equal briefs."""
        return digest(
            {
                "catalogue": self.catalogue.digest,
                "seed": self.seed,
                "mode": self.mode,
                "domains": self.domains,
                "menu_sizes": self.menu_sizes,
                "values": VALUES_VERSION,
                "kinds": {str(kind): share for kind, share in self.shares.items()},
                "counts": self.counts,
                "most_values": self.most_values,
                "worlds": self.worlds,
                "parents": [task.task_id for task in self.parents],
                **({"accepted": dict(self.accepted)} if self.accepted else {}),
            }
        )


_NEEDS: Mapping[BriefKind, str] = {
    "parallel": "it takes two tools in the catalogue",
    "dependent": "it takes a tool with an outputSchema, whose result another tool of its domain requires by name",
    "conversation": "it takes a tool whose required parameters have values to propose (examples, enum, ranges)",
    "alternatives": "it takes a required parameter with `synonyms`: lists of values that mean the same",
    "removed": "it takes a menu of two tools, and for a change a parent with one call",
    "unsaid": "it takes a required parameter of several values without a default, or a parent of several turns",
    "world": "no built-in world is of the domains asked for",
    "near": "it takes tools in the catalogue that are like the parents'",
    "fewer": "it takes parents with two tools that nobody calls",
    "further": "it takes a chain of the catalogue that begins where a parent ends",
    "indirect": "it takes parents with one user turn and a call",
    "renamed": "it takes parents without a world",
}  # fmt: skip


def plan(config: BriefConfig, index: int) -> Brief:
    """Brief number `index` of the distribution, thinned by the acceptance of each cell where there are any."""
    if not config.accepted:
        return _drawn(config, index, Random(f"{config.seed}:{index}"))
    for attempt in range(TRIES):
        random = Random(f"{config.seed}:{index}:{attempt}")
        brief = _drawn(config, index, random)
        if random.random() < config.accepted.get(str(cell_of(brief)), FLOOR):
            break
    return brief


def cell_shares(config: BriefConfig) -> dict[Cell, float]:
    """The share of each cell in the distribution before thinning, counted from its first briefs."""
    drawn = (_drawn(config, index, Random(f"{config.seed}:{index}")) for index in range(SAMPLED))
    counts = Counter(map(cell_of, drawn))
    return {cell: count / SAMPLED for cell, count in sorted(counts.items())}


def _drawn(config: BriefConfig, index: int, random: Random) -> Brief:
    kind = draw_kind(config.shares, random)
    if config.mode == "evolve":
        return mutate(kind, random.choice(config.changeable[kind]), config.catalogue, random, config.seed, index)
    size = random.choice(config.menu_sizes)
    count = random.choice(config.counts)
    if config.mode == "open":
        several, turns = kind in ("parallel", "dependent"), 2 if kind in ("conversation", "unsaid") else 1
        calls = count if several else 1
        domain = random.choice(config.domains)
        return Brief(config.seed, index, "open", kind, domain, max(size, calls, 2), calls, turns)
    if kind == "world":
        return _from_world(config, random, index, size, count)
    return _from_catalogue(config, random, index, kind, size, count)


def proposes_all(brief: Brief) -> bool:
    """Whether the brief proposes a value for every required parameter of its targets."""
    schemas = {tool["name"]: tool["parameters"] for tool in brief.tools}
    for name, given in zip(brief.targets, brief.arguments, strict=True):
        schema = schemas[name]
        if not given.keys() >= set(required_names(schema if isinstance(schema, Mapping) else {})):
            return False
    return bool(brief.targets)


def proposed_calls(brief: Brief) -> list[Json]:
    """The calls that the brief proposes."""
    pairs = zip(brief.targets, brief.arguments, strict=True)
    return [{"name": name, "arguments": given} for name, given in pairs]


def _from_world(config: BriefConfig, random: Random, index: int, size: int, count: int) -> Brief:
    """One call or several over a state; the calls are fixed, for they were tried out there."""
    drawn = draw(random.choice(config.worlds), random, random.choice((1, count)), menu_size=size)
    return Brief(
        seed=config.seed,
        index=index,
        mode="catalogue",
        kind="world",
        domain=drawn.name,
        menu_size=len(drawn.tools),
        calls=len(drawn.calls),
        tools=drawn.tools,
        targets=tuple(str(call["name"]) for call in drawn.calls),
        arguments=tuple(given for call in drawn.calls if isinstance(given := call["arguments"], Mapping)),
        fixed={"calls": list(drawn.calls), "world": drawn.world, "implementations": drawn.implementations},
    )


def _from_catalogue(config: BriefConfig, random: Random, index: int, kind: BriefKind, size: int, count: int) -> Brief:
    wish = _wish(config, random, kind, count)
    names = {entry.name for entry in wish.targets}
    others = [entry for entry in config.stock.entries if entry.name not in names]
    random.shuffle(others)
    count = max(size - len(wish.targets), 1 if kind == "removed" else 0)
    if kind in ("removed", "unsaid"):  # what another tool could do as well would be no proof that nothing can be done
        heard = [*wish.arguments, *wish.said]
        unfit = (entry for entry in others if not any(fits(entry.tool, given) for given in heard))
        others = list(islice(unfit, count)) or others
    menu: list[Entry] = [*wish.targets, *others[:count]]
    random.shuffle(menu)
    return Brief(
        seed=config.seed,
        index=index,
        mode="catalogue",
        kind=kind,
        domain=wish.targets[0].domain,
        menu_size=len(menu),
        calls=len(wish.targets),
        turns=max(1, len(wish.said)),
        tools=tuple(entry.tool for entry in menu),
        targets=tuple(entry.name for entry in wish.targets),
        arguments=wish.arguments,
        said=wish.said,
        fixed=_fixed(wish, kind),
    )


def _wish(config: BriefConfig, random: Random, kind: BriefKind, count: int) -> Wish:
    stock, most = config.stock, config.most_values
    match kind:
        case "parallel":
            return parallel(stock, random, most, count)
        case "dependent":
            return dependent(stock, random, most, count)
        case "conversation":
            return conversation(stock, random, most)
        case "alternatives":
            return synonym(stock, random, most)
        case "unsaid":
            return unsaid(stock, random, most)
        case _:
            return single(stock.callable, random, most)


def _fixed(wish: Wish, kind: BriefKind) -> JsonObject:
    """The calls, where what a turn says and what it corrects hang on them, or values that mean the same (RULES A7)."""
    pairs = list(zip(wish.targets, wish.arguments, strict=True))
    calls: list[Json] = [{"name": entry.name, "arguments": given} for entry, given in pairs]
    accept: list[Json] = [alternatives(entry.parameters, given) for entry, given in pairs]
    if any(accept) and kind not in ("removed", "unsaid"):
        return {"calls": calls, "accept": accept}
    return {"calls": calls} if wish.said else {}
