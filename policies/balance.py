"""Several servers of one model as one player: a request goes to the server with the fewest under way.

In: `URL,URL,...#model`. Out: completions, as `policies.endpoint` gives them; `digest` is of the model's name alone, so
that servers may come and go between a run and its resumption. A server that fails (nobody there, no access, another
model, timeout, 408, 409, 429, 5xx, a malformed answer) is left out, and what was under way there goes to another. Asked
at growing intervals, it comes back once it lists the model again, first for one request. When each has failed `LIMIT`
times in a row, `EngineUnavailable` says why, the first failure first. A prompt that several servers failed at is a
failed sample.
Not promised: that the servers hold the same weights under that name; `Retry-After` (another server is asked at once).
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from loguru import logger

from data.errors import EngineUnavailable, PolicyError, SparringError
from policies.breaker import Breaker
from policies.endpoint import EndpointPolicy
from policies.engine import Engine, Keep, together
from policies.protocol import Completion, Prompt, SamplingParams
from policies.server_list import lasting, listed

LIMIT = 5
"""Failures in a row from which a server counts as dead."""
REFUSALS = 8
"""Requests in a row that a server may refuse (4xx) before that is a failure of the server, not of the prompts."""
MORE_TRIES = 2
"""A prompt is tried as often as there are servers, and so often more, before the sample counts as failed."""
_REFUSED = re.compile(r"status 4(?!08|09|29)")


@dataclass(slots=True)
class Server:
    """One of them, and how it fares."""

    policy: EndpointPolicy
    url: str
    under_way: int = 0
    failures: int = 0
    refused: int = 0
    out: bool = False
    on_trial: bool = False
    due: float = 0.0
    turn: int = 0
    """Counts the times it was left out: of all requests that a death ends, one is its failure."""
    since: float = 0.0
    fault: SparringError | None = None
    probe: asyncio.Task[None] | None = None

    def has_room(self, most: int) -> bool:
        """Whether it may have another request: `most` under way, or one while it has to show that it is well."""
        return not self.out and (not self.on_trial if self.failures else self.under_way < most)


class BalancedPolicy(Engine):
    """One player behind several URLs."""

    def __init__(
        self,
        engine: str,
        *,
        attempt: float = 180.0,
        in_flight: int = 32,
        pause: float = 0.5,
        longest: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`in_flight` requests at most are under way at each server, each for `attempt` seconds; a failed server is
        asked again after `pause` seconds, then twice as many, `longest` at most. Raises `UsageError` as `listed` does.
        """
        urls, model = listed(engine)
        self._name, self._model = engine, model
        self._in_flight, self._pause, self._longest, self._clock = in_flight, pause, longest, clock
        self._servers = [
            Server(
                # Whether to ask it again is decided here.
                EndpointPolicy(
                    f"{url}#{model}",
                    attempt=attempt,
                    retries=0,
                    in_flight=in_flight,
                    breaker=Breaker(url, limit=sys.maxsize),
                ),
                url,
            )
            for url in urls
        ]
        self._room = asyncio.Semaphore(in_flight * len(urls))
        self._change = asyncio.Event()

    @property
    def name(self) -> str:
        return self._name

    @property
    def digest(self) -> str:
        """Of the model's name: nobody tells us the weights, and the servers may be others tomorrow."""
        return "sha256:" + sha256(lasting(self._name).encode()).hexdigest()

    async def close(self) -> None:
        for server in self._servers:
            if server.probe is not None:
                server.probe.cancel()
            await server.policy.close()

    async def check(self) -> None:
        """Ask every server for its models. Those that do not answer are left out for now.

        Raises `PolicyError` for one that refuses access or has another model, `EngineUnavailable` if none answers.
        """
        faults = await asyncio.gather(*(server.policy.check() for server in self._servers), return_exceptions=True)
        for server, fault in zip(self._servers, faults, strict=True):
            if isinstance(fault, EngineUnavailable):
                self._leave_out(server, server.turn, fault)
            elif fault is not None:
                raise fault
        if all(server.out for server in self._servers):
            raise self._nobody()

    async def draw(self, prompt: Prompt, indices: Sequence[int], params: SamplingParams, keep: Keep) -> None:
        async def one(index: int) -> None:
            async with self._room:
                keep(await self._ask(prompt, index, params))

        await together(one(index) for index in indices)

    async def _ask(self, prompt: Prompt, index: int, params: SamplingParams) -> Completion:
        """One sample, by whoever can; or the last reason why not. Raises `EngineUnavailable` when nobody is left."""
        tries = len(self._servers) + MORE_TRIES
        while True:
            server = await self._free()
            turn = server.turn
            answers: list[Completion] = []
            on_trial = server.failures > 0
            server.under_way += 1
            server.on_trial |= on_trial
            try:
                await server.policy.draw(prompt, [index], params, answers.append)
            except PolicyError as fault:
                self._leave_out(server, turn, fault)
                continue
            finally:
                server.under_way -= 1
                server.on_trial &= not on_trial
                self._changed()
            [answer] = answers
            if answer.finish_reason != "error" or answer.error.startswith("context_length"):
                server.failures = server.refused = 0
                return answer
            tries -= 1
            unwell = EngineUnavailable(f"{server.url}: {answer.error}", hint="look at that server's log")
            if _REFUSED.match(answer.error):  # This prompt's fault, as long as others are answered.
                server.refused += 1
                if server.refused >= REFUSALS:
                    self._leave_out(server, turn, unwell)
                return answer
            self._leave_out(server, turn, unwell)
            if not tries:
                return answer

    async def _free(self) -> Server:
        """The server with the fewest requests under way, waited for if all are busy or left out for a while."""
        while True:
            now = self._clock()
            for server in self._servers:
                if server.out and server.due <= now and server.probe is None:
                    server.probe = asyncio.create_task(self._ask_again(server))
            if well := [server for server in self._servers if server.has_room(self._in_flight)]:
                return min(well, key=lambda server: server.under_way)
            if all(server.out and server.failures >= LIMIT and server.probe is None for server in self._servers):
                raise self._nobody()
            waiting = [server.due - now for server in self._servers if server.out and server.probe is None]
            with suppress(TimeoutError):
                async with asyncio.timeout(min(waiting, default=None)):
                    await self._change.wait()

    async def _ask_again(self, server: Server) -> None:
        """The health check of a server that was left out: it is back if it lists the model."""
        try:
            await server.policy.check()
        except SparringError as fault:
            self._leave_out(server, server.turn, fault)
        else:
            server.out = False
            logger.info("{} lists {} again", server.url, self._model)
        finally:
            server.probe = None
            self._changed()

    def _leave_out(self, server: Server, turn: int, fault: SparringError) -> None:
        """Count a failure of a request that began in this turn of the server's."""
        if turn != server.turn:
            return
        now = self._clock()
        if not server.failures:
            server.since = now
            logger.warning("{} is left out for now: {}", server.url, fault.message)
        server.turn += 1
        server.failures += 1
        server.out, server.fault = True, fault
        server.due = now + min(self._longest, self._pause * 2.0 ** (server.failures - 1))
        self._changed()

    def _nobody(self) -> EngineUnavailable:
        """Why no server is left, the one that failed first before the others. Who asks next tries each once more."""
        dead = sorted(self._servers, key=lambda server: server.since)
        for server in dead:
            server.failures, server.due = LIMIT - 1, self._clock()
        faults = [server.fault for server in dead if server.fault is not None]
        said = "\n    ".join(fault.message for fault in faults)
        return EngineUnavailable(
            f"none of the {len(dead)} servers of {self._model} can be used, first of all:\n    {said}",
            hint=faults[0].hint,
        )

    def _changed(self) -> None:
        """Wake all who wait for a server."""
        self._change.set()
        self._change = asyncio.Event()
