"""Who stays a player: a checkpoint replaces its parent only if a paired test does not show it to be worse.

In: a paired difference on the same items with its 95 % interval (child less parent), a margin, and the round's alarms.
Out: `Decision`. Non-inferiority: the interval's lower end lies above minus the margin. So equal players promote the
child, a noisy test keeps the parent, and a margin of zero would ask for proof of gain. Decisions see the promotion half
of the probe alone; what is reported at the end comes from the final half, which no decision sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from solver.intervals import Estimate


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a slot's player is replaced, by which figures."""

    promoted: bool
    why: str
    difference: Estimate
    margin: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def decide(difference: Estimate, margin: float, vetoes: Sequence[str] = ()) -> Decision:
    """`vetoes` are alarms of the round that speak against this player: with one of them it is never promoted."""
    said = f"{points(difference)}, margin {100 * margin:g} points"
    if vetoes:
        return Decision(False, f"kept the parent: {', '.join(vetoes)} ({said})", difference, margin)
    if difference.low > -margin:
        return Decision(True, f"not worse than its parent: {said}", difference, margin)
    return Decision(False, f"kept the parent: it may be worse: {said}", difference, margin)


def points(one: Estimate) -> str:
    """A difference of shares in points, with its interval."""
    return f"{100 * one.mean:+.1f} points [{100 * one.low:+.1f}, {100 * one.high:+.1f}]"


def overall(differences: Sequence[Mapping[str, Any]], bench: str) -> Estimate:
    """The paired difference of pass@1 between the two solvers of an evaluation, over all items of a benchmark."""
    (found,) = [one for one in differences if one["bench"] == bench and one["category"] == "overall"]
    return Estimate(**found["pass_at_1"])
