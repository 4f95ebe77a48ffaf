"""A circuit breaker: after so many failures in a row nobody asks for a while, then one asks for all.

In: the outcome of every request. Out: whether the next one may go. For one event loop; it keeps no lock.
No well-kept asyncio library exists for it that is smaller than its use, so it is written here.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from data.errors import EngineUnavailable


class Breaker:
    """Opens after `limit` consecutive failures; `cooldown` seconds later one probe goes through and decides."""

    def __init__(
        self, who: str, *, limit: int = 8, cooldown: float = 30.0, clock: Callable[[], float] = time.monotonic
    ):
        self._who, self._limit, self._cooldown, self._clock = who, limit, cooldown, clock
        self._failures = 0
        self._last = ""
        self._shut_until = 0.0

    def enter(self) -> None:
        """Call before a request. Raises `EngineUnavailable` while the breaker is open."""
        if self._failures < self._limit:
            return
        wait = self._shut_until - self._clock()
        if wait > 0:
            raise EngineUnavailable(
                f"{self._who} failed {self._failures} times in a row, the last time with: {self._last}",
                hint=f"look at that server; the next request to it may go in {wait:.0f} s",
            )
        self._shut_until = self._clock() + self._cooldown

    def succeeded(self) -> None:
        """The engine answered."""
        self._failures = 0

    def failed(self, reason: str) -> None:
        """The engine did not deliver, after all retries."""
        self._failures += 1
        self._last = reason
        self._shut_until = self._clock() + self._cooldown
