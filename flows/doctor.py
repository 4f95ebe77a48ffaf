"""What `sparring doctor` finds: one `Finding` a check, and the checks in their order.

In: what the person means to use (an engine, a store). Out: findings, each of which says what is, and what to do where
something is wrong. A check that itself fails is a finding too, never a traceback. Nothing is mended here, no model is
started and no credential is shown; a probe is written to the store and taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from data.errors import SparringError
from flows.escaping import printable
from flows.redact import redact

Mark = Literal["ok", "note", "fault"]
"""`note`: fine as long as you do not need it. `fault`: a run, or what was asked for, will not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's."""

    check: str
    mark: Mark
    said: str
    do: str = ""

    def line(self) -> str:
        """For a terminal: a mark, the check, what is, and below it what to do."""
        text = f"{self.mark:<6}{self.check:<13}{self.said}"
        return f"{text}\n{'':<19}-> {self.do}" if self.do else text


Check = Callable[[], Iterator[Finding]]


def examine(checks: dict[str, Check]) -> Iterator[Finding]:
    """All findings, as they come."""
    for name, check in checks.items():
        try:
            for found in check():
                yield _shown(found)
        except SparringError as fault:
            yield _shown(Finding(name, "fault", fault.message, fault.hint))
        except Exception as fault:
            said = f"this could not be looked at: {type(fault).__name__}: {fault}"
            yield _shown(Finding(name, "fault", said, "mend that, or report it to whoever keeps sparring"))


def _shown(found: Finding) -> Finding:
    """On one line each, without credentials and without what steers a terminal."""
    said, do = (" ".join(printable(redact(text)).split()) for text in (found.said, found.do))
    return Finding(found.check, found.mark, said, do)
