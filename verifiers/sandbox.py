"""Generated tool implementations, run in `pydantic-monty` and nowhere else.

In: Python source that a model wrote, a state and arguments as plain JSON. Out: the new state and the result, as plain
JSON, or a `SandboxFault` that names what went wrong. The source defines

    def run(state, arguments):      # dicts; `state` is changed in place
        ...
        return result               # JSON: an object, so that later calls can refer to its parts

and refuses arguments by raising anything. It runs in a worker process of monty's pool, an interpreter of its own that
has no file, no network, no environment, no clock, no entropy and no function of ours; JSON text alone goes in and out.
A worker that does not answer in time is killed and replaced: monty's own limits are polled, and one native operation on
huge integers can outlast them. Each call gets a fresh session: nothing but the state survives from call to call.
Not promised: all of Python (docs/verification.md says what monty lacks).
"""

from __future__ import annotations

import atexit
import os
from threading import Lock
from typing import TYPE_CHECKING, Any

from data.canonical import canonical_json
from data.errors import SparringError
from data.records import JsonObject
from verifiers.answer import JsonFault, parse_json

if TYPE_CHECKING:  # it takes longer to import than most files take to verify, and few hold generated tools
    from pydantic_monty import Monty, MontyError, OSPolicy, ResourceLimits

MAX_SOURCE = 32 * 1024
"""Characters of one implementation."""
MAX_PRINTED = 16 * 1024
"""Bytes that one call may print; nobody reads them."""
MAX_SECONDS = 0.2
"""Execution, by the worker's clock, that loading may take, and running again. A wait for a core is counted with it."""
DEADLINE = 0.5
"""Seconds by our clock after which a worker that no check point of monty stopped is killed."""
KILLED = f"no answer within {DEADLINE} s"

_LIMITS: ResourceLimits = {"max_memory": 16 << 20, "max_recursion_depth": 200, "max_suspensions": 100}
_NO_HOST: OSPolicy = {"datetime": "call_host", "sleep": "call_host", "random_start": "call_host"}
"""Nobody answers for the host: a clock, a sleep or entropy that is asked for raises in the sandbox."""

_CALL = """
import json as _json
_state = _json.loads(_state)
_result = run(_state, _json.loads(_arguments))
try:
    _answer = [_json.dumps(_state), _json.dumps(_result)]
except Exception as _fault:
    _answer = str(_fault)
_answer
"""
_FAULTS = {"TimeoutError": "timeout", "MemoryError": "too_large", "RecursionError": "too_deep"}
_NO_FUNCTION = "NameError: name 'run' is not defined"


class SandboxFault(Exception):
    """Why a call came to nothing; `code` is one of check `execution`, `detail` what a person needs to see."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code, self.detail = code, detail[:300]


def run_source(
    source: str, state: JsonObject, arguments: JsonObject, seconds: float = MAX_SECONDS
) -> tuple[dict[str, Any], Any]:
    """One call of a generated tool: the new state and the result, read by RULES J. Raises `SandboxFault`:

    `bad_implementation` the source does not run or defines no `run`; `tool_failed` it raised; `timeout`, `too_large`
    (memory, source, output), `too_deep` (recursion); `not_json` what came back is none.
    """
    from pydantic_monty import CollectString, MontyError

    if len(source) > MAX_SOURCE:
        raise SandboxFault("too_large", f"a source of more than {MAX_SOURCE} characters")
    inputs = {"_state": canonical_json(state), "_arguments": canonical_json(arguments)}
    printed = CollectString(max_bytes=MAX_PRINTED)
    limits: ResourceLimits = {**_LIMITS, "max_feed_duration_secs": seconds}
    with _workers().checkout(script_name="tool.py", limits=limits, os_policy=_NO_HOST) as session:
        try:
            session.feed_run(source, print_callback=printed)
        except MontyError as fault:
            raise _named(fault, "bad_implementation") from None
        try:
            answer = session.feed_run(_CALL, inputs=inputs, print_callback=printed)
        except MontyError as fault:
            raise _named(fault, "tool_failed") from None
    return _read(answer)


def _named(fault: MontyError, otherwise: str) -> SandboxFault:
    """The fault by its code: limits by their kind, everything else is the tool's own."""
    from pydantic_monty import MontySyntaxError

    if getattr(fault, "timed_out", False):
        return SandboxFault("timeout", KILLED)
    message = str(fault)
    if isinstance(fault, MontySyntaxError):
        return SandboxFault("bad_implementation", f"SyntaxError: {message}")
    if message == _NO_FUNCTION:
        return SandboxFault("bad_implementation", "the source defines no function `run(state, arguments)`")
    kind = message.partition(":")[0]
    return SandboxFault(_FAULTS.get(kind, otherwise), message)


def _read(answer: object) -> tuple[dict[str, Any], Any]:
    """State and result of what a worker sent; nothing of it is believed."""
    if not isinstance(answer, list) or len(answer) != 2:
        raise SandboxFault("not_json", f"the state or the result is no JSON: {answer}")
    state, result = (_json(part, text) for part, text in zip(("state", "result"), answer, strict=True))
    if not isinstance(state, dict):
        raise SandboxFault("not_json", "the state is no object any more")
    return state, result


def _json(part: str, text: object) -> Any:
    try:
        return parse_json(text if isinstance(text, str) else "")
    except JsonFault as fault:
        code = "too_large" if fault.code == "too_large" else "not_json"
        raise SandboxFault(code, f"the {part}: {fault.detail}") from None


_lock = Lock()
_pools: dict[int, Monty] = {}
"""One pool, by the process that started it."""


def _workers() -> Monty:
    """The pool of this process. Monty's own threads do not survive a fork, and would be waited for without end."""
    from pydantic_monty import Monty

    process = os.getpid()
    if process not in _pools:
        if _pools:
            raise SparringError(
                "generated tools cannot run in a process that was forked after its parent had run some",
                hint="start the workers before the first generated tool runs, or by spawn",
            )
        with _lock:
            if process not in _pools:
                pool = Monty(min_processes=1, request_timeout=DEADLINE)
                pool.__enter__()
                atexit.register(pool.__exit__, None, None, None)
                _pools[process] = pool
    return _pools[process]
