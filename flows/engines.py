"""The two players of a run, opened once for each process, behind one event loop.

In: which engine fills each slot. Out: `Players.sample(...)`-able policies and a bridge from the flow's threads
to the loop where every model call of the process runs: one client, one connection pool, one bound on what is in
flight, however many chunks are under way. Nothing here retries; that is the policies' work.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from policies.connect import engine_kind
from policies.engine import Engine
from policies.journal import JournalledPolicy

Result = TypeVar("Result")


@dataclass(slots=True)
class Bridge:
    """An event loop in a thread of its own."""

    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    thread: threading.Thread | None = None

    def start(self) -> None:
        self.thread = threading.Thread(target=self.loop.run_forever, name="engines", daemon=True)
        self.thread.start()

    def call(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run `work` on the loop and wait for it here."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def stop(self) -> None:
        """End the loop; whoever still waits for a call gets `CancelledError`, so that an interrupted run can end."""
        self.call(_cancel_others())
        self.loop.call_soon_threadsafe(self.loop.stop)
        if self.thread is not None:
            self.thread.join(timeout=10)
        self.loop.close()


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
        if self.solver is not self.generator:
            self.bridge.call(self.solver.close())
        self.bridge.stop()


def journalled(engine: Engine, path: Path) -> Engine:
    """An engine that writes each answer down at once; the scripted one would only say the same again."""
    return engine if engine_kind(engine.name) == "scripted" else JournalledPolicy(engine, path)
