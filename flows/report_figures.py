"""Figures in text: bars and little curves of block characters, and a mermaid chart for Prefect's page.

In: counts. Out: text that reads alike on a light page, a dark page and a terminal.
Not promised: more than seven steps of height, or an eighth of a character of width.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from data.figures import EIGHTHS, eighths

WIDTH = 16
"""Characters of the longest bar."""
_PARTS = " ▏▎▍▌▋▊▉█"
_NONE, _STEPS = "▁", "▂▃▄▅▆▇█"
_THEME = {
    "theme": "base",
    "themeVariables": {
        "xyChart": {
            "backgroundColor": "transparent",
            "plotColorPalette": "#4a8fd6",
            **dict.fromkeys(
                ("titleColor", "xAxisLabelColor", "xAxisTitleColor", "xAxisTickColor", "xAxisLineColor",
                 "yAxisLabelColor", "yAxisTitleColor", "yAxisTickColor", "yAxisLineColor"),
                "#76808c",
            ),
        }
    },
}  # fmt: skip
"""Colours of middling lightness, those of the SVG figures; mermaid's own are too pale for either page."""


def bar(value: float, most: float, width: int = WIDTH) -> str:
    """A bar as long as `value` is to `most`; what is not nothing is never shown as nothing."""
    eighth = round(8 * width * value / most) if most else 0
    eighth = max(eighth, 1) if value else 0
    return "█" * (eighth // 8) + _PARTS[eighth % 8].strip()


def curve(counts: Sequence[int]) -> str:
    """A character a count; the lowest is for none alone. All are blocks: only those are equally wide in any font."""
    most = max([1, *counts])
    return "".join(_STEPS[-(-len(_STEPS) * count // most) - 1] if count else _NONE for count in counts)


def rates_curve(rates: Iterable[float]) -> str:
    """Pass rates in nine bins around the eighths."""
    return curve(eighths(rates))


def chart(counts: Sequence[int], labels: Sequence[str] = EIGHTHS, title: str = "tasks") -> str:
    """A bar chart for Prefect's page, where figures in files cannot be shown. Labels and title are ours."""
    return "\n".join(
        [
            "```mermaid",
            f"%%{{init: {json.dumps(_THEME)}}}%%",
            "xychart-beta",
            f"    x-axis [{', '.join(json.dumps(label) for label in labels)}]",
            f"    y-axis {json.dumps(title)} 0 --> {max([1, *counts])}",
            f"    bar [{', '.join(map(str, counts))}]",
            "```",
        ]
    )
