"""The main job on the real embedded model, small: a real generator, a real solver, a published version."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.flows.flows_support import sparring

pytestmark = [pytest.mark.model, pytest.mark.flow]


def test_two_real_tasks_are_grown_measured_and_published(server: dict[str, str], tmp_path: Path) -> None:
    done = sparring(server, tmp_path, "run", "--tasks", "2", "--budget", "48", "--store", "store", "--json")
    assert done.code == 0, done.err
    path = Path(json.loads(done.out)["published"])
    manifest = done.manifest
    assert manifest["engine"] == "embedded"
    assert manifest["players"]["equal"] is True
    assert manifest["players"]["generator"]["digest"] == manifest["players"]["solver"]["digest"]
    tasks = pq.read_table(path / "data")
    assert tasks.num_rows == 2
    assert set(tasks["attempts"].to_pylist()) == {8}
    attempts = pq.read_table(path / "attempts.parquet")
    assert len(set(attempts["completion"].to_pylist())) > 2
    assert json.loads((path.parent.parent / "refs" / "latest.json").read_bytes())
