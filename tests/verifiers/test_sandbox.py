"""Generated implementations: whatever they try has a code, ends soon, and touches nothing."""

import multiprocessing
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from data.errors import SparringError
from verifiers import sandbox
from verifiers.sandbox import SandboxFault, run_source

MARK = "touched-by-a-generated-tool"


def body(*lines: str) -> str:
    return "\n    ".join(["def run(state, arguments):", *lines])


def ran(source: str, state: Any = None, arguments: Any = None) -> tuple[Any, Any]:
    return run_source(source, state or {"a": [1, 2]}, arguments or {"x": 3})


def code(source: str) -> str:
    with pytest.raises(SandboxFault) as found:
        ran(source)
    return found.value.code


def test_a_tool_changes_the_state_in_place_and_returns_its_result() -> None:
    source = body("state['a'].append(arguments['x'])", "return {'sum': sum(state['a'])}")
    assert ran(source) == ({"a": [1, 2, 3]}, {"sum": 6})


def test_values_cross_as_they_are() -> None:
    value = {"i": 2**70, "f": 0.1, "e": 1e-07, "t": "é\u2028😀", "n": None, "b": True, "l": [[], {}]}
    assert ran(body("return arguments"), arguments=value)[1] == value


HOSTILE = {
    "a hang": ("timeout", body("while True: pass")),
    "a hang while loading": ("timeout", "while True: pass"),
    "a hang in finally": ("timeout", body("try:", "    while True: pass", "finally:", "    while True: pass")),
    "a limit that is caught": (
        "timeout",
        body("while True:", "    try:", "        run(1)", "    except BaseException: pass"),
    ),
    "one operation on a huge integer": ("timeout", body("x = 7 ** 8000000", "y = x * x", "return y * y % 7")),
    "a huge common divisor": ("timeout", body("import math", "return math.gcd(7 ** 3000000, 3 ** 3000000 + 1)")),
    "a power with a huge exponent": ("timeout", body("return pow(3, 10 ** 100000, 10 ** 5000 + 1) % 7")),
    "a growing list": ("too_large", body("x = []", "while True: x.append('a' * 100000)")),
    "a repeated string": ("too_large", body("return 'x' * 10 ** 12")),
    "a tower of powers": ("too_large", body("return 9 ** 9 ** 9")),
    "a shift": ("too_large", body("return 1 << 10 ** 12")),
    "a padded format": ("too_large", body("return f'{1:>{10 ** 10}}'")),
    "a replacement": ("too_large", body("return len(('a' * 100000).replace('a', 'b' * 100000))")),
    "an endless product": (
        "too_large",
        body("import itertools", "return list(itertools.product(range(999), repeat=4))"),
    ),
    "a giant result": ("too_large", body("return 'x' * 2000000")),
    "a giant state": ("too_large", body("state['a'] = ['x' * 1000] * 2000")),
    "a flood of output": ("too_large", body("while True: print('x' * 1000)")),
    "a long source": ("too_large", "x = 1\n" * 10000 + body("return 1")),
    "a long number": ("too_large", body("return 10 ** 2000")),
    "deep recursion": ("too_deep", "def f(n):\n    return f(n + 1)\n" + body("return f(0)")),
    "deep mutual recursion": ("too_deep", "def f(n):\n    return run({}, {})\n" + body("return f(0)")),
    "not a number": ("not_json", body("return float('nan')")),
    "infinity": ("not_json", body("return {'x': [1e308 * 10]}")),
    "not a number in the state": ("not_json", body("state['x'] = float('nan')")),
    "a function": ("not_json", body("return run")),
    "a set": ("not_json", body("return {1, 2}")),
    "bytes": ("not_json", body("return b'x'")),
    "an object": ("not_json", "class A:\n    pass\n" + body("return A()")),
    "a cycle": ("not_json", body("state['me'] = state")),
    "deep nesting": ("too_large", body("x = []", "for i in range(100): x = [x]", "return x")),
    "very deep nesting": ("not_json", body("x = []", "for i in range(10000): x = [x]", "return x")),
    "a key of two values": ("not_json", body("return {(1, 2): 3}")),
    "a key twice": ("not_json", body("return {1: 'a', '1': 'b'}")),
    "U+0000": ("not_json", body("return 'a\\x00b'")),
    "a coroutine": ("not_json", "async def run(state, arguments):\n    return 1"),
    "JSON that is replaced": ("not_json", "str = lambda x: 1\n" + body("return run")),
    "an exception": ("tool_failed", body("raise ValueError('no event 17')")),
    "an interrupt": ("tool_failed", body("raise KeyboardInterrupt()")),
    "an exit": ("tool_failed", body("raise SystemExit(3)")),
    "a host function": ("tool_failed", body("return fetch('http://localhost')")),
    "the environment": ("tool_failed", body("import os", "return os.environ['HOME']")),
    "a command": ("tool_failed", body("import os", f"return os.system('touch {MARK}')")),
    "a listing": ("tool_failed", body("import os", "return os.listdir('/')")),
    "a file to read": ("tool_failed", body("return open('/etc/passwd').read()")),
    "a file to write": ("tool_failed", body(f"return open('{MARK}', 'w').write('x')")),
    "a path": ("tool_failed", body("from pathlib import Path", f"return Path('{MARK}').touch()")),
    "a socket": ("tool_failed", body("import socket", "return socket.socket()")),
    "a process": ("tool_failed", body("import subprocess", "return subprocess.run(['id'])")),
    "foreign functions": ("tool_failed", body("import ctypes", "return 1")),
    "threads": ("tool_failed", body("import threading", "return 1")),
    "a module of ours": ("tool_failed", body("import verifiers.answer", "return 1")),
    "an import by name": ("tool_failed", body("return __import__('os').getcwd()")),
    "executed text": ("tool_failed", body(f"exec('import os; os.system(\"touch {MARK}\")')")),
    "evaluated text": ("tool_failed", body("return eval('__import__(\"os\")')")),
    "compiled text": ("tool_failed", body("return compile('1', 'x', 'eval')")),
    "all classes": ("tool_failed", body("return ().__class__.__bases__[0].__subclasses__()")),
    "globals of a function": ("tool_failed", body("return run.__globals__")),
    "builtins": ("tool_failed", body("return __builtins__['open']")),
    "a dunder in a format": ("tool_failed", body("return '{0.__class__}'.format(state)")),
    "a dunder by name": ("tool_failed", body("return getattr(state, '__class__')")),
    "the clock": ("tool_failed", body("import time", "return time.time()")),
    "the date": ("tool_failed", body("from datetime import datetime", "return str(datetime.now())")),
    "a sleep": ("tool_failed", body("import time", "time.sleep(5)")),
    "a sleep in a coroutine": ("tool_failed", body("import asyncio", "asyncio.run(asyncio.sleep(5))")),
    "entropy": ("tool_failed", body("import random", "return random.random()")),
    "backtracking": ("tool_failed", body("import re", "return re.match(r'(?=(a+))(a*)*b\\1', 'a' * 30 + 'c')")),
    "input": ("tool_failed", body("return input()")),
    "no function": ("bad_implementation", "x = 1"),
    "nothing": ("bad_implementation", ""),
    "no Python": ("bad_implementation", "def run(state, arguments)\n    return"),
    "nested source": ("bad_implementation", "x = " + "(" * 5000 + "1" + ")" * 5000),
    "an import while loading": ("bad_implementation", "import subprocess\n" + body("return 1")),
    "a patched module": ("bad_implementation", "import json\njson.dumps = lambda x: '{}'\n" + body("return 1")),
    "a generator": ("bad_implementation", body("yield 1")),
}


