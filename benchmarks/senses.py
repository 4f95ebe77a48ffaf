"""What the rules of grounding and determinacy that go beyond "is it said" refuse, of real rows and of corrupted copies.

    python -m benchmarks.senses

The rows lie in two halves, by their place (even, odd): rules were made looking at the even half alone. Good rows count
in both readings, with as few and with as many arguments as their answers allow. A copy is made of every row that passes
all checks, one of each kind. "before" is what the other codes refuse.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

from benchmarks.bfcl import HARDER, KINDS, corrupted, rows
from data.records import Draft
from verifiers.verify import verify

RULES = {
    "grounding": ("exchanged_values", "overused_value"),
    "determinacy": ("better_tool", "unasked_argument", "omitted_argument"),
}
NAMES = [f"{check}/{code}" for check, codes in RULES.items() for code in codes]


def codes(draft: Draft, *, grounded: bool = True) -> set[str]:
    """Every reason against a draft. Not `grounded`: without what is said nowhere, of which a row may be innocent."""
    found = {f"{reason.check}/{reason.code}" for reason in verify(draft, every=True).reasons}
    return found if grounded else found - {"grounding/ungrounded", "grounding/undecided"}


def main() -> None:
    """Print the tables."""
    for title, whole in (("fewest arguments", False), ("most arguments", True)):
        refused: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        for place, draft in enumerate(rows(whole).values()):
            for code in codes(draft, grounded=False):
                refused[code][place % 2] += 1
        print(f"good rows refused, {title}, of {len(rows(whole)) // 2} + {len(rows(whole)) // 2}")
        for name in sorted(refused.keys() | set(NAMES)):
            print(f"  {name:32} {refused[name][0]:3} + {refused[name][1]}")
    good = [(place, name, draft) for place, (name, draft) in enumerate(rows().items()) if not codes(draft)]
    print(f"\ncopies of {len(good)} good rows" + " " * 12 + "copies  let through before -> after (even + odd), by")
    total: Counter[str] = Counter()
    for kind in (*KINDS, *HARDER):
        seen, before, after = 0, [0, 0], [0, 0]
        by: Counter[str] = Counter()
        for place, name, draft in good:
            copy = corrupted(draft, kind, Random(f"{name}:{kind}"))
            if copy is None:
                continue
            seen += 1
            found = codes(copy)
            if not found - set(NAMES):
                before[place % 2] += 1
                by.update(found)
            after[place % 2] += not found
        if kind in KINDS:
            total.update(seen=seen, before=sum(before), after=sum(after))
        caught = ", ".join(f"{name.partition('/')[2]} {count}" for name, count in by.most_common())
        print(f"  {kind:32} {seen:5}  {before[0]} + {before[1]} -> {after[0]} + {after[1]}  {caught}")
        if kind == list(KINDS)[-1]:
            shares = (f"{total[key] / total['seen']:.2%}" for key in ("before", "after"))
            print(
                f"  {'these seven':32} {total['seen']:5}  {total['before']} -> {total['after']}, " + " -> ".join(shares)
            )


if __name__ == "__main__":
    main()
