"""Algebra with polynomials: expand, factor, solve, differentiate, integrate, and a shelf of named polynomials.

State: `{"polynomials": {name: text}}`. Text is read by our own bounded parser (`verifiers.algebra_parse`); sympy gets
objects that are built here, token by token, and is imported when a tool first needs it. Degree, size of numbers and
number of variables are bounded before sympy sees anything, so that no call can run away.
Not promised: functions, division by a variable, degrees above 6, complex or symbolic roots.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

from data.records import Json
from verifiers.algebra_parse import NEGATED, OPERATORS, Unreadable, parse
from verifiers.said_text import fold
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import entry, number, plain, room_in, takes, text, world

if TYPE_CHECKING:
    from sympy import Poly

MAX_DEGREE, MAX_VARIABLES, MAX_NUMBER, MAX_ROOTED_BITS = 6, 2, 10**6, 256
NAMES = ("height", "cost", "profit", "area", "speed", "demand", "volume", "supply")
_Monomials = dict[tuple[int, ...], Fraction]
"""Coefficients by exponents, one for each of the expression's variables."""


def polynomial(random: Random, degree: int) -> str:
    """A polynomial in x with small integer coefficients, as a person writes it."""
    written = ""
    for power in range(degree, -1, -1):
        coefficient = random.choice((-7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9))
        size = "" if abs(coefficient) == 1 and power else str(abs(coefficient))
        term = "*".join(filter(None, (size, f"x^{power}" if power > 1 else "x" * power)))
        sign = ("-" if coefficient < 0 else "") if not written else " - " if coefficient < 0 else " + "
        written += f"{sign}{term}"
    return written


def make(random: Random) -> State:
    """Three to five polynomials of degree 2 or 3."""
    names = sorted(random.sample(NAMES, random.randint(3, 5)))
    return {"polynomials": {name: polynomial(random, random.choice((2, 2, 3))) for name in names}}


def _read(written: str, most_variables: int = MAX_VARIABLES) -> Poly:
    """A text as a polynomial of sympy's; refuses what is none within the bounds."""
    try:
        program = parse(fold(written.strip()))
    except Unreadable:
        raise ToolFailure(f"{written!r} is no expression") from None
    names = sorted({token for token in program if len(token) == 1 and token.isalpha()})
    if "e" in names or len(names) > most_variables:
        raise ToolFailure(f"{written!r} has more than {most_variables} variables, or the variable e")
    names = names or ["x"]
    stack: list[_Monomials] = []
    for token in program:
        if token in OPERATORS:
            right = stack.pop()
            stack.append(_combined(token, stack.pop(), right))
        elif token == NEGATED:
            stack.append({powers: -value for powers, value in stack.pop().items()})
        elif token in names:
            stack.append({tuple(int(token == name) for name in names): Fraction(1)})
        elif token[0].isdigit() or token[0] == ".":
            if (value := Fraction(token)) > MAX_NUMBER or value.denominator > MAX_NUMBER:
                raise ToolFailure(f"numbers go up to {MAX_NUMBER}, with at most six decimals")
            stack.append({(0,) * len(names): value})
        else:
            raise ToolFailure(f"{token!r} is no part of a polynomial")
    from sympy import Poly, Rational, symbols

    terms = {powers: Rational(value.numerator, value.denominator) for powers, value in stack[0].items() if value}
    return Poly(terms or {(0,) * len(names): Rational(0)}, *symbols(names))


def _combined(operator: str, left: _Monomials, right: _Monomials) -> _Monomials:
    if operator in "+-":
        sign = 1 if operator == "+" else -1
        return {key: left.get(key, Fraction(0)) + sign * right.get(key, Fraction(0)) for key in {**left, **right}}
    if operator == "*":
        return _product(left, right)
    constant = _constant(right)
    if operator == "/":
        if not constant:
            raise ToolFailure("a polynomial is not divided by 0 or by a variable")
        return {powers: value / constant for powers, value in left.items()}
    if constant is None or constant.denominator != 1 or not 0 <= constant <= MAX_DEGREE:
        raise ToolFailure(f"powers are integers from 0 to {MAX_DEGREE}")
    power: _Monomials = {(0,) * len(next(iter(left))): Fraction(1)}
    for _ in range(int(constant)):
        power = _product(power, left)
    return power


def _constant(terms: _Monomials) -> Fraction | None:
    """The number that these terms are, if no variable is in them."""
    if any(value and any(powers) for powers, value in terms.items()):
        return None
    return sum(terms.values(), Fraction(0))


