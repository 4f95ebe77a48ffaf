"""The records that travel between rooms: frozen, comparable, without behaviour.

Free-form JSON stands here as plain Python values (`Json`), never as model objects; `data.schema` says how each
record is laid out in Arrow. Nothing here validates: proofs are the verifiers' work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, Union

Json: TypeAlias = Union[None, bool, int, float, str, Sequence["Json"], Mapping[str, "Json"]]  # noqa: UP007
JsonObject: TypeAlias = Mapping[str, Json]

Mode = Literal["catalogue", "open", "evolve"]
Kind = Literal["single", "parallel", "dependent", "abstain"]
BriefKind = Literal[
    "single", "parallel", "dependent", "conversation", "alternatives", "removed", "unsaid", "world",
    "near", "fewer", "further", "indirect", "renamed",
]  # fmt: skip
"""What a brief asks for (`generator.kinds` says what each is); the second line are changes of a published task."""
Band = Literal["hard", "frontier", "easy"]
FinishReason = Literal["stop", "length", "error"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why something was refused: the check that failed (RULES section), its code, and what a person needs to see."""

    check: str
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a task's text. `role` is `system`, `user`, `assistant` or `tool`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Brief:
    """What the generator is asked for. The same `(seed, index)` and configuration give the same brief for ever.

    `tools` is the menu before anything is taken out of it (normalised tools, RULES M), empty in open mode; `targets`
    names the menu's tools that the gold shall call, in order; `arguments` proposes values for each of them, as far as
    the catalogue knows plausible ones.
    """

    seed: int
    index: int
    mode: Mode
    kind: BriefKind
    domain: str
    menu_size: int
    calls: int
    turns: int = 1
    """User turns."""
    tools: tuple[JsonObject, ...] = ()
    targets: tuple[str, ...] = ()
    arguments: tuple[JsonObject, ...] = ()
    said: tuple[JsonObject, ...] = ()
    """Of a conversation about one call: the values that each user turn gives; one given again is a correction."""
    fixed: JsonObject = field(default_factory=dict)
    """Fields of the draft that are the program's to say, whatever the completion says of them."""
    parent_task_id: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A generator's completion, parsed and not yet believed: everything as the model wrote it."""

    messages: tuple[Message, ...]
    tools: Json
    calls: Json
    accept: Json = None
    may_omit: Json = None
    unanswerable: Json = None
    world: Json = None
    implementations: Json = None


@dataclass(frozen=True, slots=True)
class Task:
    """A draft that every verifier passed, in normal form (RULES M and C). `task_id`: CONTRACT, task set columns."""

    task_id: str
    kind: Kind
    turns: int
    domain: str
    mode: Mode
    messages: tuple[Message, ...]
    tools: tuple[JsonObject, ...]
    calls: tuple[JsonObject, ...]
    accept: Json = None
    may_omit: Json = None
    unanswerable: Json = None
    world: Json = None
    implementations: Json = None
    outcome: Json = None
    rule: Literal["calls", "outcome"] = "calls"
    parent_task_id: str | None = None
    brief: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One rollout of the solver on one task.

    `outcome` is RULES A9, or `infrastructure` when the engine failed for good: such an attempt counts nowhere.
    `answer_key` is the digest of a valid answer up to equality of canonical calls, empty when there is none.
    `steps` holds, for a task with a world, the digest of its state after each of the answer's calls that ran.
    """

    task_id: str
    harness: str
    index: int
    seed: int
    completion: str
    calls: Json
    outcome: str
    reward: float
    prompt_tokens: int
    completion_tokens: int
    finish_reason: FinishReason
    answer_key: str = ""
    detail: str = ""
    fresh: bool = False
    """Measured after selection (`--confirm`)."""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """Difficulty of one task for one solver under one harness (CONTRACT, task set columns of the same names)."""

    task_id: str
    harness: str
    attempts: int
    passes: int
    pass_rate: float
    pass_low: float
    pass_high: float
    confirmed: bool
    band: Band
    band_probability: float
    difficulty_reward: float
    reward_mean: float
    reward_std: float
    reward_values: int
    signal_g8: float
    consensus_share: float
    consensus_is_gold: bool

    @property
    def suspect(self) -> bool:
        """Half of the attempts agree on a valid answer that is not the gold (CONTRACT, `consensus_is_gold`)."""
        return self.consensus_share >= 0.5 and not self.consensus_is_gold
