"""The tools of an MCP server: read with the official SDK, from real servers and from broken ones."""

import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.errors import UsageError
from generator.catalogue import build_catalogue
from generator.mcp_tools import ServerFault, check_source, list_tools

pytest.importorskip("mcp")

REAL = """
import sys
from mcp.server import MCPServer

server = MCPServer("shop")

@server.tool()
def find_order(order_id: str) -> dict[str, str]:
    "Find an order."
    raise SystemExit("called")

@server.tool()
def ship_order(order_id: str, express: bool = False) -> str:
    "Ship an order."
    raise SystemExit("called")

if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
"""

PLAIN = """
import json, os, sys
pages, log = json.loads(sys.argv[1]), open(sys.argv[2], "w")
print(os.getpid(), file=log, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    print(asked["method"], os.environ.get("SHOP_KEY"), file=log, flush=True)
    if asked["method"] == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "plain", "version": "1"}}
    elif asked["method"] == "tools/list":
        at = int((asked.get("params") or {}).get("cursor", 0))
        result = {"tools": pages[at % len(pages)]}
        if at + 1 < len(pages) or len(sys.argv) > 3:
            result["nextCursor"] = str(at + 1)
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": {}}, **more}


def command(*words: str | Path) -> str:
    return "mcp:" + shlex.join([sys.executable, *map(str, words)])


@pytest.fixture
def real(tmp_path: Path) -> Path:
    path = tmp_path / "shop server.py"
    path.write_text(REAL)
    return path


@pytest.fixture
def plain(tmp_path: Path) -> tuple[Path, Path]:
    """A server that writes down what it is asked, and where it does."""
    path = tmp_path / "plain.py"
    path.write_text(PLAIN)
    return path, tmp_path / "log"


def names(listed: Any) -> list[str]:
    return [one["name"] for one in listed.tools]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_tools_of_a_command_are_usable_as_they_are_listed(real: Path) -> None:
    listed = list_tools(command(real))
    catalogue = build_catalogue(listed.tools, "test")
    assert [entry.name for entry in catalogue.entries] == ["find_order", "ship_order"]
    assert catalogue.entries[1].parameters["required"] == ["order_id"]


@pytest.fixture
def served(real: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, real, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def test_the_tools_of_an_address_are_read(served: str) -> None:
    assert names(list_tools(f"mcp:{served}/mcp")) == ["find_order", "ship_order"]


def test_an_address_without_a_server_of_mcp_is_a_fault(served: str) -> None:
    with pytest.raises(ServerFault, match="no list of tools: Not Found"):
        list_tools(f"mcp:{served}/elsewhere")


def test_an_address_where_nobody_listens_is_a_fault() -> None:
    with pytest.raises(ServerFault, match=r"http://127\.0\.0\.1:9/mcp.*no list of tools"):
        list_tools("mcp:http://127.0.0.1:9/mcp")


def test_a_server_is_asked_for_nothing_but_its_list_and_ends(plain: tuple[Path, Path]) -> None:
    script, log = plain
    assert names(list_tools(command(script, json.dumps([[tool("a")], [tool("b")], [tool("c")]]), log))) == [
        "a",
        "b",
        "c",
    ]
    pid, *asked = log.read_text().splitlines()
    said = [line.split()[0] for line in asked]
    assert said == ["initialize", "notifications/initialized", "tools/list", "tools/list", "tools/list"]
    assert not is_running(int(pid))


def test_a_command_has_the_environment_of_its_caller(plain: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    script, log = plain
    monkeypatch.setenv("SHOP_KEY", "k7")
    list_tools(command(script, json.dumps([[tool("a")]]), log))
    assert "initialize k7" in log.read_text()


def test_a_server_that_hangs_is_left_at_the_deadline_and_ends(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    with pytest.raises(ServerFault, match=r"did not list its tools within 1\.5 s"):
        list_tools(command("-c", script), deadline=1.5)
    assert not is_running(int(pid.read_text()))


def test_a_list_without_an_end_is_a_fault(plain: tuple[Path, Path]) -> None:
    script, log = plain
    with pytest.raises(ServerFault, match="more than 100 pages"):
        list_tools(command(script, json.dumps([[tool("a")]]), log, "endless"))


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("raise SystemExit('no licence found')", "its last words: no licence found"),
        ("print('hello')", "Connection closed"),
        ("import sys; sys.exit(3)", "Connection closed"),
    ],
)
def test_a_server_that_ends_too_early_is_a_fault_with_its_last_words(script: str, words: str) -> None:
    with pytest.raises(ServerFault, match=words):
        list_tools(command("-c", script))


def test_a_command_that_is_not_there_is_a_fault() -> None:
    with pytest.raises(ServerFault, match="no-such-server"):
        list_tools("mcp:no-such-server --stdio")


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ([[]], "is empty"),
        ([[{"name": "bad"}]], "inputSchema"),
        ([[tool("a"), 7]], "tools.1"),
    ],
)
def test_a_list_that_is_none_says_why(plain: tuple[Path, Path], pages: Any, words: str) -> None:
    script, log = plain
    with pytest.raises((ServerFault, UsageError), match=words) as caught:
        list_tools(command(script, json.dumps(pages), log))
    assert caught.value.hint


def test_bad_tools_are_named_and_the_others_are_used(plain: tuple[Path, Path]) -> None:
    script, log = plain
    far = {"type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:9/x"}}}
    listed = list_tools(command(script, json.dumps([[tool("a"), tool("far", inputSchema=far)]]), log))
    catalogue = build_catalogue(listed.tools, "test")
    assert [entry.name for entry in catalogue.entries] == ["a"]
    assert [(one.name, one.verdict.code) for one in catalogue.refused] == [("far", "external_ref")]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("mcp:", "names no server"),
        ("mcp:  ", "names no server"),
        ("mcp:python 'x", "cannot be read"),
        ("mcp:ftp://host/x", "no http address"),
        ("mcp:http://", "no http address"),
        ("mcp:http://host/x y", "no http address"),
        ("mcp:https://me:secret@host/x", "user or a password"),
    ],
)
def test_a_source_that_names_no_server_is_refused(source: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        check_source(source)
    assert "secret@" not in str(caught.value)


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(UsageError, match=r"sparring\[mcp\]"):
        list_tools("mcp:anything")
