"""Whether two values that calls came to are the same: RULES A3 to A5, and G5 for texts that are expressions.

In: JSON values, of states or answers. Out: yes or no; what could not be decided in time is a no.
`1/2` is `0.5` and `2*sqrt(2)` is `sqrt(8)`, since one tool may write a result as another would not. A text that no
operator marks as an expression is only ever itself: `0.50` is not `0.5`, and neither is a date or a code anything else.
Not promised: texts that are expressions but were not meant as such.
"""

from __future__ import annotations

from collections.abc import Mapping

from data.records import Json
from verifiers import algebra
from verifiers.algebra import Exactly
from verifiers.answer import equal
from verifiers.said_text import fold


def same_values(one: Json, other: Json, exactly: Exactly) -> bool:
    """Whether two values are the same; `exactly` is asked of expressions that arithmetic does not decide."""
    if equal(one, other):
        return True
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and _same_expressions(one, other, exactly)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_values(one[name], other[name], exactly) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same_values(a, b, exactly) for a, b in zip(one, other, strict=True))
    return False


def _same_expressions(one: str, other: str, exactly: Exactly) -> bool:
    texts = [fold(algebra.raised(text.strip())) for text in (one, other)]
    if not any(map(algebra.is_expression, texts)):
        return False
    a, b = map(algebra.read, texts)
    return a is not None and b is not None and bool(algebra.equal(a, b, exactly))
