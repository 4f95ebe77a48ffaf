"""Tasks and a policy whose answers a test writes itself."""

from collections.abc import Callable, Sequence

from data.records import Json, JsonObject, Message, Task
from policies.protocol import Completion, Prompt, SamplingParams, completion_seed
from verifiers.menu import Menu, read_menu

TOOLS: Json = [
    {
        "name": "book_table",
        "description": "Reserve a restaurant table.",
        "parameters": {
            "type": "object",
            "properties": {
                "restaurant": {"type": "string"},
                "guests": {"type": "integer"},
                "notes": {"type": ["string", "null"], "default": None},
            },
            "required": ["restaurant", "guests"],
        },
    },
    {"name": "ping", "description": "Check the line.", "parameters": {}},
]


def book(restaurant: str, guests: int = 2, **more: str) -> JsonObject:
    return {"name": "book_table", "arguments": {"restaurant": restaurant, "guests": guests, **more}}


def task(task_id: str = "t", calls: Sequence[JsonObject] = (book("Roma"),), **fields: object) -> Task:
    menu = read_menu(TOOLS)
    assert isinstance(menu, Menu)
    given: dict[str, object] = {
        "task_id": task_id,
        "kind": "single",
        "turns": 1,
        "domain": "food",
        "mode": "catalogue",
        "messages": (Message("user", "A table for two at Roma, please."),),
        "tools": menu.tools,
        "calls": tuple(calls),
    }
    return Task(**{**given, **fields})  # type: ignore[arg-type]


class Told:
    """A policy that answers what `answer(prompt key, index)` says; None is a failure of the engine."""

    def __init__(self, answer: Callable[[str, int], str | None]) -> None:
        self.answer = answer
        self.bursts: list[tuple[list[str], int, int]] = []

    name = "told"
    digest = "told"

    async def sample(
        self, prompts: Sequence[Prompt], n: int, params: SamplingParams, *, first_index: int = 0
    ) -> list[list[Completion]]:
        self.bursts.append(([prompt.key for prompt in prompts], n, first_index))
        return [[self._one(prompt, i, params) for i in range(first_index, first_index + n)] for prompt in prompts]

    def _one(self, prompt: Prompt, index: int, params: SamplingParams) -> Completion:
        text = self.answer(prompt.key, index)
        seed = completion_seed(params, prompt, index)
        if text is None:
            return Completion("", index, seed, 0, 0, "error", "the line was dead")
        return Completion(text, index, seed, 10, len(text), "stop")

    async def close(self) -> None: ...
