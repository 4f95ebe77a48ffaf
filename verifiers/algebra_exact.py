"""Whether two expressions are exactly equal, asked of sympy in a child process with a deadline.

In: two programs (`algebra_parse`). Out: yes, no, or None where sympy could not tell, or not in time.
One child (`algebra_worker`) is started when the first question comes, kept warm, and ended at a deadline; the next
question starts another. It ends with us: it reads its questions from a pipe that closes, and gives each a limit itself.
Not promised: speed (a start takes half a second, a question milliseconds); ask only what arithmetic cannot decide.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from verifiers.algebra_parse import Program

MAX_QUESTIONS = 3
"""For one text or outcome: of honest ones, the first is equal."""
START_SECONDS = 30.0
"""A machine under load may take this long to import sympy."""
LIMIT_SECONDS = 0.4
"""The processor time of a question, so that a verdict does not hang on how busy the machine is."""
WALL_SECONDS = 4.0
"""What stands behind it."""
_ANSWERS: dict[bytes, bool | None] = {b"equal": True, b"different": False, b"undecided": None}
_WORKER = Path(__file__).with_name("algebra_worker.py")


class _Ended(Exception):
    """The child gave no answer: it ended, or its time was over."""


class _Child:
    """The warm child of this process; one question at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, a: Program, b: Program) -> bool | None:
        """The child's answer; raises `_Ended`."""
        with self._lock:
            try:
                process = self._started()
                assert process.stdin is not None
                process.stdin.write(json.dumps([a, b]).encode() + b"\n")
                return _ANSWERS[self._line(process, WALL_SECONDS)]
            except (OSError, _Ended):
                self._end()
                raise _Ended from None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            # -P: what lies beside the worker is not what it imports.
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_WORKER), str(LIMIT_SECONDS)],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._line(self._process, START_SECONDS)
        return self._process

    def _line(self, process: subprocess.Popen[bytes], seconds: float) -> bytes:
        """The next line the child writes; raises `_Ended`."""
        assert process.stdout is not None
        line, end = b"", time.monotonic() + seconds
        while not line.endswith(b"\n"):
            if not select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
                raise _Ended
            piece = os.read(process.stdout.fileno(), 100)
            if not piece:
                raise _Ended
            line += piece
        return line.strip()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


_child = _Child()


def _forget() -> None:
    """After a fork: the child is the parent's; a lock may have been held."""
    global _child
    _child = _Child()


os.register_at_fork(after_in_child=_forget)


@lru_cache(maxsize=1024)
def _answer(a: Program, b: Program) -> bool | None:
    """What the child answered, kept; where it gave no answer in time it raises, and is asked again another time."""
    return _child.ask(a, b)


def exactly_equal(a: Program, b: Program) -> bool | None:
    """Whether two programs are equal wherever both have a value; None for undecided."""
    try:
        return _answer(a, b)
    except _Ended:
        return None


def at_most(questions: int) -> Callable[[Program, Program], bool | None]:
    """`exactly_equal` for so many questions; then everything is undecided."""
    left = questions

    def ask(a: Program, b: Program) -> bool | None:
        nonlocal left
        left -= 1
        return exactly_equal(a, b) if left >= 0 else None

    return ask
