"""Text read as an expression: a flat program in postfix order, which others evaluate (RULES G5).

In: folded text, never evaluated, imported or handed to a parser of programs. Out: a `Program`, or `Unreadable`.
An own tokenizer and descent over numbers, one-letter variables, `+ - * / ^ **`, brackets and a few functions; sizes and
nesting are bounded, so nothing can run away.
Not promised: that the program has a value (`1/0` has none), equations.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

MAX_CHARACTERS, MAX_TOKENS, MAX_DEPTH, MAX_DIGITS = 300, 120, 20, 100
FUNCTIONS = ("sqrt", "exp", "log", "ln", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "abs")
NEGATED = "neg"
OPERATORS = frozenset("+-*/^")
Program = tuple[str, ...]
"""Numbers (`2.5`), names (`x`, `pi`, `e`), functions, operators and `neg`, each behind its operands."""

_NAMES = "|".join(sorted(FUNCTIONS, key=len, reverse=True))
_TOKEN = regex.compile(
    rf"(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?|\.\d+)|(?P<name>{_NAMES}|pi(?![a-z])|[a-z](?![a-z]))"
    r"|(?P<sign>\*\*|[-+*/^()])"
)
_ALIKE = str.maketrans({"×": "*", "·": "*", "÷": "/", "⁄": "/", "−": "-", "√": "sqrt", "π": "pi"})


class Unreadable(Exception):
    """No expression, or none within the bounds."""


def parse(folded: str) -> Program:
    """The program of an expression; raises `Unreadable` for anything else."""
    descent = _Descent(list(_tokens(folded.translate(_ALIKE))))
    descent.sum()
    if descent.place != len(descent.tokens):
        raise Unreadable
    return tuple(descent.program)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    if len(text) > MAX_CHARACTERS:
        raise Unreadable
    place = 0
    for _ in range(MAX_TOKENS):
        while place < len(text) and text[place] == " ":
            place += 1
        if place == len(text):
            return
        found = _TOKEN.match(text, place)
        if found is None:
            raise Unreadable
        yield str(found.lastgroup), found[0]
        place = found.end()
    raise Unreadable


class _Descent:
    """sum = product (+|- product)*; product = power ((*|/)? power)*; power = atom (^ signed power)?"""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens, self.place, self.depth = tokens, 0, 0
        self.program: list[str] = []

    def next(self, *wanted: str) -> str:
        """Takes the next token if it is one of these signs."""
        if self.place < len(self.tokens) and self.tokens[self.place][1] in wanted:
            self.place += 1
            return self.tokens[self.place - 1][1]
        return ""

    def sum(self) -> None:
        self.product()
        while sign := self.next("+", "-"):
            self.product()
            self.program.append(sign)

    def product(self) -> None:
        self.signed()
        while True:
            sign = self.next("*", "/")
            if not sign and not (
                self.place < len(self.tokens)
                and (self.tokens[self.place][0] != "sign" or self.tokens[self.place][1] == "(")
            ):
                return
            if sign:
                self.signed()
            else:
                self.power()
            self.program.append(sign or "*")

    def signed(self) -> None:
        sign = self.next("+", "-")
        if not sign:
            return self.power()
        self._deeper()
        self.signed()
        self.depth -= 1
        if sign == "-":
            self.program.append(NEGATED)
        return None

    def power(self) -> None:
        self.atom()
        if self.next("^", "**"):
            self.signed()
            self.program.append("^")

    def atom(self) -> None:
        if self.place == len(self.tokens):
            raise Unreadable
        kind, text = self.tokens[self.place]
        self.place += 1
        if kind == "number":
            if len(text) > MAX_DIGITS:
                raise Unreadable
            self.program.append(text.replace(",", ""))
        elif text == "(":
            self._deeper()
            self.sum()
            if not self.next(")"):
                raise Unreadable
            self.depth -= 1
        elif text in FUNCTIONS:
            self._deeper()
            self.atom()
            self.depth -= 1
            self.program.append(text)
        elif kind == "name":
            self.program.append(text)
        else:
            raise Unreadable

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable
