"""`sparring verify` and `sparring score` as a process: streams, exit codes, what is imported."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from data.errors import SparringError
from flows import line_stream
from flows.cli import app
from flows.line_stream import BATCH, FEW, Judge, batches, judged

COMMAND = [sys.executable, "-m", "flows.cli"]
TOOL = {"name": "add", "description": "Add two numbers.", "parameters": {"a": {"type": "int"}, "b": {"type": "int"}}}


def row(number: int, said: int) -> str:
    calls = [{"name": "add", "arguments": {"a": number, "b": 4}}]
    return json.dumps({"id": f"r{number}", "question": f"Add {said} and 4.", "tools": [TOOL], "calls": calls})


def sparring(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], input=given, capture_output=True, text=True, timeout=120)


def answers(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_lines_out_are_the_lines_in_in_order_without_the_blank_ones(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join([row(1, 1), "", row(2, 9), "   ", "{", row(1, 1)]) + "\n")
    done = sparring("verify", str(path))
    assert [(one["id"], one["solvable"]) for one in answers(done)] == [
        ("r1", True),
        ("r2", False),
        (5, False),
        ("r1", True),
    ]
    assert done.returncode == 0
    assert "4 rows" in done.stderr
    assert "2 solvable" in done.stderr


def test_standard_input_and_several_workers_answer_the_same() -> None:
    rows = "\n".join(row(number, number + number % 3) for number in range(1, 3 * BATCH)) + "\n"
    one, two = sparring("verify", "-", given=rows), sparring("verify", "-", "--workers", "2", given=rows)
    assert one.stdout == two.stdout
    assert len(answers(two)) == 3 * BATCH - 1


def test_explain_tells_a_person_where_it_looked() -> None:
    done = sparring("verify", "-", "--explain", given=row(2, 9) + "\n")
    assert "grounding/ungrounded" in done.stderr
    assert "Add 9 and 4." in done.stderr


def test_score_reads_the_solver_s_answer() -> None:
    gold = {"id": "s", "tools": [TOOL], "calls": [{"name": "add", "arguments": {"a": 1, "b": 4}}]}
    text = '[{"name": "add", "arguments": {"a": 1, "b": 5}}]'
    done = sparring("score", "-", "--harness", "json", given=json.dumps({**gold, "completion": text}) + "\n")
    assert answers(done) == [
        {
            "id": "s",
            "correct": False,
            "outcome": "wrong_value",
            "reward": 0.75,
            "rule": "calls",
            "detail": "call 1, b: expected 4, found 5",
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("verify", "no-such-file.jsonl"), 1, "no-such-file.jsonl"),
        (("verify", "."), 1, "directory"),
        (("verify", "-", "--checks", "menu,colour"), 2, "colour"),
        (("score", "-", "--harness", "xml"), 2, "xml"),
        (("verify",), 2, "FILE"),
        (("verify", "-", "--workers", "-1"), 2, "--workers"),
    ],
)
def test_wrong_use_ends_with_its_exit_code_and_one_message(arguments: tuple[str, ...], code: int, words: str) -> None:
    done = sparring(*arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    rows = "\n".join(row(number, number) for number in range(3000))
    script = f"{sys.executable} -m flows.cli verify - | head -n 1"
    done = subprocess.run(script, shell=True, input=rows, capture_output=True, text=True, timeout=120)
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("verb", ["verify", "score"])
def test_a_verb_without_a_flow_imports_nothing_heavy(verb: str) -> None:
    heavy: tuple[str, ...] = (
        "prefect",
        "datasets",
        "sympy",
        "scipy",
        "numpy",
        "pandas",
        "openai",
        "pyarrow",
        "pydantic_monty",
    )
    heavy = (*heavy, "verifiers.worlds", "rich")
    code = (
        "import sys, flows.cli\n"
        f"sys.argv = ['sparring', {verb!r}, '-']\n"
        "try: flows.cli.main()\n"
        f"finally: print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=row(1, 1), capture_output=True, text=True, timeout=60)
    assert len(done.stdout.splitlines()) == 2
    assert done.stdout.splitlines()[1] == "[]"


def test_every_verb_is_in_the_module_that_is_named_for_it() -> None:
    group = typer.main.get_command(app)
    assert [name for name, command in group.commands.items() if command.name != name] == []  # type: ignore[attr-defined]


def id_of(line: bytes, number: int) -> dict[str, object]:
    return {"id": number}


def one_bin(answer: dict[str, object]) -> str:
    return "seen"


def test_lines_are_read_only_as_far_as_they_are_answered() -> None:
    stream = Pipe([b"{}\n" * 3, b"{}\n" * 100])
    answers = judged(stream, "-", Judge(id_of, one_bin), 1)
    assert next(answers).text == '{"id": 1}\n{"id": 2}\n{"id": 3}\n'
    assert len(stream.left) == 1
    assert [printed.text.count("\n") for printed in answers] == [FEW] * 12 + [4]


class Pipe(io.BufferedIOBase):
    """A stream that brings one piece a read."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.left = pieces

    def read1(self, size: int = -1, /) -> bytes:
        return self.left.pop(0) if self.left else b""


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        ([b"a\nb\n", b"c"], [(1, b"a"), (2, b"b"), (3, b"c")]),
        ([b"a", b"b", b"\n", b"\n", b" \t\r\n", b"c\r\n"], [(1, b"ab"), (4, b"c\r")]),
        ([b"\n\na\n\nb", b"c\n  "], [(3, b"a"), (5, b"bc")]),
        (
            [b"short\n", b"x" * 100, b"y\nexactly8\n\nlast"],
            [(1, b"short"), (2, b"xxxxxxxx"), (3, b"exactly8"), (5, b"last")],
        ),
        ([b"x" * 4] * 5, [(1, b"xxxxxxxx")]),
        ([], []),
    ],
)
def test_lines_are_what_stands_between_line_ends_however_they_come(
    pieces: list[bytes], lines: list[tuple[int, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_stream, "MAX_LINE", 8)
    found = batches(Pipe(pieces), "-", 2)
    assert [one for batch in found for one in batch] == lines


def test_a_worker_that_dies_is_said_and_no_traceback() -> None:
    with pytest.raises(SparringError, match="worker"):
        list(judged(io.BytesIO(b"{}\n" * 3 * BATCH), "-", Judge(die, one_bin), 2))


def die(line: bytes, number: int) -> dict[str, object]:
    os._exit(9)


def test_batches_keep_every_line() -> None:
    assert [len(batch) for batch in batches(io.BytesIO(b"{}\n" * 150), "-", 64)] == [64, 64, 22]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_line_that_is_asked_alone_is_answered_before_the_next_is_sent(workers: str) -> None:
    command = [*COMMAND, "verify", "-", "--workers", workers]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin
        assert process.stdout
        for number in range(3):
            process.stdin.write(row(number, number).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == f"r{number}"
        process.stdin.close()
    assert process.returncode == 0
