"""The child process that `algebra_exact` asks: programs in, one word a line out. A script of its own, importing nothing
of ours.

In, a line: two programs as JSON. Out, a line: `equal`, `different` or `undecided`; first of all, `ready`.
A program becomes sympy objects token by token: what parses text for sympy also evaluates it, and never sees a model's.
A question that takes more processor time than its first argument says (in seconds) ends the process, by the signal's
default action, as does the end of its input, or another parent than it had.
"""

import json
import os
import select
import signal
import sys

import sympy

IDLE_SECONDS = 20.0
DIGITS = 60
SIGNS = {"+": sympy.Add, "*": sympy.Mul, "^": sympy.Pow}
CONSTANTS = {"pi": sympy.pi, "e": sympy.E}
POINTS = (
    (sympy.Rational(-3, 7), sympy.Rational(1, 11)),
    (sympy.Rational(5, 3), sympy.Rational(1, 13)),
    (sympy.Rational(-17, 9), sympy.Rational(-1, 17)),
)


def build(program: list[str]) -> sympy.Expr:
    """The sympy object of a program."""
    stack: list[sympy.Expr] = []
    for token in program:
        if token in ("+", "*", "^", "-", "/"):
            right, left = stack.pop(), stack.pop()
            if token in SIGNS:
                stack.append(SIGNS[token](left, right))
            else:
                stack.append(left - right if token == "-" else left / right)
        elif token == "neg":
            stack.append(-stack.pop())
        elif token == "abs":
            stack.append(sympy.Abs(stack.pop()))
        elif token in CONSTANTS:
            stack.append(CONSTANTS[token])
        elif len(token) == 1 and token.isalpha():
            stack.append(sympy.Symbol(token, real=True))
        elif token.isalpha():
            stack.append(getattr(sympy, token)(stack.pop()))
        else:
            stack.append(sympy.Rational(token))
    return stack[0]


def decide(a: sympy.Expr, b: sympy.Expr) -> str:
    """First a disproof in many digits, then a proof by simplifying."""
    difference = a - b
    if difference == 0:
        return "equal"
    names = sorted(difference.free_symbols, key=str)
    for point, step in POINTS if names else POINTS[:1]:
        value = difference.subs({name: point + place * step for place, name in enumerate(names)})
        if abs(value.evalf(DIGITS, maxn=4 * DIGITS)) > sympy.Float(10) ** (20 - DIGITS):
            return "different"
    if sympy.expand(difference) == 0 or sympy.simplify(difference) == 0:
        return "equal"
    return "undecided"


def answer(line: str) -> str:
    """The answer to one line."""
    try:
        a, b = json.loads(line)
        return decide(build(a), build(b))
    # The boundary to sympy with what a model wrote: it divides by zero and overflows, compares NaN (`log(0)` is a
    # TypeError), and gives up or nests too deeply while it simplifies. All say as much as its silence. What else it may
    # raise ends the process, and the asker takes that as undecided too.
    except (ArithmeticError, TypeError, ValueError, NotImplementedError, RecursionError):
        return "undecided"


def main() -> None:
    """Answer until the input ends."""
    limit = float(sys.argv[1])
    parent = os.getppid()
    for program in ('["2","2","sqrt","*"]', '["x","sin","2","^","x","cos","2","^","+","7","sqrt","+"]'):
        answer(f'[["8","sqrt"],{program}]')  # loads what sympy loads late
    print("ready", flush=True)
    while True:
        waiting = select.select([sys.stdin], [], [], IDLE_SECONDS)[0]
        if os.getppid() != parent:
            return
        if not waiting:
            continue
        line = sys.stdin.readline()
        if not line:
            return
        signal.setitimer(signal.ITIMER_PROF, limit)
        found = answer(line)
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(found, flush=True)


if __name__ == "__main__":
    main()
