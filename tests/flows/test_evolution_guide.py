"""docs/evolution.md names what an evolution's report has: its alarms with their thresholds, and its figures."""

from pathlib import Path

from flows.round_health import ALARMS, COLLAPSED, GAMED, REPEATED, STARVED
from flows.training_stages import AGAINST_GENERATOR
from generator.control import FADING, FLOOR

GUIDE = (Path(__file__).parents[2] / "docs" / "evolution.md").read_text(encoding="utf-8")


def test_every_alarm_stands_there_with_its_thresholds_and_what_it_does() -> None:
    for name, limits in {"Starved": [STARVED], "Collapsed": [REPEATED], "Gamed": [GAMED]}.items():
        (line,) = [line for line in GUIDE.splitlines() if line.startswith(f"| `{name}` |")]
        assert all(f"{limit:.0%}" in line for limit in limits)
        assert ("is not promoted" in line) == (name in AGAINST_GENERATOR)
    assert set(ALARMS) == {"Starved", "Collapsed", "Gamed"}
    assert COLLAPSED == 0.5
    assert "half of the first round's" in GUIDE


def test_the_numbers_of_the_control_stand_there() -> None:
    assert FLOOR == 0.1
    assert "a tenth of its share" in GUIDE
    assert FADING == 0.5
    assert "counts half" in GUIDE
