"""What a catalogue has for each kind of brief: the tools that can be asked for, and for what.

In: the entries of the domains asked for, and how many values a call may be given. Out: `Material`, made once for a
distribution. A conversation, and a value that is left unsaid, need a tool of whose required values all are known here;
a chain needs results that other tools take. Not promised: that a model's own words meet the brief.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from data.records import BriefKind, JsonObject
from generator.catalogue import Chain, Entry
from generator.values import NO_VALUE, draw_value, least_values, property_schemas, required_names, synonyms
from verifiers.menu import Menu, read_menu

MOST_CALLS = 4


@dataclass(frozen=True, slots=True)
class Material:
    """Tools by what they are good for. `entries` are all of the domains, the others what may be called."""

    entries: tuple[Entry, ...]
    callable: tuple[Entry, ...]
    spoken: tuple[Entry, ...]
    """Tools whose required values, one at least, all can be proposed."""
    unsayable: tuple[Entry, ...]
    """Those of them that cannot be called while some value is unsaid."""
    synonymous: tuple[Entry, ...]
    chains: tuple[Chain, ...]
    reach: Mapping[str, int]
    """How many calls can follow a tool's, each with the result of the one before, up to `MOST_CALLS - 1`."""
    openings: frozenset[str]
    """The tools that a chain can begin with; those that follow are given one value less, for one is passed on."""

    def has(self, kind: BriefKind) -> bool:
        """Whether there is anything to make a brief of this kind of."""
        enough: dict[BriefKind, object] = {
            "parallel": len(self.callable) > 1,
            "dependent": self.openings,
            "conversation": self.spoken,
            "alternatives": self.synonymous,
            "removed": len(self.entries) > 1,
            "unsaid": self.unsayable,
        }
        return bool(enough.get(kind, True))


def material(entries: Sequence[Entry], chains: Sequence[Chain], most_values: int) -> Material:
    """What these entries are good for; tools that require more values are called only when there are no others."""
    light = tuple(entry for entry in entries if least_values(entry.parameters) <= most_values) or tuple(entries)
    known, short = {entry.name for entry in entries}, {entry.name for entry in light}
    near = [chain for chain in chains if {chain.producer.name, chain.consumer.name} <= known]
    near = [chain for chain in near if least_values(chain.consumer.parameters) - 1 <= most_values]
    spoken = tuple(entry for entry in light if _spoken(entry.parameters))
    return Material(
        entries=tuple(entries),
        callable=light,
        spoken=spoken,
        unsayable=tuple(entry for entry in spoken if unsayable(entry.parameters)),
        synonymous=tuple(entry for entry in light if synonymous(entry.parameters)),
        chains=tuple(near),
        reach=_reach(near),
        openings=frozenset(chain.producer.name for chain in near if chain.producer.name in short),
    )


def synonymous(parameters: JsonObject) -> tuple[str, ...]:
    """The required parameters with values that mean the same."""
    required, schemas = required_names(parameters), property_schemas(parameters)
    return tuple(name for name in required if name in schemas and synonyms(schemas[name]))


def unsayable(parameters: JsonObject) -> tuple[str, ...]:
    """The required parameters that a call cannot do without and nobody can guess: no default, more than one value."""
    required, schemas = required_names(parameters), property_schemas(parameters)
    return tuple(name for name in required if name in schemas and _is_open(schemas[name]))


def fits(tool: JsonObject, arguments: JsonObject) -> bool:
    """Whether a tool could be called with these arguments; true for a tool that cannot be read."""
    menu = read_menu([tool])
    return not isinstance(menu, Menu) or menu.validator(str(tool["name"])).first_cause(arguments) is None


def _is_open(schema: JsonObject) -> bool:
    choices = schema.get("enum")
    single = isinstance(choices, (list, tuple)) and len(choices) < 2
    return not (single or schema.keys() & {"const", "default"} or schema.get("type") == "boolean")


def _spoken(parameters: JsonObject) -> bool:
    required, schemas = required_names(parameters), property_schemas(parameters)
    return bool(required) and all(
        name in schemas and draw_value(schemas[name], Random(0), name) is not NO_VALUE for name in required
    )


def _reach(chains: Sequence[Chain]) -> dict[str, int]:
    reach: dict[str, int] = {}
    for _ in range(MOST_CALLS - 1):
        longer: dict[str, int] = {}
        for chain in chains:
            follows = 1 + reach.get(chain.consumer.name, 0)
            longer[chain.producer.name] = max(longer.get(chain.producer.name, 0), follows)
        reach = longer
    return reach
