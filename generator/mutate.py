"""A published task made harder or easier: a brief whose draft stands already, but for words that a model must write.

In: a parent task, the kind of change, a catalogue. Out: `changeable` says which parents a change can be made to,
`mutate` makes the brief. The parent is never trusted: its variant goes through every check like any other draft.
Where no words are due (`generator.kinds.WORDLESS`), no model is asked.
Not promised: that the variant is harder for a given solver; that is measured. Worlds are kept as they are, so changes
that would touch their tools' names or calls are not made to tasks with one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from random import Random

from data.canonical import canonical_json, messages_json
from data.records import Brief, BriefKind, Json, JsonObject, Task
from generator.catalogue import Catalogue, Chain
from generator.kinds import KINDS
from generator.material import MOST_CALLS, fits
from generator.renaming import renamed
from generator.values import draw_arguments
from generator.wording import content_words

NEAREST = 8
"""Of so many nearest tools of the catalogue the new distractors are drawn."""
ADDED = (2, 3, 4)
"""How many."""


def changeable(parents: Iterable[Task], catalogue: Catalogue) -> Mapping[BriefKind, tuple[Task, ...]]:
    """For each change the parents that it can be made to, in their order."""
    listed = list(parents)
    return {kind: tuple(task for task in listed if _can(kind, task, catalogue)) for kind in KINDS["evolve"]}


def _can(kind: BriefKind, task: Task, catalogue: Catalogue) -> bool:
    users = sum(message.role == "user" for message in task.messages)
    plain, one = task.implementations is None and task.world is None, len(task.calls) == 1
    match kind:
        case "near":
            return bool(task.calls) and len(catalogue.entries) > len(task.tools)
        case "fewer":
            return bool(task.calls) and len(_uncalled(task)) > 1
        case "further":
            return plain and users == 1 and 0 < len(task.calls) < MOST_CALLS and bool(_next(task, catalogue))
        case "indirect":
            return bool(task.calls) and users == 1
        case "renamed":
            return plain
        case "removed":
            return plain and one and len(task.tools) > 1
        case _:
            return plain and one and users > 1


def mutate(kind: BriefKind, parent: Task, catalogue: Catalogue, random: Random, seed: int, index: int) -> Brief:
    """Brief number `index`: the parent, changed."""
    draft: dict[str, Json] = {
        "messages": messages_json(parent.messages),
        "tools": list(parent.tools),
        "calls": list(parent.calls),
        "accept": parent.accept,
        "may_omit": parent.may_omit,
        "unanswerable": parent.unanswerable,
        "world": parent.world,
        "implementations": parent.implementations,
    }
    match kind:
        case "near":
            draft["tools"] = _shuffled([*parent.tools, *_near(parent, catalogue, random)], random)
        case "fewer":
            kept = random.choice(_uncalled(parent))
            left = [tool for tool in parent.tools if tool is kept or tool["name"] in _called(parent)]
            draft |= {"tools": left, "implementations": _of(left, parent.implementations)}
        case "further":
            draft |= _further(parent, random.choice(_next(parent, catalogue)), random)
        case "renamed":
            draft = renamed(draft, random)
        case "removed":
            draft |= _removed(parent)
        case "unsaid":
            draft |= _unsaid(parent)
        case _:
            pass
    return _brief(kind, parent, draft, seed, index)


def _brief(kind: BriefKind, parent: Task, draft: JsonObject, seed: int, index: int) -> Brief:
    # Canonical, so that a brief read back from a chunk renders to the very same prompt.
    draft = json.loads(canonical_json(draft))
    tools, calls, messages = (_objects(draft[name]) for name in ("tools", "calls", "messages"))
    return Brief(
        seed=seed,
        index=index,
        mode="evolve",
        kind=kind,
        domain=parent.domain,
        menu_size=len(tools),
        calls=len(calls),
        turns=sum(message["role"] == "user" for message in messages),
        tools=tuple(tools),
        targets=tuple(str(call["name"]) for call in calls),
        arguments=tuple(_plain(call["arguments"]) for call in calls),
        fixed={name: value for name, value in draft.items() if name != "tools"},
        parent_task_id=parent.task_id,
    )


def _of(tools: Sequence[JsonObject], implementations: Json) -> Json:
    """The implementations of these tools, if there are any."""
    if not isinstance(implementations, Mapping):
        return implementations
    return {name: source for name, source in implementations.items() if name in {tool["name"] for tool in tools}}


def _called(task: Task) -> set[str]:
    return {str(call["name"]) for call in task.calls}


def _uncalled(task: Task) -> list[JsonObject]:
    return [tool for tool in task.tools if tool["name"] not in _called(task)]


def _shuffled(tools: Sequence[JsonObject], random: Random) -> list[Json]:
    return random.sample(list(tools), len(tools))


def _near(task: Task, catalogue: Catalogue, random: Random) -> list[JsonObject]:
    """Tools whose words are most like those of the called ones, and which no gold call would fit."""
    taken = {tool["name"] for tool in task.tools}
    wanted = [content_words(tool) for tool in task.tools if tool["name"] in _called(task)]
    others = [entry.tool for entry in catalogue.entries if entry.name not in taken]

    def far(tool: JsonObject) -> tuple[float, str]:
        mine = content_words(tool)
        return -max(len(mine & yours) / len(mine | yours) for yours in wanted), str(tool["name"])

    ranked = sorted(others, key=far)
    unfit = (tool for tool in ranked if not any(fits(tool, _plain(call["arguments"])) for call in task.calls))
    nearest = list(islice(unfit, NEAREST))
    return random.sample(nearest, min(random.choice(ADDED), len(nearest)))


def _plain(arguments: Json) -> JsonObject:
    assert isinstance(arguments, Mapping)
    return arguments


def _objects(value: Json) -> list[JsonObject]:
    listed = value if isinstance(value, (list, tuple)) else ()
    return [item for item in listed if isinstance(item, Mapping)]


def _next(task: Task, catalogue: Catalogue) -> list[Chain]:
    """The chains that lead on from the last call of a task to a tool that it does not call yet."""
    last = str(task.calls[-1]["name"])
    menu = {str(tool["name"]): tool for tool in task.tools}
    return [
        chain
        for chain in catalogue.chains
        if chain.producer.name == last
        and chain.producer.tool == menu[last]
        and chain.consumer.name not in _called(task)
        and menu.get(chain.consumer.name, chain.consumer.tool) == chain.consumer.tool
    ]


def _further(task: Task, chain: Chain, random: Random) -> dict[str, Json]:
    """A call more, which takes the result of the last; the words for it are still to be written."""
    place = len(task.calls)
    given = draw_arguments(chain.consumer.parameters, random)
    passed: dict[str, Json] = {**given, chain.value: f"$var_{place}.{chain.value}"}
    added: JsonObject = {"name": chain.consumer.name, "arguments": dict(sorted(passed.items()))}
    known = any(tool["name"] == chain.consumer.name for tool in task.tools)
    tools = list(task.tools) if known else _shuffled([*task.tools, chain.consumer.tool], random)
    more: dict[str, Json] = {"calls": [*task.calls, added], "tools": tools}
    for name, nothing in (("accept", {}), ("may_omit", [])):
        listed = getattr(task, name)
        more[name] = [*listed, nothing] if isinstance(listed, list) and listed else None
    return more


def _removed(task: Task) -> dict[str, Json]:
    """RULES C2: the menu without the gold's tool, and the parent as the proof."""
    (call,) = task.calls
    (tool,) = (tool for tool in task.tools if tool["name"] == call["name"])
    left: list[Json] = [one for one in task.tools if one is not tool]
    proof: JsonObject = {"removed": tool, "calls": list(task.calls)}
    return {"tools": left, "calls": [], "accept": None, "may_omit": None, "unanswerable": proof}


def _unsaid(task: Task) -> dict[str, Json]:
    """The conversation before its last user turn, and the whole as the proof."""
    last = max(place for place, message in enumerate(task.messages) if message.role == "user")
    heard = list(task.messages[:last])
    while heard[-1].role != "user":
        heard.pop()
    proof: JsonObject = {"unsaid": task.messages[last].content, "calls": list(task.calls)}
    common: dict[str, Json] = {"calls": [], "accept": None, "may_omit": None, "unanswerable": proof}
    return common | {"messages": messages_json(heard)}
