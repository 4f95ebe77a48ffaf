"""Whether a draft is solvable: the ordered checks of RULES, the first failure decides.

In: a `Draft`. Out: a `Proof`: no reason at all, or the `Verdict`s of what fails, and the task in normal form as far as
it was proved. A fault of a checker is a verdict of check `checker`, never a crash of the run.
Not promised: that a solver finds the answer, or that no other answer is as good (reachability and dissent come later).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from data.canonical import task_id
from data.errors import UsageError
from data.records import Draft, Json, JsonObject, Message, Verdict
from verifiers.calls import call_faults, check_calls
from verifiers.completion import check_question, check_text
from verifiers.determinacy import determinacy_faults
from verifiers.grounding import grounding_faults
from verifiers.menu import Menu, read_tools
from verifiers.unanswerable import check_unanswerable

if TYPE_CHECKING:  # checks 6 and 7 are imported when a row asks for them, for most rows do not
    from verifiers.mutant import Calls

VERIFIER_VERSION = "3"
"""Enters cache keys and manifests; it changes whenever a verdict, an outcome or a reward can."""

CHECKS = ("format", "menu", "calls", "grounding", "determinacy", "execution", "soundness")
"""In the order in which they run."""
_ALL = frozenset(CHECKS)

MAX_REASONS = 100
"""Failures of one check that are given at most."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What verification came to. Tools, calls and alternatives are in normal form, empty where they were not proved.

    `outcome`: what the gold calls come to (RULES A11), None for a task without implementations; `alternatives`: other
    calls that were found to come to it.
    """

    reasons: tuple[Verdict, ...]
    tools: tuple[JsonObject, ...] = ()
    calls: tuple[JsonObject, ...] = ()
    accept: Json = None
    may_omit: Json = None
    outcome: Json = None
    alternatives: tuple[Calls, ...] = ()
    menu: Menu | None = field(default=None, repr=False, compare=False)
    """The menu of the tools, once it was read."""

    @property
    def solvable(self) -> bool:
        return not self.reasons


def identity(draft: Draft, proof: Proof) -> str:
    """The `task_id` of a draft that was proved (CONTRACT)."""
    tools = proof.menu.canonical if proof.menu else proof.tools
    return task_id(draft.messages, tools, proof.calls, proof.accept, proof.may_omit, draft.world, draft.implementations)


@dataclass(slots=True)
class _Found:
    menu: Menu | None = None
    calls: tuple[JsonObject, ...] = ()
    outcome: Json = None
    alternatives: tuple[Calls, ...] = ()


def verify(
    draft: Draft, *, checks: Collection[str] | None = None, every: bool = False, prompt: str | None = None
) -> Proof:
    """Run the checks on a draft (RULES F4, M, C, G, D; A11). J and F1-F3 are the reader's, who had the text.

    `checks`: only these, and what they rest on; `soundness` by name also where the rules alone prove it, of a task that
    is scored by calls and has no alternatives. `every`: all failures of every check, of each at most `MAX_REASONS`.
    `prompt`: what the generator was sent (F4). Raises `UsageError` for a check that does not exist.
    """
    wanted = _ALL if checks is None else frozenset(checks)
    if unknown := sorted(wanted - _ALL):
        raise UsageError(f"no check is called {', '.join(unknown)}", hint=f"there are: {', '.join(CHECKS)}")
    found = _Found()
    reasons: list[Verdict] = []
    try:
        for reason in _failures(draft, wanted, prompt, found, named=checks is not None):
            reasons.append(reason)
            if not every:
                break
    except Exception as fault:
        reasons.append(Verdict("checker", "checker_error", f"{type(fault).__name__}: {fault}"))
    accept, may_omit = _said(draft.accept), _said(draft.may_omit)
    tools = found.menu.tools if found.menu else ()
    return Proof(tuple(reasons), tools, found.calls, accept, may_omit, found.outcome, found.alternatives, found.menu)


def _failures(
    draft: Draft, wanted: frozenset[str], prompt: str | None, found: _Found, *, named: bool
) -> Iterator[Verdict]:
    """Every failure, in the order of the checks; what rests on a failed check is not looked at."""
    if "format" in wanted:
        yield from _some(_message_faults(draft.messages, prompt))
    if wanted <= {"format"}:
        return
    menu = read_tools(draft.tools)
    if isinstance(menu, tuple):
        yield from menu
        return
    found.menu = menu
    if wanted <= {"format", "menu"}:
        return
    due = draft.unanswerable is None
    calls = check_calls(menu, draft.calls, allow_none=not due)
    if isinstance(calls, Verdict):
        yield from _some(call_faults(menu, draft.calls, allow_none=not due))
        return
    found.calls = calls
    unfit: list[Verdict] = []
    if draft.accept is not None or draft.may_omit is not None:
        unfit = list(_some(alternative_faults(menu, calls, draft.accept, draft.may_omit)))
        yield from unfit
    if not calls:
        if fault := check_unanswerable(menu, draft, lambda answerable: verify(answerable, prompt=prompt)):
            yield fault
        return
    if "grounding" in wanted:
        yield from _some(grounding_faults(menu, calls, draft.messages))
    if "determinacy" in wanted:
        yield from _some(determinacy_faults(menu, calls, draft.messages))
    executable = draft.world is not None or draft.implementations is not None
    if executable and not wanted.isdisjoint(("execution", "soundness")):
        from verifiers.execution import check_execution

        came_to = check_execution(menu, calls, draft.world, draft.implementations)
        if isinstance(came_to, Verdict):
            yield came_to
            return
        found.outcome = came_to
    if "soundness" in wanted and not unfit:
        accept, may_omit = _said(draft.accept), _said(draft.may_omit)
        if executable or named or accept or may_omit:
            from verifiers.mutant import Gold
            from verifiers.soundness import Executed, check_soundness

            gold = Gold(menu, calls, draft.messages, accept or [{}] * len(calls), may_omit or [()] * len(calls))  # type: ignore[arg-type]
            executed = Executed(draft.world, draft.implementations, found.outcome) if executable else None
            sound = check_soundness(gold, executed)
            if isinstance(sound, Verdict):
                yield sound
            else:
                found.alternatives = sound


def _some(faults: Iterator[Verdict]) -> Iterator[Verdict]:
    return islice(faults, MAX_REASONS)


def _message_faults(messages: tuple[Message, ...], prompt: str | None) -> Iterator[Verdict]:
    """RULES F4 and J4: every text is text, and every user turn is a question of somebody's."""
    broken = [fault for message in messages if (fault := check_text(message.content))]
    yield from broken
    questions = [message.content for message in messages if message.role == "user"]
    for question in [] if broken else questions or [""]:
        if fault := check_question(question, prompt):
            yield fault


