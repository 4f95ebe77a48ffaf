"""The command `sparring`: each verb in its own module, which is imported when it is called for: `verify` waits for no
Prefect, and `--help` alone imports them all.

Exit codes (CONTRACT): 0 done, 1 the job failed or fell short, 2 wrong usage. Faults of ours are one message with
what to do, never a traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from data.errors import SparringError
from flows.escaping import printable

MODULES = {
    "run": "flows.run_command",
    "evolve": "flows.evolve_command",
    "rescore": "flows.rescore_command",
    "verify": "flows.verify_commands",
    "score": "flows.verify_commands",
    "sets": "flows.sets_commands",
    "evaluate": "flows.evaluate_command",
    "doctor": "flows.doctor_command",
    "policies": "flows.policies_commands",
}
"""Where each verb stands: a module whose `register` adds it to an application."""


class _Commands(Mapping[str, Any]):
    """The verbs by name, each made when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            part = typer.Typer()
            import_module(MODULES[name]).register(part)
            self._made |= typer.main.get_group(part).commands
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


class _Verbs(TyperGroup):
    """The group of all verbs."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _Commands()  # type: ignore[assignment]  # nobody adds to it


app = typer.Typer(
    name="sparring", cls=_Verbs, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


@app.callback()
def sparring() -> None:
    """Grow task curricula for tool-calling agents: propose, verify, solve, publish."""


def main() -> None:
    """Entry point of the console script."""
    try:
        app()
    except SparringError as fault:
        print(printable(f"sparring: {fault}"), file=sys.stderr)
        sys.exit(fault.exit_code)


if __name__ == "__main__":
    main()
