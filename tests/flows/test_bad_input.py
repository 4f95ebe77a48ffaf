"""Bad input to `sparring run`: a clear message with what to do, the right exit code, and nothing lost."""

import json
from pathlib import Path

import pytest

from tests.flows.flows_support import sparring

pytestmark = pytest.mark.flow
TOOL = {
    "name": "get_tide",
    "description": "Tide times of a port.",
    "parameters": {
        "port": {"type": "string", "required": True, "examples": ["Oban", "Lerwick", "Hull", "Ullapool", "Wick"]}
    },
}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--domain", "wether"), 2, "wether"),
        (("--engine", "magic"), 2, "magic"),
        (("--engine", "vllm"), 1, "make engine"),
        (("--tools", "nowhere.json"), 2, "nowhere.json"),
        (("--tools", "twice.json"), 2, "get_tide"),
        (("--tools", "broken.json"), 2, "broken.json"),
        (("--tasks", "50", "--budget", "10"), 2, "--budget 10"),
        (("--engine", "http://127.0.0.1:9/v1#m"), 1, "127.0.0.1:9"),
        (("--store", "file/store"), 1, "store"),
        (("--workdir", "file/work"), 1, "work"),
        (("--mix", "easy=2"), 2, "--mix"),
        (("--nonsense",), 2, "nonsense"),
    ],
)
def test_a_fault_is_named_with_what_to_do(
    server: dict[str, str], tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "twice.json").write_text(json.dumps([TOOL, TOOL]))
    (tmp_path / "broken.json").write_text("[{]")
    base = ("--engine", "scripted", "--tasks", "2", "--store", "store")
    here = server | {"SPARRING_ENGINE_ENV": str(tmp_path / "none")}
    done = sparring(here, tmp_path, "run", *base, *arguments)
    assert done.code == code, done.err
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_tool_that_cannot_be_used_is_named_and_the_others_are(server: dict[str, str], tmp_path: Path) -> None:
    bad = {"name": "fetch_map", "description": "A map.", "parameters": {"$ref": "http://127.0.0.1:9/schema"}}
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [TOOL, bad]}))
    engines = ("--engine", "scripted", "--generator", "scripted:ability=1")
    size = ("--tasks", "1", "--budget", "30", "--store", "store")
    done = sparring(server, tmp_path, "run", *engines, *size, "--tools", "tools.json", "--json")
    assert done.code == 0, done.err
    assert "fetch_map" in done.err
    assert "external_ref" in done.err


def test_a_name_from_a_file_does_not_steer_the_terminal(server: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(
        json.dumps([{"name": "\x1b[2J\u202eevil", "parameters": {"x": {"type": "spline"}}}])
    )
    done = sparring(server, tmp_path, "run", "--engine", "scripted", "--tools", "tools.json")
    assert done.code == 2
    assert "evil" in done.err
    assert not {"\x1b", "\u202e"} & set(done.err)


def test_an_operation_that_is_left_out_does_not_steer_the_terminal(server: dict[str, str], tmp_path: Path) -> None:
    paths = {"/a": {"get": {"operationId": "a"}}}
    document = {"openapi": "3.1.0", "paths": paths, "webhooks": {"\x1b[2J\nevil\u202e": {}}}
    (tmp_path / "api.json").write_text(json.dumps(document))
    done = sparring(
        server, tmp_path, "run", "--engine", "scripted", "--tools", "api.json", "--tasks", "1", "--budget", "1"
    )
    (line,) = [line for line in done.err.splitlines() if "left out of the tools" in line]
    assert "evil" in line
    assert not {"\x1b", "\u202e"} & set(done.err)
