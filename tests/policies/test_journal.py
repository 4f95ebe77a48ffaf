"""The journal: what finished is never asked for again, whatever killed the run."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from data.errors import EngineUnavailable, StoreError
from policies.engine import Engine, Keep, failed
from policies.journal import JournalledPolicy
from policies.protocol import Completion, Prompt, SamplingParams, completion_seed

PARAMS = SamplingParams(seed=2)
PROMPTS = [Prompt("a", text="A"), Prompt("b", text="B")]


class Counting(Engine):
    """Answers at once, counts what it is asked, and can break down after so many samples."""

    def __init__(self, digest: str = "d", breaks_after: int = 10**9, fails: Sequence[int] = ()) -> None:
        self._digest, self._left, self._fails = digest, breaks_after, fails
        self.asked: list[tuple[str, int]] = []

    @property
    def name(self) -> str:
        return "counting"

    @property
    def digest(self) -> str:
        return self._digest

    async def draw(self, prompt: Prompt, indices: Sequence[int], params: SamplingParams, keep: Keep) -> None:
        for index in indices:
            if self._left == 0:
                raise EngineUnavailable("gone")
            self._left -= 1
            self.asked.append((prompt.key, index))
            seed = completion_seed(params, prompt, index)
            bad = index in self._fails
            keep(
                failed(index, seed, "x")
                if bad
                else Completion(f"{prompt.key}{index}\ud800\0é", index, seed, 1, 2, "stop")
            )
            await asyncio.sleep(0)


async def test_what_the_journal_has_is_not_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "j.jsonl"
    first = await JournalledPolicy(Counting(), path).sample(PROMPTS, 3, PARAMS)
    again = Counting()
    assert await JournalledPolicy(again, path).sample(PROMPTS, 3, PARAMS) == first
    assert again.asked == []


async def test_only_what_is_missing_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with pytest.raises(EngineUnavailable):
        await JournalledPolicy(Counting(breaks_after=5), path).sample(PROMPTS, 4, PARAMS)
    again = Counting()
    done = await JournalledPolicy(again, path).sample(PROMPTS, 4, PARAMS)
    assert len(again.asked) == 3
    assert done == await Counting().sample(PROMPTS, 4, PARAMS)


async def test_within_one_run_the_journal_answers_too(tmp_path: Path) -> None:
    inner = Counting()
    policy = JournalledPolicy(inner, tmp_path / "j.jsonl")
    assert await policy.sample(PROMPTS, 2, PARAMS) == await policy.sample(PROMPTS, 2, PARAMS)
    assert len(inner.asked) == 4


@pytest.mark.parametrize("cut", range(1, 40, 3))
async def test_a_torn_last_line_is_dropped_and_asked_for_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "j.jsonl"
    first = await JournalledPolicy(Counting(), path).sample(PROMPTS, 2, PARAMS)
    os.truncate(path, path.stat().st_size - cut)
    again = Counting()
    assert await JournalledPolicy(again, path).sample(PROMPTS, 2, PARAMS) == first
    assert len(again.asked) == 1
    assert all(json.loads(line) for line in path.read_bytes().splitlines())


@pytest.mark.parametrize(
    ("digest", "prompt", "params"),
    [
        ("other", PROMPTS[0], PARAMS),
        ("d", Prompt("a", text="A!"), PARAMS),
        ("d", Prompt("z", text="A"), PARAMS),
        ("d", Prompt("a", text="A", stop=("\n",)), PARAMS),
        ("d", Prompt("a", text="A", schema={"type": "object"}), PARAMS),
        ("d", PROMPTS[0], SamplingParams(seed=3)),
        ("d", PROMPTS[0], SamplingParams(seed=2, temperature=0.1)),
    ],
)
async def test_an_entry_counts_for_nothing_else(
    tmp_path: Path, digest: str, prompt: Prompt, params: SamplingParams
) -> None:
    path = tmp_path / "j.jsonl"
    await JournalledPolicy(Counting(), path).sample(PROMPTS, 1, PARAMS)
    other = Counting(digest)
    await JournalledPolicy(other, path).sample([prompt], 1, params)
    assert len(other.asked) == 1


async def test_failed_samples_are_tried_again_by_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    [done] = await JournalledPolicy(Counting(fails=[1]), path).sample(PROMPTS[:1], 3, PARAMS)
    assert [one.finish_reason for one in done] == ["stop", "error", "stop"]
    again = Counting()
    await JournalledPolicy(again, path).sample(PROMPTS[:1], 3, PARAMS)
    assert again.asked == [("a", 1)]


async def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    await JournalledPolicy(Counting(), path).sample(PROMPTS, 1, PARAMS)
    path.write_bytes(b'{"odd": 1}\n' + path.read_bytes())
    with pytest.raises(StoreError, match="line 1 of the journal"):
        JournalledPolicy(Counting(), path)


async def test_a_journal_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    policy = JournalledPolicy(Counting(), path)
    path.mkdir()
    with pytest.raises(StoreError, match="cannot be used"):
        await policy.sample(PROMPTS, 1, PARAMS)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        JournalledPolicy(Counting(), tmp_path / "file" / "j.jsonl")


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Writes beyond `size` bytes come out short, as on a full disk."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


async def test_a_disk_that_fills_up_leaves_a_journal_of_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    policy = JournalledPolicy(Counting(), path)
    await policy.sample(PROMPTS, 2, PARAMS)
    size = path.stat().st_size
    with files_of_at_most(size + 9), pytest.raises(StoreError, match="No space left"):
        await policy.sample(PROMPTS, 3, PARAMS)
    assert path.stat().st_size == size
    again = Counting()
    assert len((await JournalledPolicy(again, path).sample(PROMPTS, 3, PARAMS))[1]) == 3
    assert sorted(again.asked) == [("a", 2), ("b", 2)]


KILLED = """
import asyncio, sys
from pathlib import Path
from policies.journal import JournalledPolicy
from policies.protocol import Prompt, SamplingParams
from policies.scripted import ScriptedPolicy

class Slow(ScriptedPolicy):
    async def draw(self, prompt, indices, params, keep):
        for index in indices:
            await super().draw(prompt, [index], params, keep)
            print(prompt.key, index, flush=True)
            await asyncio.sleep(0.01)

prompts = [Prompt(f"p{i}", text="t", oracle="o") for i in range(4)]
asyncio.run(JournalledPolicy(Slow("solver"), Path(sys.argv[1])).sample(prompts, 50, SamplingParams()))
"""


def test_kill_9_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    command = [sys.executable, "-c", KILLED, str(path)]
    root = Path(__file__).parent.parent.parent
    told: list[str] = []
    for killed_after in (30, 60):
        run = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)
        assert run.stdout is not None
        told += [run.stdout.readline() for _ in range(killed_after)]
        run.send_signal(signal.SIGKILL)
        told += run.stdout.readlines()
        run.wait()
    told += subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines(True)
    assert len(told) == len(set(told))
    assert len(path.read_bytes().splitlines()) == 200
