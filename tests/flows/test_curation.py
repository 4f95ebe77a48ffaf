"""Curation as a person meets it: held-out files, quotas, splits, earlier versions, another rule on candidates."""

import json
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest

from tests.flows.flows_support import Done, sparring

pytestmark = pytest.mark.flow
RUN = ("run", "--engine", "scripted", "--json", "--store", "store", "--tasks", "30", "--budget", "500")


def published(done: Done) -> Path:
    assert done.code == 0, done.err
    return Path(json.loads(done.out)["published"])


@pytest.fixture(scope="module")
def first(server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with a published version: both paths."""
    folder = tmp_path_factory.mktemp("curation")
    return folder, published(sparring(server, folder, *RUN, "--seed", "1"))


def questions(path: Path) -> list[str]:
    texts: list[Any] = pq.read_table(path / "data")["messages_json"].to_pylist()
    return ["\n".join(one["content"] for one in json.loads(text) if one["role"] == "user") for text in texts]


def fates(path: Path) -> dict[str, int]:
    manifest = json.loads((path / "manifest.json").read_bytes())
    return {row["code"]: row["count"] for row in manifest["ledger"] if row["stage"] == "select"}


def test_another_run_repeats_no_question_of_an_earlier_version(
    server: dict[str, str], first: tuple[Path, Path]
) -> None:
    folder, earlier = first
    later = published(sparring(server, folder, *RUN, "--seed", "1", "--temperature", "0.8"))
    assert not set(questions(earlier)) & set(questions(later))
    assert fates(later)["published_before"] > 0
    rows = pq.read_table(later / "candidates.parquet", filters=[("code", "=", "published_before")]).to_pylist()
    assert all(earlier.name in row["detail"] for row in rows)


def test_the_same_run_in_another_work_folder_finds_its_version(
    server: dict[str, str], first: tuple[Path, Path]
) -> None:
    folder, earlier = first
    assert published(sparring(server, folder, *RUN, "--seed", "1", "--workdir", "other")) == earlier


def test_questions_of_a_held_out_file_stay_out_and_the_manifest_says_so(
    server: dict[str, str], first: tuple[Path, Path], tmp_path: Path
) -> None:
    bench = tmp_path / "bench.jsonl"
    asked = questions(first[1])
    bench.write_text("".join(json.dumps({"question": text, "tools": []}) + "\n" for text in asked), encoding="utf-8")
    path = published(sparring(server, tmp_path, *RUN, "--seed", "1", "--held-out", str(bench)))
    assert not set(asked) & set(questions(path))
    (report,) = json.loads((path / "manifest.json").read_bytes())["contamination"]["held_out"]
    assert (report["name"], report["questions"]) == ("bench.jsonl", 30)
    assert report["exact"] >= 30
    assert report["exact"] + report["near"] == fates(path)["contaminated"]
    assert str(tmp_path) not in (path / "manifest.json").read_text(encoding="utf-8")


def test_a_held_out_file_that_is_not_there_ends_the_run_before_it_samples(
    server: dict[str, str], tmp_path: Path
) -> None:
    done = sparring(server, tmp_path, *RUN, "--held-out", "none.jsonl")
    assert done.code == 2
    assert "none.jsonl" in done.err
    assert not list(tmp_path.glob(".sparring/runs/*/chunks"))


def test_a_set_has_its_quotas_and_a_split_of_unseen_tools(server: dict[str, str], tmp_path: Path) -> None:
    arguments = ("--quota", "music=0.2,books=0", "--eval-share", "0.2", "--mix", "frontier=0.7,hard=0.3")
    done = sparring(server, tmp_path, *RUN, *arguments)
    path = published(done)
    loaded: Any = datasets.load_dataset(str(path), cache_dir=str(tmp_path / "cache"))
    tools = {
        name: {call["name"] for text in split["calls_json"] for call in json.loads(text)}
        for name, split in loaded.items()
    }
    assert {name: len(split) for name, split in loaded.items()} == {"train": 24, "eval": 6}
    assert not tools["train"] & tools["eval"]
    domains = [domain for split in loaded.values() for domain in split["domain"]]
    assert "books" not in domains
    assert set(pq.read_table(path / "data")["band"].to_pylist()) <= {"frontier", "hard"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--quota", "wether=0.2"), "'wether' is no domain"),
        (("--quota", "weather=0.7,travel=0.7"), "quotas"),
        (("--eval-share", "0.9"), "--eval-share"),
    ],
)
def test_a_share_that_cannot_be_is_refused(
    server: dict[str, str], tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = sparring(server, tmp_path, *RUN, *arguments)
    assert done.code == 2
    assert said in done.err


def select(server: dict[str, str], first: tuple[Path, Path], rule: str, *arguments: str) -> Done:
    folder, version = first
    (folder / "rule.yaml").write_text(rule, encoding="utf-8")
    command = ("sets", "select", "--from", str(version), "--rule", "rule.yaml", "--store", "store")
    return sparring(server, folder, *command, *arguments)


def test_a_version_s_own_rule_on_its_candidates_changes_nothing(
    server: dict[str, str], first: tuple[Path, Path]
) -> None:
    found = json.loads(select(server, first, "{}", "--json").out)
    assert (len(found["kept"]), found["in"], found["out"]) == (30, [], [])


def test_another_rule_says_what_comes_in_and_goes_out_and_publishes_nothing(
    server: dict[str, str], first: tuple[Path, Path]
) -> None:
    before = sorted(first[0].glob("store/*/versions/*"))
    found = json.loads(select(server, first, "mix: {hard: 1}\nn: 10", "--json").out)
    assert len(found["kept"]) + len(found["in"]) == 10
    assert len(found["kept"]) + len(found["out"]) == 30
    assert {one["code"] for one in found["out"]} <= {"band_excluded", "surplus"}
    assert found["published"] is None
    assert sorted(first[0].glob("store/*/versions/*")) == before
    assert "go out" in select(server, first, "mix: {hard: 1}\nn: 10").out


def test_a_published_selection_is_a_version_with_its_parent_that_verifies(
    server: dict[str, str], first: tuple[Path, Path]
) -> None:
    folder, version = first
    done = select(server, first, "n: 20\neval_share: 0.2\nmax_dead_share: 0.2", "--json", "--publish")
    path = Path(folder / json.loads(done.out)["published"])
    manifest = json.loads((path / "manifest.json").read_bytes())
    assert manifest["parents"][0] == version.name
    assert manifest["rows"] == 20
    report = (path / "report.md").read_text(encoding="utf-8")
    for words in (f"# {manifest['name']} {path.name}", "20 of 20 tasks published", "## Is it healthy?", "## Players",
                  f"## Against `{manifest['name']}@{version.name}`", "### What comes in and goes out"):  # fmt: skip
        assert words in report
    rows = pq.read_table(path / "data").to_pylist()
    assert sum(1 - row["signal_g8"] for row in rows) / len(rows) <= 0.2
    assert sparring(server, folder, "sets", "verify", str(path)).code == 0
    again = json.loads(select(server, (folder, path), "{}", "--json").out)
    assert (len(again["kept"]), again["in"], again["out"]) == (20, [], [])


def test_a_row_that_comes_in_is_the_row_that_a_run_would_have_published(
    server: dict[str, str], first: tuple[Path, Path]
) -> None:
    folder, version = first
    smaller = Path(folder / json.loads(select(server, first, "n: 10", "--json", "--publish").out)["published"])
    whole = Path(
        folder / json.loads(select(server, (folder, smaller), "n: 30", "--json", "--publish").out)["published"]
    )
    assert pq.read_table(whole / "data").equals(pq.read_table(version / "data"))


def test_a_selection_that_falls_short_is_published_and_ends_with_1(
    server: dict[str, str], first: tuple[Path, Path]
) -> None:
    done = select(server, first, "n: 400\nmix: {hard: 1}", "--json", "--publish")
    assert done.code == 1
    assert "of 400 tasks" in done.err
    rows = json.loads((first[0] / json.loads(done.out)["published"] / "manifest.json").read_bytes())["rows"]
    assert 0 < rows < 400


def test_a_selection_of_nothing_publishes_nothing(server: dict[str, str], first: tuple[Path, Path]) -> None:
    done = select(server, first, "domains: [nowhere]", "--json", "--publish")
    assert done.code == 1
    assert "nothing was published" in done.err
    assert json.loads(done.out)["published"] is None
