"""Units: conversion between units of one quantity, and a log of named measurements.

State: `{"measurements": {name: {"value", "unit"}}}`. Factors are exact by definition (international yard and pound, US
gallon); results to twelve significant digits. Not promised: compound units, other calendars or customary variants.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from data.records import Json
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import choice, entry, number, plain, room_in, takes, text, world

UNITS: Mapping[str, Mapping[str, Fraction]] = {
    "length": {
        "millimeters": Fraction(1, 1000), "centimeters": Fraction(1, 100), "meters": Fraction(1),
        "kilometers": Fraction(1000), "inches": Fraction("0.0254"), "feet": Fraction("0.3048"),
        "yards": Fraction("0.9144"), "miles": Fraction("1609.344"), "nautical miles": Fraction(1852),
    },
    "mass": {
        "grams": Fraction(1, 1000), "kilograms": Fraction(1), "tonnes": Fraction(1000),
        "ounces": Fraction("0.028349523125"), "pounds": Fraction("0.45359237"),
    },
    "volume": {
        "milliliters": Fraction(1, 1000), "liters": Fraction(1), "cubic meters": Fraction(1000),
        "gallons": Fraction("3.785411784"), "pints": Fraction("0.473176473"),
    },
    "time": {
        "seconds": Fraction(1), "minutes": Fraction(60), "hours": Fraction(3600), "days": Fraction(86400),
        "weeks": Fraction(604800),
    },
    "area": {
        "square meters": Fraction(1), "hectares": Fraction(10_000), "square kilometers": Fraction(1_000_000),
        "acres": Fraction("4046.8564224"), "square feet": Fraction("0.09290304"),
    },
}  # fmt: skip
"""Quantity -> unit -> how many of the quantity's base unit it is."""
QUANTITY = {unit: quantity for quantity, units in UNITS.items() for unit in units}
SCALES = ("celsius", "fahrenheit", "kelvin")
THINGS: Mapping[str, tuple[tuple[str, ...], int, int]] = {
    "desk width": (("centimeters", "inches"), 40, 90), "garden hose": (("meters", "feet"), 15, 60),
    "marathon route": (("kilometers", "miles"), 20, 45), "suitcase": (("kilograms", "pounds"), 8, 40),
    "parcel": (("grams", "ounces", "pounds"), 5, 90), "rain barrel": (("liters", "gallons"), 50, 300),
    "fuel tank": (("liters", "gallons"), 12, 70), "flight": (("minutes", "hours"), 2, 14),
    "rehearsal": (("minutes",), 30, 180), "meadow": (("acres", "hectares", "square meters"), 2, 90),
    "living room": (("square meters", "square feet"), 20, 60), "bookshelf": (("centimeters", "feet"), 3, 250),
    "flour sack": (("kilograms", "pounds"), 2, 25), "aquarium": (("liters", "pints"), 40, 300),
}  # fmt: skip
"""Things that are measured: in which units, and the bounds of a plausible value."""


def make(random: Random) -> State:
    """Three to six measurements."""
    measurements: dict[str, Any] = {}
    for name in sorted(random.sample(list(THINGS), random.randint(3, 6))):
        units, low, high = THINGS[name]
        measurements[name] = {"value": random.randint(low, high), "unit": random.choice(units)}
    return {"measurements": measurements}


def _factor(unit: str, other: str) -> Fraction:
    if QUANTITY[unit] != QUANTITY[other]:
        raise ToolFailure(f"{unit} measure {QUANTITY[unit]}, {other} measure {QUANTITY[other]}")
    return UNITS[QUANTITY[unit]][unit] / UNITS[QUANTITY[other]][other]


def _convert(state: State, given: Mapping[str, Any]) -> Json:
    value = Fraction(given["value"]) * _factor(given["unit"], given["to_unit"])
    return {"value": plain(value), "unit": given["to_unit"]}


def _temperature(state: State, given: Mapping[str, Any]) -> Json:
    value = Fraction(given["degrees"])
    zero = Fraction("273.15")
    kelvin = {
        "celsius": value + zero,
        "fahrenheit": (value - 32) * Fraction(5, 9) + zero,
        "kelvin": value,
    }[given["scale"]]
    if kelvin < 0:
        raise ToolFailure(f"{given['degrees']} {given['scale']} is below absolute zero")
    there = {"celsius": kelvin - zero, "fahrenheit": (kelvin - zero) * Fraction(9, 5) + 32, "kelvin": kelvin}
    return {"degrees": plain(there[given["to_scale"]]), "scale": given["to_scale"]}


def _read(state: State, given: Mapping[str, Any]) -> Json:
    return dict(entry(state["measurements"], given["name"], "measurement"))


def _record(state: State, given: Mapping[str, Any]) -> Json:
    measurements = state["measurements"]
    if given["name"] in measurements:
        raise ToolFailure(f"there is a measurement {given['name']!r} already; correct it instead")
    room_in(measurements, "measurement")
    measurements[given["name"]] = {"value": plain(Fraction(given["value"])), "unit": given["unit"]}
    return {"measurements": len(measurements)}


def _correct(state: State, given: Mapping[str, Any]) -> Json:
    measured = entry(state["measurements"], given["name"], "measurement")
    old, measured["value"] = measured["value"], plain(Fraction(given["new_value"]))
    return {"old_value": old, "unit": measured["unit"]}


def _remove(state: State, given: Mapping[str, Any]) -> Json:
    removed = entry(state["measurements"], given["name"], "measurement")
    del state["measurements"][given["name"]]
    return dict(removed)


def _compare(state: State, given: Mapping[str, Any]) -> Json:
    one = entry(state["measurements"], given["name"], "measurement")
    other = entry(state["measurements"], given["other_name"], "measurement")
    if not other["value"]:
        raise ToolFailure(f"{given['other_name']} is 0: there is no ratio to it")
    return {"ratio": plain(Fraction(one["value"]) * _factor(one["unit"], other["unit"]) / Fraction(other["value"]))}


_NAME = text("Name of the measurement")
_UNIT = choice("Unit of the value", tuple(QUANTITY))

MEASURES = world(
    "units",
    make,
    Tool(
        "convert_units",
        "Convert a length, mass, volume, time or area into another unit.",
        takes(value=number("The value"), unit=_UNIT, to_unit=choice("Unit to convert it to", tuple(QUANTITY))),
        _convert,
    ),
    Tool(
        "convert_temperature",
        "Convert a temperature into another scale.",
        takes(
            degrees=number("The temperature", -500, 1_000_000),
            scale=choice("Its scale", SCALES),
            to_scale=choice("Scale to convert it to", SCALES),
        ),
        _temperature,
    ),
    Tool("read_measurement", "Look up the value and unit of a logged measurement.", takes(name=_NAME), _read),
    Tool(
        "record_measurement",
        "Log a new measurement under a name.",
        takes(value=number("The value"), unit=_UNIT, name=_NAME),
        _record,
    ),
    Tool(
        "correct_measurement",
        "Change the value of a logged measurement; the unit stays.",
        takes(name=_NAME, new_value=number("The right value")),
        _correct,
    ),
    Tool(
        "compare_measurements",
        "How many times as large one logged measurement is as another of the same quantity.",
        takes(name=_NAME, other_name=text("Name of the measurement to compare it with")),
        _compare,
    ),
    Tool("remove_measurement", "Take a measurement out of the log.", takes(name=_NAME), _remove),
)
