"""RULES G5: which expressions are equal, decided exactly, by sympy in a child process where arithmetic cannot."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.records import JsonObject, Message
from verifiers import algebra, algebra_exact
from verifiers.algebra_exact import exactly_equal
from verifiers.algebra_parse import parse
from verifiers.grounding import check_grounding
from verifiers.menu import Menu, read_menu
from verifiers.said_text import fold

HARD = "sqrt(2)+sqrt(3)+sqrt(5)+sqrt(7)+sqrt(11)+sqrt(13)+sqrt(17)+sqrt(19)+sqrt(23)"
SAME = "+".join(reversed(HARD.split("+")))
HARD_PROGRAM, SAME_PROGRAM = parse("sin(x)^8+cos(x)^8"), parse("(35+28cos(4x)+cos(8x))/64")


def equal(a: str, b: str) -> bool | None:
    """What `algebra.equal` says of two expressions that must be readable."""
    read = [algebra.read(fold(algebra.raised(text))) for text in (a, b)]
    assert read[0] is not None
    assert read[1] is not None
    return algebra.equal(read[0], read[1])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1/2", "0.5"),
        ("x^2-1", "(x-1)*(x+1)"),
        ("x²", "x*x"),
        ("(a+b)^2", "a^2+2a*b+b^2"),
        ("x/x", "1+0"),
        ("sqrt(8)", "2*sqrt(2)"),
        ("sqrt(4)", "2+0"),
        ("sqrt(2)+sqrt(3)", "sqrt(5+2*sqrt(6))"),
        ("sin(x)^2+cos(x)^2", "1+0"),
        ("cosh(x)^2-sinh(x)^2", "1+0"),
        ("sin(2x)", "2sin(x)cos(x)"),
        ("exp(x+y)", "exp(x)*exp(y)"),
        ("e^x", "exp(x)"),
        ("abs(x)^2", "x^2"),
        ("atan(1)", "pi/4"),
        (HARD, SAME),
    ],
)
def test_equal_expressions_are_equal(a: str, b: str) -> None:
    assert equal(a, b) is True


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("x^2", "x^3"),
        ("1/3", "0.3333333333333333"),
        ("sqrt(149769.0000001)", "387+0"),
        ("sqrt(2)+0.00000000001", "sqrt(2)+0"),
        ("sqrt(2)*10^9", "1414213562.373095+0"),
        ("sqrt(z^2)", "z+0"),
        ("log(x^2)", "2*log(x)"),
        ("(x-7/5)(x+19/7)(x-23/11)+1", "x/x"),
        ("sin(x)+(z-z)/10^12+10^(-12)", "sin(x)+0"),
    ],
)
def test_nearly_equal_expressions_are_not_equal(a: str, b: str) -> None:
    assert equal(a, b) is False


def test_a_double_is_equal_within_its_precision() -> None:
    third, root = algebra.read("1/3"), algebra.read("sqrt(2)*1")
    near, far = algebra.number(1.41421356237), algebra.number(1.4142)
    assert third is not None and root is not None and near is not None and far is not None  # noqa: PT018
    assert algebra.equal(root, near)
    assert not algebra.equal(root, far)


def test_rational_expressions_and_equal_programs_need_no_child() -> None:
    def nobody(a: object, b: object) -> bool:
        raise AssertionError((a, b))

    for a, b in [
        ("1/2", "2/4"),
        ("x^2-1", "(x-1)(x+1)"),
        ("sin(x)", "sin ( x )"),
        ("sqrt(9/4)", "3/2"),
        ("x*2", "x*3"),
    ]:
        one, other = algebra.read(a), algebra.read(b)
        assert one is not None
        assert other is not None
        algebra.equal(one, other, nobody)


@pytest.fixture
def fresh() -> Iterator[None]:
    """No answer kept from before, no child left with other limits."""
    algebra_exact._answer.cache_clear()
    algebra_exact._child._end()
    yield
    algebra_exact._answer.cache_clear()
    algebra_exact._child._end()


@pytest.mark.usefixtures("fresh")
def test_without_an_answer_in_time_a_comparison_is_undecided(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    silent = tmp_path / "silent.py"
    silent.write_text("import time; print('ready', flush=True); time.sleep(60)")
    monkeypatch.setattr(algebra_exact, "_WORKER", silent)
    monkeypatch.setattr(algebra_exact, "WALL_SECONDS", 0.1)
    assert exactly_equal(("8", "sqrt"), ("2", "2", "sqrt", "*")) is None
    assert algebra_exact._child._process is None


@pytest.mark.usefixtures("fresh")
def test_the_child_ends_at_its_limit_and_another_answers_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algebra_exact, "LIMIT_SECONDS", 0.0001)
    assert exactly_equal(HARD_PROGRAM, SAME_PROGRAM) is None
    monkeypatch.undo()
    assert exactly_equal(("8", "sqrt"), ("2", "2", "sqrt", "*")) is True


@pytest.mark.usefixtures("fresh")
def test_what_was_not_answered_in_time_is_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    question = (("8", "sqrt"), ("2", "2", "sqrt", "*"))
    monkeypatch.setattr(algebra_exact, "_WORKER", tmp_path / "missing.py")
    assert exactly_equal(*question) is None
    monkeypatch.undo()
    assert exactly_equal(*question) is True


@pytest.mark.usefixtures("fresh")
def test_a_child_that_does_not_start_leaves_a_comparison_undecided(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(algebra_exact, "_WORKER", tmp_path / "missing.py")
    assert exactly_equal(("8", "sqrt"), ("2", "2", "sqrt", "*")) is None


def test_the_child_ends_when_its_parent_is_killed() -> None:
    code = (
        "import os, signal; from verifiers.algebra_exact import exactly_equal, _child;"
        "exactly_equal(('8', 'sqrt'), ('2', '2', 'sqrt', '*')); print(_child._process.pid, flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout
    child = int(said)
    for _ in range(100):
        if not _alive(child):
            break
        time.sleep(0.05)
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_forked_process_asks_a_child_of_its_own() -> None:
    algebra_exact._answer.cache_clear()
    assert exactly_equal(("8", "sqrt"), ("2", "2", "sqrt", "*"))
    inherited = algebra_exact._child
    pid = os.fork()
    if pid == 0:
        os._exit(0 if algebra_exact._child is not inherited and algebra_exact._child._process is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_comparison_that_is_not_decided_has_its_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifiers.algebra_exact.exactly_equal", lambda a, b: None)
    menu = read_menu([{"name": "solve", "description": "", "parameters": {"x": {"type": "string"}}}])
    assert isinstance(menu, Menu)
    verdict = check_grounding(
        menu, ({"name": "solve", "arguments": {"x": "2*sqrt(2)"}},), (Message("user", "solve sqrt(8) now"),)
    )
    assert verdict is not None
    assert (verdict.check, verdict.code) == ("grounding", "undecided")


def test_a_text_asked_again_says_the_same() -> None:
    menu = read_menu([{"name": "solve", "description": "", "parameters": {"x": {"type": "string"}}}])
    assert isinstance(menu, Menu)
    calls: tuple[JsonObject, ...] = ({"name": "solve", "arguments": {"x": "2*sqrt(2)"}},)
    verdicts = [check_grounding(menu, calls, (Message("user", "solve sqrt(8) once more"),)) for _ in range(5)]
    assert verdicts == [None] * 5


def test_one_text_asks_three_times_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("verifiers.algebra_exact.exactly_equal", lambda a, b: asked.append(a))
    menu = read_menu([{"name": "solve", "description": "", "parameters": {"x": {}}}])
    assert isinstance(menu, Menu)
    text = ", ".join(f"sqrt(8)+{number}-{number}" for number in range(50))
    check_grounding(menu, ({"name": "solve", "arguments": {"x": "2*sqrt(2)"}},), (Message("user", text),))
    assert len(asked) == 3


def test_a_difference_below_the_digits_that_are_looked_at_is_not_called_equal() -> None:
    assert exactly_equal(parse(f"sqrt(2) + 0.{'0' * 50}1"), parse("sqrt(2)")) is None
