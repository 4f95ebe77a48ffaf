"""`sparring run` with its store in a bucket: published there, found there, refused there before the first sample."""

import json
from pathlib import Path

import pytest

from tests.flows.flows_support import sparring
from tests.s3_support import KEYS, make_bucket

pytestmark = pytest.mark.flow
RUN = ("run", "--engine", "scripted", "--tasks", "5", "--budget", "300", "--seed", "2", "--json", "--workdir", "work")


@pytest.fixture
def reached(server: dict[str, str], endpoint: str) -> dict[str, str]:
    """The environment in which commands find both servers."""
    return server | {"AWS_ENDPOINT_URL": endpoint, **KEYS}


def test_a_run_publishes_into_a_bucket_and_its_version_is_found_there(
    reached: dict[str, str], endpoint: str, tmp_path: Path
) -> None:
    store = f"{make_bucket(endpoint)}/team/sets"
    done = sparring(reached, tmp_path, *RUN, "--store", store)
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert said["published"] == f"{store}/curriculum/versions/{said['version']}"
    shown = sparring(reached, tmp_path, "sets", "show", said["published"], "--json")
    assert json.loads(shown.out)["digest"] == said["digest"]
    assert sparring(reached, tmp_path, "sets", "verify", "--store", store).code == 0
    exported = sparring(reached, tmp_path, "sets", "export", said["published"], "--to", "trl")
    assert exported.code == 0, exported.err
    assert f"{said['published']}/exports/trl" in exported.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["work"]


@pytest.mark.parametrize(
    ("store", "missing", "code", "words"),
    [
        ("s3://no-such-bucket/x", (), 1, "make the bucket"),
        ("s3://no-such-bucket/x", ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), 1, "AWS_ACCESS_KEY_ID"),
        ("ftp://host/x", (), 2, "s3://bucket/prefix"),
    ],
)
def test_a_store_that_cannot_be_used_is_said_before_the_first_sample(
    reached: dict[str, str], tmp_path: Path, store: str, missing: tuple[str, ...], code: int, words: str
) -> None:
    environment = {name: value for name, value in reached.items() if name not in missing}
    done = sparring(environment | {"AWS_METADATA_ENDPOINT": "http://127.0.0.1:9"}, tmp_path, *RUN, "--store", store)
    assert done.code == code, done.err
    assert words in done.err
    assert "Traceback" not in done.err
    assert not list((tmp_path / "work").glob("chunks/**/*.parquet"))
