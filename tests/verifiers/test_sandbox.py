"""Generated implementations: whatever they try has a code, ends soon, and touches nothing."""

import multiprocessing
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.canonical import canonical_json
from data.errors import SparringError
from data.records import Json
from tests.verifiers.hostile_tools import HOSTILE, MARK, body
from verifiers import sandbox
from verifiers.sandbox import SandboxFault, run_source


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


def test_the_same_source_does_the_same_in_every_session_and_worker() -> None:
    source = body("return [id(state), hash('a'), list({'x', 'y', 'zz'}), str(run)]")
    first = ran(source)
    assert ran(source) == first
    assert code(HOSTILE["a huge common divisor"][1]) == "timeout"  # which ends the worker
    assert ran(source) == first


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_crosses_there_and_back(value: Json) -> None:
    state, result = ran(body("state['kept'] = arguments['x']", "return arguments['x']"), {"a": 1}, {"x": value})
    assert canonical_json([state["kept"], result]) == canonical_json([value, value])


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
