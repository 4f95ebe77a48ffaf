"""Each alarm is raised where it should be, by its name, and only there; figures are numbers."""

from typing import Any

import pytest

from flows.round_health import ALARMS, WINDOW, alarms, nothing, wording

GOOD: dict[str, float] = {
    "published": 32, "measured": 100, "in_band_share": 0.4, "wording": 0.6, "repeated_share": 0.1,
    "leaks": 0.02, "copies": 0.0, "ambiguous": 0.05,
}  # fmt: skip
BAD: dict[str, tuple[str, dict[str, Any]]] = {
    "no band": ("Starved", {"in_band_share": 0.04}),
    "other words are gone": ("Collapsed", {"wording": 0.29}),
    "the same again": ("Collapsed", {"repeated_share": 0.61}),
    "copies": ("Gamed", {"copies": 0.3}),
    "leaks": ("Gamed", {"leaks": 0.3}),
    "ambiguous": ("Gamed", {"ambiguous": 0.31}),
}


def test_a_good_round_raises_none() -> None:
    assert alarms(GOOD, GOOD) == []
    assert alarms(GOOD | {"in_band_share": 0.05, "wording": 0.3, "repeated_share": 0.6, "copies": 0.23}, GOOD) == []


@pytest.mark.parametrize(("name", "change"), BAD.values(), ids=list(BAD))
def test_each_fault_raises_its_alarm_alone(name: str, change: dict[str, float]) -> None:
    (alarm,) = alarms(GOOD | change, GOOD)
    assert alarm.name == name
    assert name in ALARMS
    assert alarm.why
    assert alarm.advice


def test_a_generator_that_was_so_from_the_start_is_not_gamed() -> None:
    base = GOOD | {"ambiguous": 0.3}
    assert alarms(base | {"ambiguous": 0.5}, base) == []
    assert [one.name for one in alarms(base | {"ambiguous": 0.7}, base)] == ["Gamed"]


def test_a_round_that_published_nothing_is_starved_and_has_numbers() -> None:
    found = nothing(40)
    assert [one.name for one in alarms(found, found)] == ["Starved"]
    assert all(isinstance(value, float) for value in found.values())


def test_wording_falls_with_repetition_and_not_with_the_number_of_questions() -> None:
    rich = [f"Book a table for {place} at {place + 7} in town {place % 5}" for place in range(4 * WINDOW)]
    poor = ["Book a table for two at seven in town"] * WINDOW
    assert wording(rich) > 2 * wording(poor)
    assert wording(rich) == pytest.approx(wording(rich[:WINDOW]), abs=0.05)
    assert wording([*rich, "one more"]) == wording(rich)
    assert wording([]) == wording(["word"]) == 1.0