def _product(left: _Monomials, right: _Monomials) -> _Monomials:
    product: _Monomials = {}
    for one, value in left.items():
        for other, factor in right.items():
            powers = tuple(a + b for a, b in zip(one, other, strict=True))
            product[powers] = product.get(powers, Fraction(0)) + value * factor
    if any(sum(powers) > MAX_DEGREE and value for powers, value in product.items()):
        raise ToolFailure(f"the degree is above {MAX_DEGREE}")
    if any(_bits(value) > 4 * MAX_ROOTED_BITS for value in product.values()):
        raise ToolFailure("the coefficients are too large")
    return {powers: value for powers, value in product.items() if value} or {(0,) * len(next(iter(left))): Fraction(0)}


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _small(poly: Poly, what: str) -> Poly:
    """Refuses coefficients with which roots or factors could take long."""
    if any(max(int(c.p).bit_length(), int(c.q).bit_length()) > MAX_ROOTED_BITS for c in poly.coeffs()):
        raise ToolFailure(f"the coefficients are too large to {what}")
    return poly


def _written(expression: object) -> str:
    return str(expression).replace("**", "^")


def _expand(state: State, given: Mapping[str, Any]) -> Json:
    return {"expression": _written(_read(given["expression"]).as_expr())}


def _factor(state: State, given: Mapping[str, Any]) -> Json:
    from sympy import factor

    return {"expression": _written(factor(_small(_read(given["expression"], 1), "factor").as_expr()))}


def _solve(state: State, given: Mapping[str, Any]) -> Json:
    left, equals, right = given["equation"].partition("=")
    if not equals or "=" in right:
        raise ToolFailure("an equation has one equals sign")
    poly = _read(f"({left}) - ({right})", 1)
    if poly.degree() < 1:
        raise ToolFailure("the equation says nothing of a variable")
    roots = _small(poly, "solve").real_roots(multiple=True)
    solutions = [plain(float(root.evalf(20))) for root in roots]
    return {"solutions": list(dict.fromkeys(solutions))}


def _differentiate(state: State, given: Mapping[str, Any]) -> Json:
    poly = _read(given["expression"], 1)
    return {"expression": _written(poly.diff().as_expr())}


def _integrate(state: State, given: Mapping[str, Any]) -> Json:
    poly = _read(given["expression"], 1).integrate()
    return {"result": plain(_at(poly, given["upper"]) - _at(poly, given["lower"]))}


def _evaluate(state: State, given: Mapping[str, Any]) -> Json:
    poly = _read(given["expression"], 1)
    if poly.degree() < 1:
        raise ToolFailure(f"{given['expression']!r} has no variable")
    return {"result": plain(_at(poly, given["value"]))}


def _at(poly: Poly, value: float) -> Fraction:
    place, total = Fraction(str(value)), Fraction(0)
    for coefficient in poly.all_coeffs():
        total = total * place + Fraction(int(coefficient.p), int(coefficient.q))
    return total


def _save(state: State, given: Mapping[str, Any]) -> Json:
    room_in(state["polynomials"], "polynomial")
    _read(given["expression"])
    state["polynomials"][given["name"]] = given["expression"]
    return {"polynomials": len(state["polynomials"])}


def _look_up(state: State, given: Mapping[str, Any]) -> Json:
    return {"expression": entry(state["polynomials"], given["name"], "polynomial")}


_EXPRESSION = text("A polynomial, such as x^2 - 3*x + 2", 300)
_NAME = text("Name of the polynomial", 40)

ALGEBRA = world(
    "algebra",
    make,
    Tool("expand_expression", "Multiply a polynomial out.", takes(expression=_EXPRESSION), _expand),
    Tool("factor_expression", "Write a polynomial as a product.", takes(expression=_EXPRESSION), _factor),
    Tool(
        "solve_equation",
        "The real solutions of an equation in one variable, in ascending order.",
        takes(equation=text("The equation, such as x^2 = 9", 300)),
        _solve,
    ),
    Tool("differentiate", "The derivative of a polynomial.", takes(expression=_EXPRESSION), _differentiate),
    Tool(
        "integrate_between",
        "The definite integral of a polynomial between two bounds.",
        takes(
            expression=_EXPRESSION,
            lower=number("Lower bound", -1_000_000, 1_000_000),
            upper=number("Upper bound", -1_000_000, 1_000_000),
        ),
        _integrate,
    ),
    Tool(
        "evaluate_polynomial",
        "The value of a polynomial where its variable has a given value.",
        takes(expression=_EXPRESSION, value=number("Value of the variable", -1_000_000, 1_000_000)),
        _evaluate,
    ),
    Tool("save_polynomial", "Keep a polynomial under a name.", takes(name=_NAME, expression=_EXPRESSION), _save),
    Tool("look_up_polynomial", "Look up the polynomial kept under a name.", takes(name=_NAME), _look_up),
)
