"""The figures of a version as small SVG files: pass rates, domains, ledger; written here, without a library.

In: the tasks as tables, and the ledger. Out: file name -> SVG. Colours are of middling lightness, so that text and bars
read on a light page and on a dark one. The same rows give the same bytes.
Not promised: more than the largest `_MOST` bars of a figure; the last one counts what is left.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from data.digests import plain_values
from data.ledger import LedgerRow

EIGHTHS = tuple(f"{i}/8" for i in range(9))

_MOST = 24
_BAR, _GAP, _LABEL, _WIDTH = 16, 6, 210, 640
_INK, _FILL = "#76808c", "#4a8fd6"


def eighths(rates: Iterable[float]) -> list[int]:
    """Nine bins centred on the eighths, which are the pass rates that k = 8 can give."""
    counts = [0] * 9
    for rate in rates:
        counts[min(8, math.floor(rate * 8 + 0.5))] += 1
    return counts


@dataclass(slots=True)
class Summary:
    """What the figures and the card say of the tasks."""

    rates: Counter[float] = field(default_factory=Counter)
    domains: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    bands: Counter[str] = field(default_factory=Counter)

    def watch(self, tables: Iterable[pa.Table]) -> Iterable[pa.Table]:
        """The same tables, counted on their way."""
        for table in tables:
            self.count(table)
            yield table

    def count(self, table: pa.Table) -> None:
        """Count the tasks of a table that has at least these columns."""
        self.rates.update(plain_values(table["pass_rate"]))
        self.domains.update(plain_values(table["domain"]))
        self.kinds.update(plain_values(table["kind"]))
        self.bands.update(plain_values(table["band"]))


def figures(summary: Summary, ledger: Iterable[LedgerRow]) -> dict[str, str]:
    """The three figures by path, relative to the version."""
    bins = eighths(summary.rates.elements())
    fates = Counter({f"{row.stage} {row.code}".strip(): row.count for row in ledger if row.count})
    return {
        "figures/pass_rate.svg": bars("Tasks by pass rate", list(zip(EIGHTHS, bins, strict=True))),
        "figures/domains.svg": bars("Tasks by domain", _largest(summary.domains)),
        "figures/ledger.svg": bars("Briefs by where they ended", _largest(fates)),
    }


def bars(title: str, rows: Sequence[tuple[str, int]]) -> str:
    """A bar chart: a row each with its label, its bar and its number."""
    most = max([count for _, count in rows], default=0) or 1
    room = _WIDTH - _LABEL - 70
    height = 34 + len(rows) * (_BAR + _GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" '
        f'role="img" font-family="sans-serif" font-size="12" fill="{_INK}">',
        f"<title>{html.escape(title)}</title>",
        f'<text x="0" y="16" font-size="14" font-weight="bold">{html.escape(title)}</text>',
    ]
    for place, (label, count) in enumerate(rows):
        top = 28 + place * (_BAR + _GAP)
        width = round(room * count / most, 1)
        lines.append(
            f'<text x="{_LABEL - 8}" y="{top + 12}" text-anchor="end">{html.escape(_short(label))}</text>'
            f'<rect x="{_LABEL}" y="{top}" width="{width}" height="{_BAR}" fill="{_FILL}"/>'
            f'<text x="{_LABEL + width + 6}" y="{top + 12}">{count:,}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _largest(counts: Counter[str]) -> list[tuple[str, int]]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if len(ranked) <= _MOST:
        return ranked
    rest = ranked[_MOST - 1 :]
    return [*ranked[: _MOST - 1], (f"{len(rest)} others", sum(count for _, count in rest))]


def _short(label: str) -> str:
    """A label that fits its room, without characters that XML forbids."""
    text = "".join(char if char.isprintable() else "?" for char in label)
    return text if len(text) <= 30 else text[:29] + "…"
