"""Which quantities a text says, and a number in the unit that a schema names (RULES G5): `3 km` says 3000 metres.

In: a folded text with number words as figures; the name and schema of a parameter. Out: `Quantity`s, and whether one of
them, converted, is the number. Names of units are CLDR's (babel), in both spellings; factors are those of the
definitions, exact. A library of units would bring its own parser and a quarter of a second of import for this table.
Not promised: currencies, prefixes that CLDR does not name (`mH`), kilobytes (1,000 or 1,024), months in days.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Literal

import regex
from babel.units import format_unit

from verifiers.content import CAMEL
from verifiers.said_text import fold

MAX_TEXT, MAX_QUANTITIES, MAX_DESCRIPTION = 50_000, 200, 1000
_FACTORS: Mapping[str, Mapping[str, str]] = {
    "length": {
        "kilometer": "1000", "meter": "1", "decimeter": "0.1", "centimeter": "0.01", "millimeter": "0.001",
        "micrometer": "1e-6", "nanometer": "1e-9", "mile": "1609.344", "yard": "0.9144", "foot": "0.3048",
        "inch": "0.0254", "nautical-mile": "1852",
    },
    "mass": {
        "tonne": "1000", "kilogram": "1", "gram": "0.001", "milligram": "1e-6", "microgram": "1e-9",
        "ton": "907.18474", "stone": "6.35029318", "pound": "0.45359237", "ounce": "0.028349523125",
    },
    "duration": {
        "week": "604800", "day": "86400", "hour": "3600", "minute": "60", "second": "1", "millisecond": "0.001",
        "microsecond": "1e-6", "nanosecond": "1e-9",
    },
    "calendar": {"century": "1200", "decade": "120", "year": "12", "month": "1"},
    "area": {
        "square-kilometer": "1e6", "hectare": "1e4", "square-meter": "1", "square-centimeter": "1e-4",
        "square-mile": "2589988.110336", "acre": "4046.8564224", "square-yard": "0.83612736",
        "square-foot": "0.09290304", "square-inch": "0.00064516",
    },
    "volume": {
        "cubic-meter": "1000", "liter": "1", "deciliter": "0.1", "centiliter": "0.01", "milliliter": "0.001",
        "cubic-centimeter": "0.001", "gallon": "3.785411784", "quart": "0.946352946", "pint": "0.473176473",
        "cup": "0.2365882365", "fluid-ounce": "0.0295735295625",
    },
    "speed": {"meter-per-second": "1", "kilometer-per-hour": "5/18", "mile-per-hour": "0.44704", "knot": "463/900"},
    "temperature": {"kelvin": "1", "celsius": "1", "fahrenheit": "5/9"},
    "energy": {"joule": "1", "kilojoule": "1000", "kilocalorie": "4184", "kilowatt-hour": "3600000"},
    "power": {"milliwatt": "0.001", "watt": "1", "kilowatt": "1000", "megawatt": "1e6", "gigawatt": "1e9"},
    "pressure": {
        "pascal": "1", "hectopascal": "100", "kilopascal": "1000", "megapascal": "1e6", "bar": "1e5", "millibar": "100",
        "atmosphere": "101325",
    },
    "frequency": {"hertz": "1", "kilohertz": "1000", "megahertz": "1e6", "gigahertz": "1e9"},
}  # fmt: skip
"""Each unit in the first of its kind that has the factor 1. Months and years are a kind of their own."""
_OFFSETS = {"celsius": Fraction("273.15"), "fahrenheit": Fraction("459.67") * 5 / 9}
_ALSO_NAMED = {"second": "s", "hour": "h", "pound": "lbs", "kilometer-per-hour": "kph"}
_ALSO_WORDS = frozenset(("in", "min", "pt"))
"""Short names that say something else in the name of a parameter (`check_in`, `price_min`)."""
_WORDS = regex.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A kind of quantity, and how a number in the unit becomes one in the kind's own: times `factor`, plus `offset`."""

    kind: str
    factor: Fraction
    offset: Fraction


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a text says, by the reading of each unit that its name may mean: kind to amount in the kind's own unit."""

    amounts: Mapping[str, Fraction]


