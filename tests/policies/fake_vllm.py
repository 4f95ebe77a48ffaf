"""Stands in for vLLM's server: the same command line and routes, no model; says in `$FAKE_VLLM` what it was asked.

`$FAKE_VLLM` is a folder: `asked.jsonl` holds each request, `pids` this process and the child it has, as vLLM has its
engine. A file `slow` there keeps it from getting ready, `broken` ends it at once; the prompt `die` ends it later.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ["FAKE_VLLM"])
MODELS = ["base"]


class Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        if self.path == "/health":
            self._send(503 if (FOLDER / "slow").exists() else 200, {})
        else:
            self._send(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in MODELS]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with (FOLDER / "asked.jsonl").open("a") as file:
            file.write(json.dumps({"path": self.path, "body": body}) + "\n")
        if self.headers.get("Authorization") != f"Bearer {os.environ['VLLM_API_KEY']}":
            self._send(401, {"error": {"message": "no key"}})
        elif self.path == "/v1/load_lora_adapter":
            if Path(body["lora_path"], "misfit").exists():
                self._send(400, {"error": {"message": "size mismatch for lora_A"}})
            else:
                MODELS.append(body["lora_name"])
                self._send(200, {})
        elif self.path == "/v1/unload_lora_adapter":
            MODELS.remove(body["lora_name"])
            self._send(200, {})
        else:
            self._complete(body)

    def _complete(self, body: dict[str, Any]) -> None:
        if body.get("prompt") == "die":
            print("EngineCore encountered a fatal error", flush=True)
            os._exit(3)
        if body.get("prompt") == "too long":
            return self._send(400, {"error": {"message": "the maximum context length is 4 tokens"}})
        choices = [
            {"index": index, "finish_reason": "stop", "token_ids": [0] * (index + 1), "prompt_token_ids": [7, 7]}
            | _said(f"{body['model']} {body.get('seed', 0) + index}", chat="messages" in body)
            for index in range(body.get("n", 1))
        ]
        read = _read(body) if "prompt_logprobs" in body else {}
        if "messages" not in body:
            choices[0] |= read
            read = {}
        usage = {"prompt_tokens": 5, "completion_tokens": 9, "total_tokens": 14}
        return self._send(
            200, {"id": "x", "object": "x", "created": 0, "model": "m", "choices": choices, "usage": usage, **read}
        )

    def _send(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _said(text: str, *, chat: bool) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": text}} if chat else {"text": text}


def _read(body: dict[str, Any]) -> dict[str, Any]:
    """A token for each character; the one in place n has the log-probability -n, the first has none."""
    text = body["prompt"] if "prompt" in body else "".join(turn["content"] for turn in body["messages"])
    told = [{str(ord(letter)): {"logprob": -float(place)}} if place else None for place, letter in enumerate(text)]
    return {"prompt_token_ids": [ord(letter) for letter in text], "prompt_logprobs": told}


def main() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with (FOLDER / "pids").open("a") as file:
        file.write(f"{os.getpid()}\n{child.pid}\n")
    with (FOLDER / "arguments").open("w") as file:
        json.dump(sys.argv[1:], file)
    print("loading weights", flush=True)
    if (FOLDER / "broken").exists():
        print("ValueError: head size 7 is not supported", flush=True)
        sys.exit(1)
    port = int(sys.argv[sys.argv.index("--port") + 1])
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main()
