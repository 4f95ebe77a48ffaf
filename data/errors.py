"""The one exception family: faults of ours or of the user's, never of a model (those are `Verdict`s).

Every message says what is wrong, which value, and what to do (`hint`). `retryable` tells the flow whether
trying the same thing again can help; `exit_code` is what the command line ends with.
"""


class SparringError(Exception):
    """Base of all our exceptions: a message, a `hint` that says what to do, and whether a retry can help."""

    retryable = False
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  -> {self.hint}" if self.hint else self.message


class UsageError(SparringError):
    """The user asked for something that cannot be: unknown names, contradicting options, unreadable input."""

    exit_code = 2


class PolicyError(SparringError):
    """A sampling engine cannot be used: no weights, nobody answers, a refused request."""


class EngineUnavailable(PolicyError):
    """The engine may answer later: timeouts, 429, 5xx, an open circuit breaker."""

    retryable = True


class StoreError(SparringError):
    """A chunk, a version or a folder cannot be read or written as it must be."""


class Shortfall(SparringError):
    """The run did what it could and has less than was asked for; what there is was kept, at `path` if published."""

    def __init__(self, message: str, *, hint: str = "", path: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path
