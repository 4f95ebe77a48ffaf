"""Whether two expressions are algebraically equal, and which expressions a text says (RULES G5).

In: text, never evaluated, imported or handed to a parser of programs. Out: `Expression`s, and `equal`: yes, no, or None
for undecided. Expressions are compared by value at fixed points, in exact fractions where all is rational; almost every
comparison ends there. Two that agree are then held to exactness: rational ones at points that nobody can have chosen,
others, where a function or a root makes the values approximate, by sympy in a child process (`algebra_exact`).
A number with a fraction (a double) is equal within 1e-9 (RULES A3), since it is no more exact than that.
Not promised: `^` of more than 64, equations, expressions that have no value at one of the points.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from random import Random

import regex

from verifiers.algebra_exact import exactly_equal
from verifiers.algebra_parse import FUNCTIONS, MAX_CHARACTERS, NEGATED, OPERATORS, Program, Unreadable, parse

MAX_BITS, MAX_POWER = 4096, 64
MAX_TEXT, MAX_EXPRESSIONS = 50_000, 200
Value = Fraction | complex
Exactly = Callable[[Program, Program], bool | None]


@dataclass(frozen=True, slots=True)
class Expression:
    """Its values at the fixed points, and its program; a double, which is exact in nothing, has none."""

    values: tuple[Value, ...]
    program: Program | None

    @property
    def rational(self) -> bool:
        """Whether exact arithmetic alone says what it is."""
        return (
            self.program is not None
            and all(isinstance(value, Fraction) for value in self.values)
            and not (any(map(_is_variable, self.program)) and any(token in FUNCTIONS for token in self.program))
        )


_COMPLEX: dict[str, Callable[[complex], complex]] = {
    "sqrt": cmath.sqrt, "exp": cmath.exp, "log": cmath.log, "ln": cmath.log, "sin": cmath.sin, "cos": cmath.cos,
    "tan": cmath.tan, "asin": cmath.asin, "acos": cmath.acos, "atan": cmath.atan, "sinh": cmath.sinh,
    "cosh": cmath.cosh, "tanh": cmath.tanh, "abs": abs,
}  # fmt: skip
_CONSTANTS: dict[str, Value] = {"pi": complex(math.pi), "e": complex(math.e)}
_POINTS = (Fraction(7, 5), Fraction(-19, 7), Fraction(23, 11))
_LETTERS = "abcdfghijklmnopqrstuvwxyz"
_SPAN = regex.compile(r"[\d(√.a-z+−-](?:[\w\s.+*/^()√π×·÷⁄−-]|,(?=\d{3}))*+")
_OPERATED = regex.compile(r"[*/^+×·÷⁄√]|\s[-−]\s|\d[a-z(]|[a-z)]\(|[a-z)] ?[-−]")
_CODE = regex.compile(r"[+(]?\d[\d\s:/.()-]*\d|[a-z]+-?\d[\w-]*|\d+[a-z]+\d*")
_NO_CODE = regex.compile(r"\d{1,9}[a-z]|\d{1,9} ?/ ?\d{1,9}|\d[\d.]*+(?: [-−] \d[\d.]*+)++")
_RAISED = regex.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def raised(text: str) -> str:
    """The text with raised digits as powers, which NFKC would make figures of the number before (`x²` is `x^2`)."""
    return text if text.isascii() else str(_RAISED.sub(lambda found: "^" + found[0].translate(_DIGITS), text))


def is_expression(folded: str) -> bool:
    """Whether a folded string can be meant as an expression, and neither as a number, date, time nor code."""
    return (
        len(folded) <= MAX_CHARACTERS
        and _OPERATED.search(folded) is not None
        and (_CODE.fullmatch(folded) is None or _NO_CODE.fullmatch(folded) is not None)
    )


@lru_cache(maxsize=1024)
def read(folded: str) -> Expression | None:
    """An expression, or None for anything else."""
    try:
        program = parse(folded)
        return Expression(tuple(_value(program, _fixed(point)) for point in _POINTS), program)
    except (Unreadable, ArithmeticError, ValueError):
        return None


def number(value: int | float) -> Expression | None:
    """A number as an expression; one with a fraction is equal within the precision of doubles."""
    if isinstance(value, float):
        return Expression((complex(value),) * len(_POINTS), None)
    if value.bit_length() > MAX_BITS:
        return None
    program = (str(value),) if value >= 0 else (str(-value), NEGATED)
    return Expression((Fraction(value),) * len(_POINTS), program)


def equal(a: Expression, b: Expression, exactly: Exactly = exactly_equal) -> bool | None:
    """Whether two expressions are equal; None where that is undecided. `exactly`: who is asked beyond arithmetic."""
    if not all(map(_close, a.values, b.values)):
        return False
    if a.program is None or b.program is None or a.program == b.program:
        return True
    if a.rational and b.rational:
        if not any(map(_is_variable, (*a.program, *b.program))):
            return True
        dice = Random(f"{' '.join(a.program)} = {' '.join(b.program)}")
        points = [{name: Fraction(dice.randint(-65_536, 65_536), 257) for name in _LETTERS} for _ in _POINTS]
        try:
            return all(_value(a.program, point) == _value(b.program, point) for point in points)
        except (Unreadable, ArithmeticError):  # too large there, or a division by zero
            pass
    return exactly(a.program, b.program)


def expressions(folded: str) -> tuple[Expression, ...]:
    """The expressions that a folded text says; of an absurdly long text, those in the first of it."""
    found: dict[str, Expression] = {}
    for span in _SPAN.finditer(folded[:MAX_TEXT]):
        if not _OPERATED.search(span[0]):
            continue
        for candidate in _candidates(span[0]):
            if candidate not in found and is_expression(candidate) and (read_ := read(candidate)) is not None:
                found[candidate] = read_
                if len(found) == MAX_EXPRESSIONS:
                    return tuple(found.values())
    return tuple(found.values())


def _candidates(span: str) -> Iterator[str]:
    """Stretches in which operands and operators alternate: a space between two operands ends one (`area of 2x`)."""
    start = 0
    for found in regex.finditer(r"(?<=[\w.)√π])\s+(?=[\w(√.])", span):
        yield _trimmed(span[start : found.start()])
        start = found.end()
    yield _trimmed(span[start:])


def _trimmed(candidate: str) -> str:
    """Without the dots around it and the brackets of the sentence that it stands in."""
    candidate = candidate.strip(" .")
    extra = candidate.count(")") - candidate.count("(")
    if extra > 0 and candidate.endswith(")" * extra):
        candidate = candidate[:-extra]
    elif extra < 0 and candidate.startswith("(" * -extra):
        candidate = candidate[-extra:]
    return candidate.strip(" .")


def _is_variable(token: str) -> bool:
    return len(token) == 1 and token.isalpha() and token != "e"


def _fixed(point: Fraction) -> dict[str, Fraction]:
    """Every letter's value at one of the fixed points."""
    return {name: point + Fraction(place, 29) for place, name in enumerate(_LETTERS)}


