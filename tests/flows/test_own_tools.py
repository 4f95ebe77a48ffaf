"""A run's own tools: read when it starts, kept in its work folder, and part of what the run is."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from data.errors import StoreError, UsageError
from flows import settings
from flows.own_tools import KEPT, gathered, kept_catalogue
from flows.settings import RunConfig
from generator.mcp_tools import ServerFault
from tests.flows.flows_support import sparring

REAL = Path(__file__).parents[3] / "shared" / "real" / "openapi"
ONE: dict[str, Any] = {"name": "one", "inputSchema": {"type": "object", "properties": {}}}
SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "s", "version": "1"}}
    elif asked["method"] == "tools/list":
        result = {"tools": json.load(open("listed.json"))}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def build(values: dict[str, Any]) -> RunConfig:
    return settings.build(RunConfig, values, "run")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listing(*tools: dict[str, Any]) -> None:
    """An MCP server that lists these, as `server.py` in the working folder."""
    pytest.importorskip("mcp")
    Path("server.py").write_text(SERVER)
    Path("listed.json").write_text(json.dumps(tools))


def asked(**values: Any) -> RunConfig:
    return build({"tools": f"mcp:{sys.executable} server.py"} | values)


def test_of_tools_the_content_is_the_identity_and_not_the_place() -> None:
    Path("a.json").write_text(json.dumps([ONE]))
    Path("b.json").write_text(json.dumps({"tools": [ONE]}))
    pasted = json.dumps([ONE], indent=2)
    one, other, same = (gathered(build({"tools": source})) for source in ("a.json", "b.json", pasted))
    assert one.identity == other.identity == same.identity
    Path("b.json").write_text(json.dumps([{**ONE, "description": "Other."}]))
    assert gathered(build({"tools": "b.json"})).work_folder != one.work_folder


def test_a_fault_in_pasted_tools_does_not_repeat_them() -> None:
    with pytest.raises(UsageError, match="the pasted tools is not strict JSON") as fault:
        gathered(build({"tools": '[{"name": "one", "secret": '}))
    assert "secret" not in fault.value.message


def test_a_server_that_lists_other_tools_is_another_run() -> None:
    listing(ONE)
    first = gathered(asked())
    assert gathered(asked()).work_folder == first.work_folder
    listing({**ONE, "name": "two"})
    assert gathered(asked()).identity != first.identity


def test_the_tools_that_were_kept_are_a_tools_file_of_the_same_run() -> None:
    listing(ONE)
    first = gathered(asked())
    again = gathered(build({"tools": str(first.work_folder / KEPT)}))
    assert again.work_folder == first.work_folder


def test_what_was_left_out_is_kept_with_the_tools() -> None:
    document = {"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a"}}}, "webhooks": {"b": {}}}
    Path("a.json").write_text(json.dumps(document))
    config = gathered(build({"tools": "a.json"}))
    catalogue = kept_catalogue(config.work_folder, config)
    assert [entry.name for entry in catalogue.entries] == ["a"]
    assert [one.name for one in catalogue.refused] == ["b"]


def test_a_run_with_its_own_folder_resumes_when_the_server_is_gone() -> None:
    listing(ONE)
    first = gathered(asked(workdir="work"))
    Path("server.py").unlink()
    assert gathered(asked(workdir="work")) == first
    with pytest.raises(ServerFault):
        gathered(asked(workdir="elsewhere"))


def test_tools_are_read_once_for_a_run() -> None:
    listing(ONE)
    config = gathered(asked())
    Path("server.py").unlink()
    assert gathered(config) == config


@pytest.mark.parametrize("content", ["", "[]", "{}", json.dumps({"tools": [{**ONE, "name": "two"}]})])
def test_kept_tools_that_are_not_those_of_the_run_are_refused(content: str) -> None:
    Path("a.json").write_text(json.dumps([ONE]))
    config = gathered(build({"tools": "a.json"}))
    (config.work_folder / KEPT).write_text(content)
    with pytest.raises((StoreError, UsageError), match=KEPT):
        kept_catalogue(config.work_folder, config)


def test_the_digest_of_the_tools_is_not_asked_of_anybody() -> None:
    assert "tools_digest" not in RunConfig.model_json_schema()["properties"]


@pytest.mark.parametrize("url", ["https://host/openapi.yaml", "http://127.0.0.1:9/tools.json", "s3://bucket/x"])
def test_a_document_is_not_fetched(url: str) -> None:
    with pytest.raises(UsageError, match=r"--tools '.*' is a URL, and documents are not fetched.*mcp:URL"):
        build({"tools": url})


@pytest.mark.parametrize("source", ["mcp:", "mcp:https://me:secret@host/mcp", "mcp:'unclosed"])
def test_a_server_that_cannot_be_meant_is_refused_when_it_is_asked_for(source: str) -> None:
    with pytest.raises(UsageError, match="--tools"):
        build({"tools": source})


@pytest.mark.flow
@pytest.mark.skipif(not REAL.exists(), reason="the real inputs are not beside the checkout")
def test_a_run_over_a_real_document_publishes_tasks_over_its_operations(server: dict[str, str], here: Path) -> None:
    shutil.copy(REAL / "museum.yaml", here)
    size = ("--tasks", "8", "--store", "store", "--json")
    done = sparring(server, here, "run", "--engine", "scripted", "--tools", "museum.yaml", *size)
    assert done.code == 0, done.err
    assert "left out of the tools: publishNewEvent: openapi/webhook" in done.err
    assert done.manifest["rows"] == 8
    assert len(done.manifest["config"]["tools"]) == 64