@pytest.mark.parametrize(("expected", "source"), HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_hostile_has_its_code(expected: str, source: str) -> None:
    assert code(source) == expected


def test_nothing_hostile_left_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _, source in HOSTILE.values():
        if MARK in source:
            code(source)
    assert list(tmp_path.iterdir()) == []


def test_what_is_printed_is_read_by_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    ran(body("print('hello')", "return 1"))
    assert capfd.readouterr() == ("", "")


def test_a_killed_worker_is_replaced() -> None:
    assert code(HOSTILE["a huge common divisor"][1]) == "timeout"
    assert ran(body("return 1"))[1] == 1


def test_nothing_is_remembered_from_call_to_call() -> None:
    ran("import json\nleft = 1\n" + body("return 1"))
    assert code(body("return left")) == "tool_failed"


@pytest.mark.parametrize("name", ["_json", "_state", "_answer", "len", "dict"])
def test_names_of_the_frame_may_be_taken(name: str) -> None:
    assert ran(f"{name} = None\n" + body("return 1")) == ({"a": [1, 2]}, 1)


def test_the_same_source_does_the_same_in_every_session() -> None:
    source = body("return [id(state), hash('a'), list({'x', 'y', 'zz'}), str(run)]")
    assert ran(source) == ran(source)


def test_threads_share_the_workers() -> None:
    source = body("return {'double': 2 * arguments['x']}")
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda x: run_source(source, {}, {"x": x})[1]["double"], range(64)))
    assert results == [2 * x for x in range(64)]


def _in_child(source: str) -> Any:
    return run_source(source, {}, {})[1]


def test_a_process_forked_too_late_says_so_and_does_not_hang() -> None:
    source = body("return 7")
    assert _in_child(source) == 7
    with multiprocessing.get_context("fork").Pool(1) as pool, pytest.raises(SparringError, match="forked"):
        pool.apply_async(_in_child, (source,)).get(timeout=20)
    assert _in_child(source) == 7


def test_a_process_forked_early_has_workers_of_its_own() -> None:
    code = """
from concurrent.futures import ProcessPoolExecutor
from verifiers.sandbox import run_source
with ProcessPoolExecutor(2) as pool:
    print([one for _, one in pool.map(run_source, [SOURCE] * 4, [{}] * 4, [{}] * 4)])
"""
    code = f"SOURCE = {body('return 7')!r}\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[7, 7, 7, 7]\n"


def test_a_worker_that_dies_is_the_tools_failure() -> None:
    class Crash(Exception):
        timed_out = False

    assert sandbox._named(Crash("the worker died"), "tool_failed").code == "tool_failed"  # type: ignore[arg-type]
