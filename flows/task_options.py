"""Options of the commands that ask for tasks and try them, each written once: `run`, `evolve`, `rescore`, `evaluate`.

In: nothing. Out: types of parameters with their help; names and defaults stand in the commands. What one command alone
takes, or says in other words, stands there; what commands over published sets take, in `flows.store_option`.
"""

from __future__ import annotations

from typing import Annotated

import typer

Seed = Annotated[int, typer.Option(help="the same seed asks for the same")]
Generator = Annotated[str, typer.Option(help="another engine for the generator")]
Solver = Annotated[str, typer.Option(help="another engine for the solver")]
Domain = Annotated[list[str] | None, typer.Option(help="only this domain; may be repeated")]
Harness = Annotated[str, typer.Option(help="how the solver is asked: tags, json, hermes or openai")]
Style = Annotated[str, typer.Option(help="prompts for chat models (chat) or as plain examples (plain)")]
Grammar = Annotated[
    bool, typer.Option("--grammar/--no-grammar", help="hold a small generator's words to format and values")
]
Attempts = Annotated[int, typer.Option(help="attempts for each task")]
MostAttempts = Annotated[int, typer.Option(help="attempts at most while the band is open; 0: as --k")]
Confirm = Annotated[int, typer.Option(help="fresh attempts for each selected task")]
Shares = Annotated[str, typer.Option(help="shares by pass rate, as easy=0.2,frontier=0.6,hard=0.2")]
Temperature = Annotated[float, typer.Option(help="of the solver")]
Runner = Annotated[
    str, typer.Option(help="where steps run: threads, dask or ray; dask:4 (processes), dask:tcp://host:8786")
]
EndJson = Annotated[bool, typer.Option("--json", help="end with one JSON object on standard output")]
