"""From a proven draft to a task: what the proof found goes with it."""

from data.records import Brief, Draft, Message
from flows.judging import task_of
from verifiers.verify import verify

BRIEF = Brief(seed=1, index=0, mode="open", kind="single", domain="shop", menu_size=1, calls=1)
DRAFT = Draft(
    (Message("user", "Put 3 into the basket."),),
    tools=[{"name": "put", "description": "Put a number in.", "parameters": {"number": {"type": "integer"}}}],
    calls=[{"name": "put", "arguments": {"number": 3}}],
)
SOURCE = "def run(state, arguments):\n    state['in'] = arguments['number']\n    return {}"


def test_a_task_with_implementations_is_scored_by_its_outcome() -> None:
    draft = Draft(DRAFT.messages, DRAFT.tools, DRAFT.calls, world={}, implementations={"put": SOURCE})
    task = task_of(draft, verify(draft), BRIEF)
    outcome = {"state": {"set": {"/in": 3}, "removed": []}, "answers": [], "alternatives": []}
    assert (task.rule, task.outcome) == ("outcome", outcome)


def test_a_task_without_is_scored_by_its_calls() -> None:
    task = task_of(DRAFT, verify(DRAFT), BRIEF)
    assert (task.rule, task.outcome) == ("calls", None)
