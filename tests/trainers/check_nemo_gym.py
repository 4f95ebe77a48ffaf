"""Runs where NeMo Gym is installed: its request model reads the rows, its stock verifier and ours accept every gold."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from resources_servers.xlam_fc.app import XlamFcResourcesServer, XlamFcVerifyRequest

folder, rows = Path(sys.argv[1]), int(sys.argv[3])
sys.path.insert(0, str(folder))
from reward import verify

server = XlamFcResourcesServer.model_construct()


def response(calls: list[dict[str, Any]]) -> dict[str, Any]:
    output = [
        {
            "type": "function_call",
            "call_id": f"call_{place}",
            "name": call["name"],
            "arguments": json.dumps(call["arguments"]),
        }
        for place, call in enumerate(calls)
    ]
    return {
        "id": "r", "created_at": 0, "model": "m", "object": "response", "output": output,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip


async def main() -> None:
    lines = (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == rows
    for line in lines:
        row = json.loads(line)
        assert [tool["parameters"] for tool in row["responses_create_params"]["tools"]] == [
            tool["parameters"] for tool in json.loads(row["gold"])["tools"]
        ]
        right, empty = response(row["expected_answers"]), response([])
        request = XlamFcVerifyRequest.model_validate(row | {"response": right})
        assert (await server.verify(request)).reward == 1.0
        assert verify(row, right) == 1.0
        assert verify(row, empty) == float(not row["expected_answers"])


asyncio.run(main())
print(f"NeMo Gym: {rows} rows, gold 1.0 by the stock xlam_fc verifier and by ours, no call 0.0")
