"""RULES G5 for quantities: a number is said when the text says as much in another unit than the schema names."""

import pytest

from data.records import Json, JsonObject, Message
from verifiers.grounding import check_grounding
from verifiers.menu import Menu, read_menu


def grounded(text: str, value: float, name: str = "value", **schema: Json) -> bool:
    menu = read_menu([{"name": "act", "description": "", "parameters": {name: {"type": "number", **schema}}}])
    assert isinstance(menu, Menu)
    return check_grounding(menu, ({"name": "act", "arguments": {name: value}},), (Message("user", text),)) is None


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("run 3 km", "meters", 3000),
        ("run three kilometres", "m", 3000),
        ("walk 0.1 km", "meters", 100),
        ("a 5-mile run", "kilometers", 8.04672),
        ("I am 5ft 10in tall", "inches", 70),
        ("for 2 hours and 30 minutes", "minutes", 150),
        ("for 2 weeks", "days", 14),
        ("after 1 year", "months", 12),
        ("at 300K", "kelvin", 300),
        ("at 32 °F", "celsius", 0),
        ("at -40 degrees Celsius", "fahrenheit", -40),
        ("drive 72 km/h", "m/s", 20),
        ("1,500 g of flour", "kg", 1.5),
        ("1.5 l of milk", "ml", 1500),
        ("2 kWh", "kJ", 7200),
    ],
)
def test_a_quantity_is_said_in_any_unit_of_its_kind(text: str, unit: str, value: float) -> None:
    assert grounded(text, value, unit=unit)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("run 3 km", "meters", 300),
        ("run 3 km", "grams", 3000),
        ("drive 5 m/s", "centimeters", 500),
        ("10 meters per second", "centimeters", 1000),
        ("5 m2 of land", "centimeters", 500),
        ("12 km and then 30 bananas", "meters", 12030),
        ("1 month", "days", 30),
        ("-3 km", "meters", 3000),
        ("13 km", "meters", 3000),
        ("about km", "meters", 1000),
    ],
)
def test_other_quantities_say_nothing(text: str, unit: str, value: float) -> None:
    assert not grounded(text, value, unit=unit)


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("distance_m", ""),
        ("distanceMeters", ""),
        ("meters", ""),
        ("distance_in_meters", ""),
        ("distance", "How far to run, in meters."),
        ("distance", "Distance (m)"),
        ("distance", "Number of metres"),
    ],
)
def test_a_schema_names_its_unit(name: str, description: str) -> None:
    assert grounded("run 3 km", 3000, name, description=description)


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("distance", ""),
        ("m", ""),
        ("start_meter", ""),
        ("cost_per_m", ""),
        ("distance", "in miles or meters"),
        ("distance", "in meters, or miles"),
        ("distance", "in meters per second"),
        ("distance", "A meter of it"),
    ],
)
def test_other_schemas_name_none(name: str, description: str) -> None:
    assert not grounded("run 3 km", 3000, name, description=description)


def test_numbers_in_lists_and_objects_have_the_unit_of_their_place() -> None:
    tool: Json = {
        "name": "act",
        "parameters": {
            "legs_m": {"type": "array", "items": {"type": "number"}},
            "stay": {"type": "object", "properties": {"hours": {"type": "integer"}}},
        },
    }
    menu = read_menu([tool])
    assert isinstance(menu, Menu)
    call: JsonObject = {"name": "act", "arguments": {"legs_m": [3000, 500], "stay": {"hours": 48}}}
    assert check_grounding(menu, (call,), (Message("user", "3 km, then 0.5 km, and stay 2 days"),)) is None
