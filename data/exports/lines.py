"""Rows of what reads JSONL: NeMo Gym (with it NeMo-RL and verifiers' NeMoGymTaskset), a verifiers v1 taskset,
and plain OpenAI chat.

In: an `Example`. Out: a JSON object, one a line. NeMo Gym and OpenAI chat take the menu as tools of the row, under
names their interfaces accept (`data.exports.names`); the gold keeps the original names, and the row says which changed.
Sources: nemo-gym 0.4.0 (`resources_servers/xlam_fc`), verifiers 0.4.0 (`verifiers.v1`), OpenAI's chat format.
Not promised: that a stock NeMo Gym verifier agrees with our reward; it compares strictly, `reward.py` is ours.
"""

from __future__ import annotations

from typing import Any

from data.canonical import canonical_json
from data.exports.example import Example
from data.exports.names import legal_names
from data.records import JsonObject

Fields = dict[str, Any]
AGENT = "xlam_fc_simple_agent"
"""The agent of NeMo Gym's stock configuration `resources_servers/xlam_fc/configs/xlam_fc.yaml`."""


def nemo_gym(one: Example) -> Fields:
    """A row of NeMo Gym: Responses API parameters, the expected answers of its stock verifier, our gold beside them."""
    names = _names(one)
    tools = [{"type": "function", **_function(tool, names), "strict": False} for tool in one.task.tools]
    answers = [{"name": names[str(call["name"])], "arguments": call["arguments"]} for call in one.task.calls]
    return {
        "responses_create_params": {
            "input": _conversation(one),
            "tools": tools,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
        },
        "expected_answers": answers,
        "agent_ref": {"type": "responses_api_agents", "name": AGENT},
        "gold": one.gold,
        "names": _changed(names),
        **one.provenance,
    }


def openai(one: Example) -> Fields:
    """A row of OpenAI chat: messages, the gold as the assistant's turn, tools. A task without calls ends unanswered."""
    names = _names(one)
    calls = [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": names[str(call["name"])], "arguments": canonical_json(call["arguments"])},
        }
        for place, call in enumerate(one.task.calls, 1)
    ]
    answer: list[Fields] = [{"role": "assistant", "content": "", "tool_calls": calls}] if calls else []
    return {
        "messages": [*_conversation(one), *answer],
        "tools": [{"type": "function", "function": _function(tool, names)} for tool in one.task.tools],
        "gold": one.gold,
        "names": _changed(names),
        **one.provenance,
    }


def verifiers(one: Example) -> Fields:
    """A row of the taskset package: prompt with the menu in its system message, gold as text."""
    return {"prompt": one.prompt, "gold": one.gold, **one.provenance}


def _conversation(one: Example) -> list[dict[str, str]]:
    """The task's own turns; results of earlier tools as the user's, for they lack call ids."""
    return [
        {"role": "user", "content": f"Result of a tool: {message.content}"}
        if message.role == "tool"
        else {"role": message.role, "content": message.content}
        for message in one.task.messages
    ]


def _names(one: Example) -> dict[str, str]:
    return legal_names([str(tool["name"]) for tool in one.task.tools])


def _changed(names: dict[str, str]) -> dict[str, str]:
    """Legal name -> original, of those that differ."""
    return {legal: name for name, legal in names.items() if legal != name}


def _function(tool: JsonObject, names: dict[str, str]) -> Fields:
    described = {"description": tool["description"]} if tool.get("description") else {}
    return {"name": names[str(tool["name"])], **described, "parameters": tool["parameters"]}
