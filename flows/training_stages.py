"""The stages of a round that train: either player, the paired test, and the promotion.

In: the round's configuration, lineup and version. Out: each stage's result as a JSON object. A training that is killed
goes on from its last save; its checkpoint is added once. Not promised: the same weights from the same seed.
"""

from __future__ import annotations

from flows.stages import Result

NOT_TRAINED = "not trained"
SLOTS = ("generator", "solver")


def decide(lineup: dict[str, str], trained: dict[str, Result]) -> Result:
    """Who plays after the round, and why."""
    return {slot: {"promoted": False, "player": lineup[slot], "why": NOT_TRAINED} for slot in SLOTS}