def _close(a: Value, b: Value) -> bool:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    try:
        return cmath.isclose(complex(a), complex(b), rel_tol=1e-9, abs_tol=1e-12)
    except OverflowError:  # an exact value that no double holds
        return False


def _value(program: Program, point: Mapping[str, Fraction]) -> Value:
    """The value of a program, exact as long as it is rational; raises `Unreadable` beyond the bounds."""
    stack: list[Value] = []
    for token in program:
        if token in OPERATORS:
            right = stack.pop()
            stack.append(_bounded(_combined(token, stack.pop(), right)))
        elif token == NEGATED:
            stack.append(-stack.pop())
        elif token in _COMPLEX:
            stack.append(_bounded(_applied(token, stack.pop())))
        elif token in _CONSTANTS:
            stack.append(_CONSTANTS[token])
        else:
            stack.append(point[token] if token in point else Fraction(token))
    return stack[0]


def _combined(operator: str, left: Value, right: Value) -> Value:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    return left / right if operator == "/" else _power(left, right)


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        if abs(exponent) > MAX_POWER or (isinstance(base, Fraction) and _bits(base) * abs(exponent) > MAX_BITS):
            raise Unreadable
        return base ** int(exponent)
    return complex(base) ** complex(exponent)


def _applied(function: str, value: Value) -> Value:
    if isinstance(value, Fraction):
        if function == "abs":
            return abs(value)
        if function == "sqrt" and value >= 0:
            root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
            if root * root == value:
                return root
    return complex(_COMPLEX[function](complex(value)))


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _bounded(value: Value) -> Value:
    fits = _bits(value) <= MAX_BITS if isinstance(value, Fraction) else cmath.isfinite(value)
    if not fits:
        raise Unreadable
    return value