def check_alternatives(menu: Menu, calls: tuple[JsonObject, ...], accept: Json, may_omit: Json) -> Verdict | None:
    """RULES A7: alternatives name arguments of their calls, and the calls stay valid with them (RULES C)."""
    return next(alternative_faults(menu, calls, accept, may_omit), None)


def alternative_faults(menu: Menu, calls: tuple[JsonObject, ...], accept: Json, may_omit: Json) -> Iterator[Verdict]:
    """Every alternative that does not hold."""
    for title, given, kind in (("accept", accept, Mapping), ("may_omit", may_omit, list)):
        if given is None or given == []:
            continue
        if not isinstance(given, list) or len(given) != len(calls) or not all(isinstance(one, kind) for one in given):
            yield Verdict("calls", "bad_call", f"{title} is not a list with one entry for each call")
            continue
        for place, (call, names) in enumerate(zip(calls, given, strict=True)):
            for name in names:
                values = names[name] if isinstance(names, Mapping) else None
                if fault := _check_alternative(menu, call, place, name, values):
                    yield replace(fault, detail=f"{title}, {str(name)[:80]}: {fault.detail}")


def _check_alternative(menu: Menu, call: JsonObject, place: int, name: Json, values: Json) -> Verdict | None:
    """One argument of the call at `place` (from 0): with each of `values` instead, or, without values, left out."""
    given = call["arguments"]
    assert isinstance(given, Mapping)
    arguments = {key: value for key, value in given.items() if key != name}
    if not isinstance(values, list | None):
        return Verdict("calls", "bad_call", f"call {place + 1}: not a list of values")
    if values is None and len(arguments) == len(given):
        return Verdict("calls", "undeclared_argument", f"call {place + 1} has no such argument")
    for variant in [arguments] if values is None else ({**arguments, str(name): value} for value in values):
        checked = check_calls(menu, [{**call, "arguments": variant}], before=place)
        if isinstance(checked, Verdict):
            return checked
    return None


def _said(alternatives: Json) -> Json:
    """Alternatives that allow anything at all; else None."""
    return alternatives if isinstance(alternatives, list) and any(alternatives) else None
