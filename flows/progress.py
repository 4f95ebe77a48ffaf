"""Where a run stands, told to whoever watches: a live line in a terminal, plain lines elsewhere.

In: `Standing`, a few counts, after each chunk. Out: text on standard error. The flow tells `watch.tell`; who
listens is set by the command line, and a run by a worker has no listener (its log and artifact tell the same).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text


@dataclass(frozen=True, slots=True)
class Standing:
    """Counts so far: briefs asked, tasks proven, tasks measured, tasks that would be published now."""

    briefs: int
    budget: int
    proven: int
    measured: int
    chosen: int
    wanted: int

    def line(self) -> str:
        return (
            f"briefs {self.briefs}/{self.budget} at most · proven {self.proven} · "
            f"measured {self.measured} · chosen {self.chosen}/{self.wanted}"
        )

    @property
    def share(self) -> float:
        """0 to 100: how near the end is, by tasks or by budget."""
        return 100 * max(self.chosen / self.wanted, self.briefs / self.budget) if self.wanted and self.budget else 0.0


class Watch:
    """Nobody watches."""

    def tell(self, standing: Standing) -> None:
        """Take note of where the run stands."""

    def note(self, text: str) -> None:
        """Take note of something a person should know."""


class Lines(Watch):
    """A line for each report."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.start = time.monotonic()

    def tell(self, standing: Standing) -> None:
        print(f"{time.monotonic() - self.start:6.0f} s  {standing.line()}", file=self.stream, flush=True)

    def note(self, text: str) -> None:
        print(text, file=self.stream, flush=True)


class LiveLine(Watch):
    """One line that changes in place, with the time since the start."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.standing: Standing | None = None
        self.start = time.monotonic()

    def tell(self, standing: Standing) -> None:
        self.standing = standing
        self.live.refresh()

    def note(self, text: str) -> None:
        self.live.console.print(text, markup=False, highlight=False)

    def __rich__(self) -> Text:
        words = self.standing.line() if self.standing else "starting"
        return Text(f"{time.monotonic() - self.start:6.0f} s  {words}", no_wrap=True, overflow="ellipsis")


watch: Watch = Watch()


def tell(standing: Standing) -> None:
    """Tell whoever watches this process."""
    watch.tell(standing)


def note(text: str) -> None:
    """Say something to whoever watches this process."""
    watch.note(text)


@contextmanager
def watching() -> Iterator[None]:
    """Show progress on standard error for as long as the context lasts."""
    global watch
    console = Console(stderr=True)
    try:
        if console.is_terminal:
            with Live(console=console, refresh_per_second=4) as live:
                line = LiveLine(live)
                live.update(line)
                watch = line
                yield
        else:
            watch = Lines(sys.stderr)
            yield
    finally:
        watch = Watch()
