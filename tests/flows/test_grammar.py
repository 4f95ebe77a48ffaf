"""`--no-grammar`: the generator's own words are asked for, and never taken for those under a grammar."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from flows import context, steps
from flows.preflight import players
from flows.settings import RunConfig
from policies.protocol import Completion, Prompt


class Asked(Exception):
    """The prompts have been seen."""


@pytest.mark.parametrize("grammar", [True, False])
def test_a_schema_goes_along_with_plain_prompts_unless_the_grammar_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grammar: bool
) -> None:
    asked: list[Prompt] = []

    def proposals(_run: object, prompts: Sequence[Prompt], _name: str) -> list[Completion]:
        asked.extend(prompts)
        raise Asked

    monkeypatch.setattr(steps, "_proposals", proposals)
    with pytest.raises(Asked):
        _in_run(tmp_path, grammar, lambda root: steps.propose(root, 0, 8))
    assert len(asked) == 8
    assert {prompt.schema is not None for prompt in asked if prompt.text} == {grammar}


def test_what_a_grammar_held_is_another_chunk_than_what_none_held(tmp_path: Path) -> None:
    held, free = (
        _in_run(tmp_path / str(grammar), grammar, lambda root: steps.key(root, "propose", (), first=0, last=8))
        for grammar in (True, False)
    )
    assert held != free


def _in_run(root: Path, grammar: bool, work: Callable[[str], str]) -> str:
    config = RunConfig.model_validate({"engine": "scripted", "grammar": grammar, "style": "plain"})
    root.mkdir(parents=True, exist_ok=True)
    context.save(str(root), config, *players(config))
    try:
        return work(str(root))
    finally:
        context.forget(str(root))
