"""The two players of a run, opened once for each process, behind one event loop.

In: which engine fills each slot. Out: both `Engine`s and a bridge from the flow's threads
to the loop where every model call of the process runs: one client, one connection pool, one bound on what is in
flight, however many chunks are under way. Nothing here retries; that is the policies' work.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from policies.connect import engine_kind
from policies.engine import Engine
from policies.journal import JournalledPolicy

Result = TypeVar("Result")


class Bridge:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="engines", daemon=True)
        self._thread.start()

    def call(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run `work` on the loop and wait for it here."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def stop(self) -> None:
        """End the loop; whoever still waits for a call gets `CancelledError`, so that an interrupted run can end."""
        self.call(_cancel_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Engines:
    """Both players, open."""

    generator: Engine
    solver: Engine
    bridge: Bridge

    def close(self) -> None:
        """Close both players and the loop."""
        self.bridge.call(self.generator.close())
        self.bridge.call(self.solver.close())
        self.bridge.stop()


def journalled(engine: Engine, path: Path) -> Engine:
    """An engine that writes each answer down at once; the scripted one would only say the same again."""
    return engine if engine_kind(engine.name) == "scripted" else JournalledPolicy(engine, path)
