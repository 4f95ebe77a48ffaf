"""An evolution as a person reads it: Markdown for the UI and for `report.md`, lines for a terminal.

In: what each round came to (`flows.evolve_round`) and the final evaluation. Out: text. Everything that a model wrote
stays in the reports of the rounds' versions; here are figures, names and reasons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.escaping import escaped, markdown_table
from flows.evolve_settings import EvolveConfig
from flows.promotion import points
from flows.round_health import GAMING, REWARDS
from flows.stages import Result
from policies.connect import SLOTS
from solver.intervals import Estimate


def headline(rounds: Sequence[Result]) -> str:
    """One sentence: what was published, how much of it at the frontier, what was promoted, what is wrong."""
    versions = ", ".join(one["version"].partition("-")[0] for one in rounds if one["version"]) or "nothing"
    bands = " → ".join(f"{one['figures']['in_band_share']:.0%}" for one in rounds)
    promoted = sum(one["decisions"][slot]["promoted"] for one in rounds for slot in SLOTS)
    wrong = [f"round {one['number']} {alarm['name']}" for one in rounds for alarm in one["alarms"]]
    text = f"{versions} published; at the frontier {bands} of the measured tasks; {promoted} promotions"
    return f"{text}; alarms: {', '.join(wrong)}" if wrong else f"{text}; no alarm"


def report(config: EvolveConfig, rounds: Sequence[Result], final: Result) -> str:
    """The whole evolution."""
    parts = [
        f"# Evolution of {escaped(config.name)}",
        escaped(headline(rounds)) + ".",
        "## Rounds",
        _rounds(rounds),
        "## At the end",
        "The solver on items that no decision saw: the final half of the probe, and the benchmarks that were named.",
        _final(final),
        _generators(final["generators"]),
        "## Health, round by round",
        _figures(rounds),
        _alarms(rounds),
        "## Decisions",
        _decisions(rounds),
    ]
    if learned := _trainings(rounds):
        parts += ["## Trainings", learned]
    if moved := rounds[-1]["moved"]:
        parts += ["## Where the briefs of the last round went", _moved(moved)]
    return "\n\n".join(part for part in parts if part) + "\n"


def round_report(config: EvolveConfig, one: Result) -> str:
    """One round, for the UI."""
    parts = [
        f"# {escaped(config.name)}, round {one['number']}",
        escaped(headline([one])) + ".",
        _rounds([one]),
        f"The version: {escaped(one['verdict'])}",
        _alarms([one]),
        _figures([one]),
        _decisions([one]),
        *(["## Where the briefs went", _moved(one["moved"])] if one["moved"] else []),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _rounds(rounds: Sequence[Result]) -> str:
    rows = [
        (
            one["number"], one["version"] or "nothing", one["rows"], *(one["players"][slot] for slot in SLOTS),
            f"{100 * one['figures'].get('yield', 0.0):.1f}", f"{one['figures']['in_band_share']:.0%}",
            ", ".join(alarm["name"] for alarm in one["alarms"]) or "none",
            ", ".join(slot for slot in SLOTS if one["decisions"][slot]["promoted"]) or "none",
        )
        for one in rounds
    ]  # fmt: skip
    head = ("round", "version", "tasks", *SLOTS, "frontier tasks per 100 briefs", "frontier of measured", "alarms",
            "promoted")  # fmt: skip
    return markdown_table(head, rows, right=(0, 2, 5, 6))


FIGURES: Mapping[str, tuple[str, ...]] = {
    "briefs, and how many are left": ("briefs", "answered", "proven", "measured", "in_band", "published"),
    "shares": ("in_band_share", "yield", "dead_expected", "dead_seen", "flat_seen", "repeated_share", "earlier_share"),
    "diversity": ("tools", "wording"),
    "does it answer its prompts, nats a token": ("mutual_information", "entropy"),
    "signs of gaming, of the answers": tuple(GAMING),
    "the generator's reward, means": tuple(REWARDS.values()),
}
"""Figures by what they are about, in the order in which a person should read them."""


def _figures(rounds: Sequence[Result]) -> str:
    rows: list[tuple[object, ...]] = []
    for about, names in FIGURES.items():
        known = [name for name in names if any(name in one["figures"] for one in rounds)]
        rows += [(about, name, *(_number(one["figures"].get(name)) for one in rounds)) for name in known]
    head = ("about", "figure", *(f"round {one['number']}" for one in rounds))
    reasons = [
        f"Round {one['number']}: mutual information and entropy were not measured: {escaped(one['not_measured'])}."
        for one in rounds
        if one["not_measured"]
    ]
    return "\n\n".join([markdown_table(head, rows, right=range(2, 2 + len(rounds))), *reasons])


def _number(value: float | None) -> str:
    if value is None:
        return "not measured"
    return f"{value:,.0f}" if value == int(value) and abs(value) > 1 else f"{value:.3f}"


def _alarms(rounds: Sequence[Result]) -> str:
    lines = [
        f"- **{alarm['name']}** (round {one['number']}): {escaped(alarm['why'])}; {escaped(alarm['advice'])}"
        for one in rounds
        for alarm in one["alarms"]
    ]
    return "\n".join(lines) if lines else "No alarm."


def _decisions(rounds: Sequence[Result]) -> str:
    rows = [
        (one["number"], slot, "promoted" if said["promoted"] else "kept", said["player"], said["why"])
        for one in rounds
        for slot in SLOTS
        for said in [one["decisions"][slot]]
    ]
    return markdown_table(("round", "slot", "", "plays on", "why"), rows, right=(0,))


def _trainings(rounds: Sequence[Result]) -> str:
    """What each training was, in its own figures."""
    rows = [
        (one["number"], slot, said["player"] or said["why"], name, f"{value:.4g}")
        for one in rounds
        for slot, said in one["trained"].items()
        for name, value in said.get("metrics", {}).items()
    ]
    return markdown_table(("round", "slot", "came to", "figure", "value"), rows, right=(0, 4)) if rows else ""


def _moved(moved: Sequence[Sequence[Any]]) -> str:
    rows = [(cell.replace("|", " / "), f"{before:.2%}", f"{after:.2%}") for cell, before, after in moved]
    head = ("domain / menu / calls / nesting", "share before control", "share in this round")
    return markdown_table(head, rows, right=(1, 2))


def _final(final: Result) -> str:
    rows = [
        (one["bench"], one["solver"], one["category"], f"{one['items']} x {one['seeds']}", _share(one["pass_at_1"]))
        for one in final["metrics"]
        if one["category"] == "overall"
    ]
    text = markdown_table(("benchmark", "solver", "category", "items x seeds", "pass@1"), rows)
    if not final["differences"]:
        return f"{text}\n\nOne solver: it plays with the weights it began with, so there is no difference to tell."
    pairs = [
        (one["bench"], one["category"], one["first"], one["second"], points(Estimate(**one["pass_at_1"])))
        for one in final["differences"]
    ]
    return f"{text}\n\n{markdown_table(('benchmark', 'category', 'solver', 'less', 'paired difference'), pairs)}"


def _generators(final: Result) -> str:
    """The two generators on the same fresh briefs."""
    if not final["compared"]:
        return "No other generator was promoted, so there is none to compare with the first."
    rows = [(one["generator"], f"{len(one['briefs'])}", f"{one['frontier_per_1000']:.0f}") for one in final["compared"]]
    head = ("generator", "briefs", "frontier tasks per 1,000 samples")
    gain = points(Estimate(**final["difference"]))
    return (
        f"The generator on briefs that no decision saw, tried by {escaped(final['solver'])}, which stood at the start. "
        f"Paired difference: {gain}.\n\n{markdown_table(head, rows, right=(1, 2))}"
    )


def _share(one: Mapping[str, float]) -> str:
    return f"{100 * one['mean']:.1f} % [{100 * one['low']:.1f}, {100 * one['high']:.1f}]"


def lines(rounds: Sequence[Result], final: Result) -> list[str]:
    """The same in short, for a terminal."""
    told = [""]
    for one in rounds:
        alarms = ", ".join(alarm["name"] for alarm in one["alarms"]) or "no alarm"
        share = f"{one['figures']['in_band_share']:.0%} of the measured tasks at the frontier"
        told.append(f"round {one['number']}  {one['version'] or 'nothing'}, {one['rows']} tasks, {share}, {alarms}")
        told += [f"         {slot}: {one['decisions'][slot]['why']}" for slot in SLOTS]
    for one in final["metrics"]:
        if one["category"] == "overall":
            told.append(f"{one['bench']}  {one['solver']}: pass@1 {_share(one['pass_at_1'])}")
    for one in final["differences"]:
        if one["category"] == "overall":
            told.append(f"{one['bench']}  {one['first']} less {one['second']}: {points(Estimate(**one['pass_at_1']))}")
    if (generators := final["generators"])["compared"]:
        last, first = generators["compared"]
        told.append(
            f"frontier tasks of 1,000 samples  {last['generator']}: {last['frontier_per_1000']:.0f}, "
            f"{first['generator']}: {first['frontier_per_1000']:.0f}; {points(Estimate(**generators['difference']))}"
        )
    return told
