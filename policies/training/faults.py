"""Why a training ended, as the app is told: a code and a sentence. Standard library alone."""

from __future__ import annotations

from pathlib import Path

from policies.training.job import FAULT, FaultCode, write_json

_MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")


class TrainingFault(Exception):
    """A fault that has a name."""

    def __init__(self, code: FaultCode, message: str, *, hint: str = "", retryable: bool = False) -> None:
        super().__init__(message)
        self.code: FaultCode = code
        self.message, self.hint, self.retryable = message, hint, retryable


def named(fault: BaseException) -> TrainingFault:
    """Any exception as a fault with a name."""
    if isinstance(fault, TrainingFault):
        return fault
    said = f"{type(fault).__name__}: {fault}"
    if isinstance(fault, MemoryError) or any(words in said.lower() for words in _MEMORY):
        return TrainingFault("out_of_memory", said)
    return TrainingFault("failed", said)


def report(folder: Path, fault: TrainingFault) -> None:
    """Leave the fault for the app."""
    said = {"code": fault.code, "message": fault.message, "hint": fault.hint, "retryable": fault.retryable}
    write_json(folder / FAULT, said)
