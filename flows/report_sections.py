"""The sections of a report, each from the facts alone; `flows.reports` puts them together.

In: `Facts`. Out: GitHub's Markdown. Everything a model wrote is shown as text, fenced or escaped.
Not promised: every reason and every domain of a large run; what is left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from data.figures import EIGHTHS, eighths
from data.ledger import PUBLISHED
from data.rule import BANDS
from flows.escaping import cell, cut, escaped, fenced, folded, markdown_table
from flows.report_facts import Facts, player, weights
from flows.report_figures import bar, chart, rates_curve
from flows.report_health import Check
from verifiers.codes import expected

MOST = 40
"""Rows of a table about domains or tools."""
SHOWN = 2
"""Examples of each reason."""
LONGEST = 600
"""Characters of an example."""
STEPS = (("answered", "propose"), ("proven", "verify"), ("measured", "solve"), ("fit for the set", "select"))
"""The funnel's steps after the briefs, each with the stage whose bins leave there."""


def headline(facts: Facts) -> str:
    """One sentence: what was asked, what came out."""
    spread = facts.spread
    return (
        f"{spread.tasks:,} of {facts.rule.n:,} tasks published from {facts.briefs:,} briefs; "
        f"{facts.frontier:,} at the frontier (pass rate 0.25 to 0.75), {len(spread.tools):,} tools, "
        f"{len(spread.domains):,} domains"
    )


def asked(facts: Facts) -> str:
    """What was asked for, in one line."""
    config: Mapping[str, Any] = facts.origin.config
    if "rescore" in config:
        return "the same tasks measured again"
    shares = {band: facts.rule.mix.get(band, 0.0) for band in BANDS}
    mix = ", ".join(f"{share / sum(shares.values()):.0%} {band}" for band, share in shares.items())
    domains = ", ".join(config.get("domains") or ()) or "all domains"
    turn = f"round {config['round']} of an evolution" if "round" in config else ""
    parts = [
        *filter(None, [turn]),
        f"{facts.rule.n:,} tasks ({mix})",
        *([f"mode {config['mode']}"] if "mode" in config else []),
        *([f"changes of {config['parent']}"] if config.get("parent") else []),
        domains,
    ]
    if source := config.get("selected_from"):
        parts.append(f"chosen again from {source}")
    return f"{'; '.join(parts)}; seed {facts.origin.seed}"


def health(checks: Sequence[Check]) -> str:
    """All checks as a table, then what to do about those that do not hold."""
    table = markdown_table(
        ("", "check", "found", "healthy"),
        [("✓" if check.holds else "✗", check.name, check.found, check.limit) for check in checks],
    )
    advice = [f"- **{check.name}**: {check.advice}" for check in checks if not check.holds]
    return "\n\n".join([table, "\n".join(advice)] if advice else [table])


def funnel(facts: Facts) -> list[tuple[str, int, str]]:
    """The ledger as steps from the briefs to the published: step, briefs left, what left on the way there."""
    bins = [row for row in facts.ledger if row.count]
    left = facts.briefs
    steps = [("briefs", left, "")]
    for name, stage in STEPS:
        gone = [row for row in bins if row.stage == stage and (stage, row.code) != ("select", "surplus")]
        left -= sum(row.count for row in gone)
        reasons = sorted(gone, key=lambda row: (-row.count, row.code))
        told = ", ".join(f"{row.count:,} {row.code}" for row in reasons[:4])
        rest = sum(row.count for row in reasons[4:])
        steps.append((name, left, f"{told}, {rest:,} others" if rest else told))
    surplus = sum(row.count for row in bins if (row.stage, row.code) == ("select", "surplus"))
    published = sum(row.count for row in bins if row.stage == PUBLISHED)
    return [*steps, ("published", published, f"{surplus:,} left over: the set was full" if surplus else "")]


def control(facts: Facts) -> str:
    """How the briefs were thinned by cell; nothing for a run whose were not."""
    accepted: Any = facts.origin.config.get("accepted")
    if not accepted:
        return ""
    ranked = sorted(accepted.items(), key=lambda item: (-item[1], item[0]))
    rows = [(cell.replace("|", " / "), f"{share:.0%}", bar(round(100 * share), 100)) for cell, share in ranked]
    table = markdown_table(("domain / menu / calls / nesting", "briefs kept", ""), rows, right=(1,))
    return folded(f"Of {len(ranked):,} cells, how many of their briefs were kept: curriculum control", table)


def ledger(facts: Facts) -> str:
    """The funnel, and the ledger's bins under it."""
    whole = max(1, facts.briefs)
    steps = markdown_table(
        ("step", "briefs", "of all", "", "left on the way"),
        [(name, f"{count:,}", f"{count / whole:.1%}", bar(count, whole), why) for name, count, why in funnel(facts)],
        right=(1, 2),
    )
    bins = markdown_table(
        ("stage", "code", "briefs", "share"),
        [(row.stage, row.code, f"{row.count:,}", f"{row.count / whole:.1%}") for row in facts.ledger if row.count]
        + [("all", "", f"{facts.briefs:,}", "100.0%")],
        right=(2, 3),
    )
    return f"{steps}\n\n{folded('Every bin of the ledger', bins)}"


