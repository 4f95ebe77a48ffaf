"""Whether two expressions are algebraically equal, and which expressions a text says (RULES G5).

In: text, never evaluated, imported or handed to a parser of programs. Out: `Expression`s, equal or not.
An own tokenizer and descent over numbers, one-letter variables, `+ - * / ^ **`, brackets and a few functions; equality
is judged by value at fixed points, in exact fractions where all is rational and within 1e-9 (RULES A3) where it is not.
That needs no simplifier, so nothing can run away: sizes, nesting, exponents and digits are bounded.
Not promised: a proof (two unequal expressions would have to agree at every point), `^` of more than 64, equations.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

import regex

MAX_CHARACTERS, MAX_TOKENS, MAX_DEPTH, MAX_BITS, MAX_POWER = 300, 120, 20, 4096, 64
MAX_TEXT, MAX_EXPRESSIONS = 50_000, 200
Value = Fraction | complex
Expression = tuple[Value, ...]
"""The values at the points."""
_FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "sqrt": cmath.sqrt, "exp": cmath.exp, "log": cmath.log, "ln": cmath.log, "sin": cmath.sin, "cos": cmath.cos,
    "tan": cmath.tan, "asin": cmath.asin, "acos": cmath.acos, "atan": cmath.atan, "sinh": cmath.sinh,
    "cosh": cmath.cosh, "tanh": cmath.tanh, "abs": abs,
}  # fmt: skip
_POINTS = (Fraction(7, 5), Fraction(-19, 7), Fraction(23, 11))
_NAMES = "|".join(sorted(_FUNCTIONS, key=len, reverse=True))
_TOKEN = regex.compile(
    rf"(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?|\.\d+)|(?P<name>{_NAMES}|pi(?![a-z])|[a-z](?![a-z]))"
    r"|(?P<sign>\*\*|[-+*/^()])"
)
_SPAN = regex.compile(r"[\d(√.a-z+−-](?:[\w\s.+*/^()√π×·÷⁄−-]|,(?=\d{3}))*+")
_ALIKE = str.maketrans({"×": "*", "·": "*", "÷": "/", "⁄": "/", "−": "-", "√": "sqrt", "π": "pi"})
_OPERATED = regex.compile(r"[*/^+×·÷⁄√]|\s[-−]\s|\d[a-z(]|[a-z)]\(|[a-z)] ?[-−]")
_CODE = regex.compile(r"[+(]?\d[\d\s:/.()-]*\d|[a-z]+-?\d[\w-]*|\d+[a-z]+\d*")
_NO_CODE = regex.compile(r"\d{1,9}[a-z]|\d{1,9} ?/ ?\d{1,9}|\d[\d.]*+(?: [-−] \d[\d.]*+)++")
_RAISED = regex.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


class _Unreadable(Exception):
    """No expression, or none within the bounds."""


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
        tokens = list(_tokens(folded.translate(_ALIKE)))
        return tuple(_Descent(tokens, point).value() for point in _POINTS)
    except (_Unreadable, ArithmeticError, ValueError):
        return None


def number(value: int | float) -> Expression | None:
    """A number as an expression; one with a fraction is equal within the precision of doubles."""
    if isinstance(value, float):
        return (complex(value),) * len(_POINTS)
    return (Fraction(value),) * len(_POINTS) if value.bit_length() <= MAX_BITS else None


def equal(a: Expression, b: Expression) -> bool:
    """Whether two expressions have the same value at every point."""
    try:
        return all(
            x == y
            if isinstance(x, Fraction) and isinstance(y, Fraction)
            else cmath.isclose(complex(x), complex(y), rel_tol=1e-9, abs_tol=1e-12)
            for x, y in zip(a, b, strict=True)
        )
    except OverflowError:  # an exact value that no double holds
        return False


def expressions(folded: str) -> tuple[Expression, ...]:
    """The expressions that a folded text says; of an absurdly long text, those in the first of it."""
    found: dict[str, Expression] = {}
    for span in _SPAN.finditer(folded[:MAX_TEXT]):
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


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    if len(text) > MAX_CHARACTERS:
        raise _Unreadable
    place = 0
    for _ in range(MAX_TOKENS):
        while place < len(text) and text[place] == " ":
            place += 1
        if place == len(text):
            return
        found = _TOKEN.match(text, place)
        if found is None:
            raise _Unreadable
        yield str(found.lastgroup), found[0]
        place = found.end()
    raise _Unreadable


class _Descent:
    """sum = product (+|- product)*; product = power ((*|/)? power)*; power = atom (^ signed power)?"""

    def __init__(self, tokens: list[tuple[str, str]], point: Fraction) -> None:
        self.tokens, self.point, self.place, self.depth = tokens, point, 0, 0

    def value(self) -> Value:
        value = self.sum()
        if self.place != len(self.tokens):
            raise _Unreadable
        return value

    def next(self, *wanted: str) -> str:
        """Takes the next token if it is one of these signs."""
        if self.place < len(self.tokens) and self.tokens[self.place][1] in wanted:
            self.place += 1
            return self.tokens[self.place - 1][1]
        return ""

    def sum(self) -> Value:
        value = self.product()
        while sign := self.next("+", "-"):
            right = self.product()
            value = _bounded(value + right if sign == "+" else value - right)
        return value

    def product(self) -> Value:
        value = self.signed()
        while True:
            sign = self.next("*", "/")
            if not sign and not (
                self.place < len(self.tokens)
                and (self.tokens[self.place][0] != "sign" or self.tokens[self.place][1] == "(")
            ):
                return value
            right = self.signed() if sign else self.power()
            value = _bounded(value / right if sign == "/" else value * right)

    def signed(self) -> Value:
        sign = self.next("+", "-")
        if not sign:
            return self.power()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _Unreadable
        value = self.signed()
        self.depth -= 1
        return -value if sign == "-" else value

    def power(self) -> Value:
        base = self.atom()
        if not self.next("^", "**"):
            return base
        exponent = self.signed()
        if isinstance(exponent, Fraction) and exponent.denominator == 1 and abs(exponent) <= MAX_POWER:
            if isinstance(base, Fraction) and _bits(base) * abs(exponent) > MAX_BITS:
                raise _Unreadable
            return base ** int(exponent)
        if isinstance(exponent, Fraction) and exponent.denominator == 1:
            raise _Unreadable
        return _bounded(complex(base) ** complex(exponent))

    def atom(self) -> Value:
        if self.place == len(self.tokens):
            raise _Unreadable
        kind, text = self.tokens[self.place]
        self.place += 1
        if kind == "number":
            if len(text) > 100:
                raise _Unreadable
            return Fraction(text.replace(",", ""))
        if text == "(":
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise _Unreadable
            value = self.sum()
            if not self.next(")"):
                raise _Unreadable
            self.depth -= 1
            return value
        if text in _FUNCTIONS:
            return _bounded(complex(_FUNCTIONS[text](complex(self.atom()))))
        if kind != "name":
            raise _Unreadable
        if text == "pi":
            return complex(math.pi)
        return complex(math.e) if text == "e" else self.point + Fraction(ord(text) - ord("a"), 3)


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _bounded(value: Value) -> Value:
    fits = _bits(value) <= MAX_BITS if isinstance(value, Fraction) else cmath.isfinite(value)
    if not fits:
        raise _Unreadable
    return value
