"""The command `sparring`: one function for each verb, each in its own module, so that `verify` never imports Prefect.

Exit codes (CONTRACT): 0 done, 1 the job failed or fell short, 2 wrong usage. Faults of ours are one message with
what to do, never a traceback.
"""

from __future__ import annotations

import sys

import typer

from data.errors import SparringError
from flows import run_command, sets_commands, verify_commands

app = typer.Typer(
    name="sparring",
    help="Grow task curricula for tool-calling agents: propose, verify, solve, publish.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for commands in (run_command, verify_commands, sets_commands):
    commands.register(app)


def main() -> None:
    """Entry point of the console script."""
    try:
        app()
    except SparringError as fault:
        print(f"sparring: {fault}", file=sys.stderr)
        sys.exit(fault.exit_code)


if __name__ == "__main__":
    main()