def difficulty(facts: Facts, *, linked: bool) -> str:
    """The histogram of pass rates, as a file's figure or as the page's own."""
    counts = eighths(facts.spread.rates.elements())
    figure = "![Tasks by pass rate](figures/pass_rate.svg)" if linked else chart(counts)
    table = markdown_table(("pass rate", *EIGHTHS), [("tasks", *counts)], right=range(1, 10))
    return f"{figure}\n\n{table}"


def against(facts: Facts) -> str:
    """This version beside the ones before it."""
    rows = [
        (
            one.version.partition("-")[0], one.spread.tasks, f"{one.spread.mean:.2f}",
            *(one.spread.bands[band] for band in ("hard", "frontier", "easy")),
            f"{one.spread.dead:.0%}", rates_curve(one.spread.rates.elements()), len(one.spread.tools),
            f"{player(one.origin, 'solver').get('engine', '')} {weights(player(one.origin, 'solver'), 8)}",
            one.origin.difficulty.get("harness", ""),
        )
        for one in facts.versions
    ]  # fmt: skip
    head = ("version", "tasks", "mean", "hard", "frontier", "easy", "dead groups", "0/8 to 8/8", "tools", "solver",
            "harness")  # fmt: skip
    table = markdown_table(head, rows, right=range(1, 7))
    measured_by = {
        (weights(player(one.origin, "solver"), 64), one.origin.difficulty.get("harness")) for one in facts.versions
    }
    if len(measured_by) > 1:
        table += "\n\nNot all were measured by the same solver and harness: compare those rows that were."
    return table


def coverage(facts: Facts, *, linked: bool) -> str:
    """Domains from briefs to tasks, the kinds of task, the tools that are called."""
    fates, spread = facts.fates, facts.spread
    names = sorted(fates.briefs | spread.domains, key=lambda name: (-spread.domains[name], -fates.briefs[name], name))
    most = max(spread.domains.values(), default=0)
    rows = [
        (name, fates.briefs[name], fates.proven[name], spread.domains[name], bar(spread.domains[name], most))
        for name in names[:MOST]
    ]
    parts = [markdown_table(("domain", "briefs", "proven", "tasks", ""), rows, right=(1, 2, 3))]
    if linked:
        parts.insert(0, "![Tasks by domain](figures/domains.svg)")
    if empty := [name for name in names if not spread.domains[name]]:
        parts.append(f"Without a task: {escaped(', '.join(empty[:MOST]))}{_more(len(empty) - MOST)}.")
    parts.append(markdown_table(("kind", "tasks", ""), _ranked(spread.kinds), right=(1,)))
    tools = _ranked(spread.tools)
    table = markdown_table(("tool called", "tasks", ""), tools[:MOST], right=(1,))
    parts.append(folded(f"{len(tools):,} tools called", table + _more(len(tools) - MOST)))
    return "\n\n".join(parts)


def rejections(facts: Facts) -> Iterator[str]:
    """Each reason with what was expected and examples, the most frequent first."""
    for reason, count in sorted(facts.fates.reasons.items(), key=lambda item: (-item[1], item[0])):
        _, check, code = reason
        lines = [f"Expected: {escaped(words)}."] if (words := expected(check, code)) else []
        for one in facts.fates.examples[reason][:SHOWN]:
            lines.append(f"Brief {one.index}, {escaped(one.domain)}: {escaped(str(cell(one.detail, LONGEST)))}")
            lines.append(fenced(cut(one.text, LONGEST)))
        yield folded(f"{count:,} × {check}/{code}", "\n\n".join(lines))


def players(facts: Facts, lineage: Mapping[str, Sequence[str]]) -> str:
    """Both players, and the weights that each descends from."""
    rows = []
    for slot in ("generator", "solver"):
        said = player(facts.origin, slot)
        chain = list(lineage.get(slot, ())) or [str(one) for one in (said.get("parent"), said.get("digest")) if one]
        rows.append(
            (slot, said.get("engine", ""), said.get("round", 0), " → ".join(_short(one) for one in chain),
             said.get("licence") or "not known")
        )  # fmt: skip
    text = markdown_table(("player", "engine", "round", "weights, from the base on", "licence"), rows, right=(2,))
    if facts.origin.players.get("equal"):
        text += "\n\nBoth players are still the base: neither was trained."
    way = ", ".join(f"{key} {value}" for key, value in facts.origin.difficulty.items())
    return f"{text}\n\nThe solver was asked with {escaped(way)}."


def cost(facts: Facts) -> str:
    """Tokens and seconds, all of them and for each published task."""
    tasks = max(1, facts.spread.tasks)
    solver = facts.tokens("solve") + facts.tokens("confirm")
    kept = facts.tokens(PUBLISHED)
    spent = [
        ("generator, on what was published", kept),
        ("generator, on what was not", facts.tokens() - solver - kept),
        ("solver", solver),
        ("both", facts.tokens()),
    ]
    rows = [(name, f"{count:,} tokens", f"{count / tasks:,.0f}") for name, count in spent]
    rows.append(("the run, since its last start", f"{facts.seconds:,.0f} seconds", f"{facts.seconds / tasks:,.2f}"))
    return markdown_table(("cost", "all", "a published task"), rows, right=(1, 2))


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, int, str]]:
    most = max(counts.values(), default=0)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(name, count, bar(count, most)) for name, count in ranked]


def _more(count: int) -> str:
    return f", and {count:,} more" if count > 0 else ""


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:12]
