"""Splits by tool: which tools only the split `eval` may call, so that it measures tools that training never saw.

In: how many candidates call which tools, and the share of candidates that `eval` should have. Out: the tools held
apart. Tools that occur together in a gold stay together: a whole connected component goes to one side. Only where no
whole component comes near the share is the largest cut, and the candidates that call tools of both sides fit neither.
The order in which components are taken follows from their names alone.
Not promised: the share to the row; `data.select` fills the seats and says what is short.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

_OVER = 1.5
"""A component that would make the split larger than this many times its share is not taken whole."""


def held_apart(groups: Counter[frozenset[str]], share: float) -> frozenset[str]:
    """The tools of the split `eval`; empty when there are fewer than two tools."""
    want = share * sum(groups.values())
    chosen: set[str] = set()
    have, large = 0.0, []
    for names, count in sorted(_components(groups).items(), key=lambda item: _order(min(item[0]))):
        if have >= want:
            break
        if have + count <= _OVER * want:
            chosen |= names
            have += count
        else:
            large.append((count, min(names), names))
    if have < want / 2 and large:
        chosen |= _cut(max(large)[2], groups, want - have)
    return frozenset(chosen) if chosen != frozenset().union(*groups) else frozenset()


def _components(groups: Counter[frozenset[str]]) -> dict[frozenset[str], int]:
    """Connected components of tools that occur together, with the candidates of each."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for names in groups:
        first, *rest = sorted(names)
        for other in rest:
            parent[root(other)] = root(first)
        root(first)
    members: dict[str, set[str]] = {}
    for name in list(parent):
        members.setdefault(root(name), set()).add(name)
    sizes: Counter[str] = Counter()
    for names, count in groups.items():
        sizes[root(min(names))] += count
    return {frozenset(names): sizes[top] for top, names in members.items()}


def _cut(names: frozenset[str], groups: Counter[frozenset[str]], want: float) -> set[str]:
    """Tools of one component, one after the other, until they hold enough candidates among themselves."""
    inside = [(group, count) for group, count in groups.items() if group <= names]
    taken: set[str] = set()
    for name in sorted(names, key=_order)[: len(names) - 1]:
        if sum(count for group, count in inside if group <= taken) >= want:
            break
        taken.add(name)
    return taken


def _order(name: str) -> bytes:
    """A place in a line that has nothing to do with the alphabet."""
    return sha256(name.encode("utf-8", "surrogatepass")).digest()
