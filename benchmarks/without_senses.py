"""`sparring` without the five rules that go beyond "is it said": those that the straightforward loop does not have.

    python -m benchmarks.without_senses verify --workers 1 FILE

For `benchmarks.verify` alone: nobody else may have fewer rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from data.records import Verdict
from flows.cli import main
from verifiers import determinacy, grounding


def no_faults(*asked: object) -> Iterator[Verdict]:
    """What is found by a rule that is not asked."""
    return iter(())


for room, rule in ((grounding, "meant_faults"), (determinacy, "rival_faults"), (determinacy, "option_faults")):
    setattr(room, rule, no_faults)

if __name__ == "__main__":
    main()