@cache
def _units() -> Mapping[str, tuple[Unit, ...]]:
    """The units by their folded names, long and short; a name may mean units of several kinds, of each only one."""
    found: dict[str, dict[str, set[Unit]]] = {}
    for kind, factors in _FACTORS.items():
        for title, factor in factors.items():
            unit = Unit(kind, Fraction(factor), _OFFSETS.get(title, Fraction(0)))
            cldr = f"{'duration' if kind == 'calendar' else kind}-{title}"
            also = {title} if kind == "temperature" else {_ALSO_NAMED.get(title, "")} - {""}
            for name in _names(cldr, 1, "long") | _names(cldr, 2, "long") | _names(cldr, 2, "short") | also:
                found.setdefault(name, {}).setdefault(kind, set()).add(unit)
    return {
        name: tuple(unit for units in kinds.values() if len(units) == 1 for unit in units)
        for name, kinds in found.items()
    }


def _names(cldr: str, count: int, length: Literal["long", "short"]) -> set[str]:
    """In both spellings: `meters`, `metres`."""
    return {fold(format_unit(count, cldr, length, locale=locale)[1:].strip()) for locale in ("en", "en_GB")}


@cache
def _singular() -> frozenset[str]:
    """`day`, which in a parameter's name is a place in the calendar or what is counted by (`start_day`, `per_day`)."""
    titles = {f"{'duration' if kind == 'calendar' else kind}-{title}" for kind in _FACTORS for title in _FACTORS[kind]}
    return frozenset(name for cldr in titles for name in _names(cldr, 1, "long"))


@cache
def _quantity() -> regex.Pattern[str]:
    names = "|".join(map(regex.escape, sorted(_units(), key=len, reverse=True)))
    return regex.compile(
        rf"(?<![\w.,])(−?\d[\d,]{{0,30}}(?:\.\d{{1,30}})?)[ -]?({names})\b(?![²³^/*·]| ?/|[ -]per\b)(?=( (?:and )?\d)?)"
    )


@cache
def _named() -> regex.Pattern[str]:
    names = "|".join(map(regex.escape, sorted(_units(), key=len, reverse=True)))
    return regex.compile(rf"\b(?:in|of)(?: the| whole| full)? ({names})\b(?! ?/| per\b|,? or\b)|\((?:in )?({names})\)")


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a folded text; those that follow each other are also said as one (`5 ft 10 in`)."""
    found: list[Quantity] = []
    before: dict[str, Fraction] = {}
    for match in _quantity().finditer(text[:MAX_TEXT]):
        number = Fraction(match[1].replace(",", "").replace("−", "-"))
        here = {unit.kind: number * unit.factor + unit.offset for unit in _units()[match[2]]}
        found.append(Quantity(here))
        joined = {kind: amount + before[kind] for kind, amount in here.items() if kind in before}
        if joined:
            found.append(Quantity(joined))
        before = (joined or here) if match[3] else {}
        if len(found) >= MAX_QUANTITIES:
            break
    return tuple(found)


def says(said: tuple[Quantity, ...], value: int | float, unit: Unit) -> bool:
    """Whether one of the quantities is this number of the unit."""
    exact = Fraction(value) * unit.factor + unit.offset
    amounts = (quantity.amounts.get(unit.kind) for quantity in said)
    return any(
        amount is not None and (amount == exact or math.isclose(amount, exact, rel_tol=1e-9)) for amount in amounts
    )


@lru_cache(maxsize=4096)
def unit_of(name: str, description: str) -> Unit | None:
    """The unit that a parameter names: at the end of its name, or in its description as one unit alone."""
    words = _WORDS.findall(fold(CAMEL.sub(" ", name[:100])))
    for length in (3, 2, 1):
        title = " ".join(words[-length:])
        alone = length >= len(words) and len(title) <= 2  # a parameter called m
        units = () if alone or "per" in words[:-length] else _units().get(title, ())
        if len(units) == 1 and title not in _ALSO_WORDS and title not in _singular():
            return units[0]
    titles = {match[1] or match[2] for match in _named().finditer(fold(description[:MAX_DESCRIPTION]))}
    units = tuple({unit for title in titles - _ALSO_WORDS for unit in _units()[title]})
    return units[0] if len(units) == 1 else None


def unit_called(name: str) -> Unit | None:
    """The unit of that name."""
    units = _units().get(fold(name[:100].strip()), ())
    return units[0] if len(units) == 1 else None
