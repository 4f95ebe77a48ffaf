"""The tools that an MCP server lists, asked once with the official SDK (the extra `mcp`).

In: `mcp:` and the URL of a server (Streamable HTTP), or `mcp:` and a command that is one on its standard streams. Out:
a `ToolList` of what its `tools/list` says, all pages. The server is asked nothing but `initialize` and `tools/list`:
no tool is ever called. A command is started without a shell, with this process's environment (there its secrets stand,
as `SPARRING_MCP_TOKEN` does, which goes to a URL as its bearer token), and its process ends before this returns.
`ServerFault` says that the server is not there, hangs or answers wrongly, with the last it said.
Not promised: being called where an event loop is running; a list with one tool that MCP does not allow (the SDK checks
strictly) is refused as a whole.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import tempfile
from contextlib import AsyncExitStack
from typing import Any, Final, TextIO
from urllib.parse import urlsplit

from pydantic import ValidationError

from data.errors import SparringError, UsageError
from data.records import Json
from generator.tool_list import ToolList
from generator.tools_file import tools_in

PREFIX: Final = "mcp:"
DEADLINE: Final = 30.0
"""Seconds for start, handshake and list together; ending the process may take some more."""
TOKEN: Final = "SPARRING_MCP_TOKEN"
MAX_PAGES: Final = 100
_HINT: Final = "as --tools mcp:http://localhost:8000/mcp or --tools 'mcp:command and its arguments'"
_OTHERWISE: Final = "see that the server works, or save its tools/list in a file and give that with --tools"


class ServerFault(SparringError):
    """An MCP server that gives no list of tools."""


def check_source(source: str) -> None:
    """Raises `UsageError` where `source` names no server, or carries a secret."""
    named = source.removeprefix(PREFIX).strip()
    if "://" in named.partition(" ")[0]:
        parts = urlsplit(named)
        if parts.scheme not in ("http", "https") or not parts.hostname or " " in named:
            raise UsageError(f"{named!r} is no http address of an MCP server", hint=_HINT)
        if parts.username or parts.password:
            raise UsageError(
                f"the address of the MCP server at {parts.hostname} holds a user or a password",
                hint=f"secrets are no parameters: set {TOKEN} in the environment, it is sent as the bearer token",
            )
        return
    try:
        words = shlex.split(named)
    except ValueError as fault:
        raise UsageError(f"the command {named!r} cannot be read: {fault}", hint=_HINT) from None
    if not words:
        raise UsageError("--tools mcp: names no server", hint=_HINT)


def list_tools(source: str, deadline: float = DEADLINE) -> ToolList:
    """What the server lists, as it stands. Raises `UsageError` or `ServerFault`."""
    check_source(source)
    try:
        import anyio
        import mcp  # noqa: F401  # a second of imports, for those who ask for it
    except ImportError:
        raise UsageError(
            "reading the tools of an MCP server takes the MCP SDK, which is not installed",
            hint="pip install 'sparring[mcp]', or save the server's tools/list in a file",
        ) from None
    named = source.removeprefix(PREFIX).strip()
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # what goes wrong is said here, once
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        try:
            listed = anyio.run(_within, named, said, deadline)
        except TimeoutError:
            raise ServerFault(
                f"the MCP server {named!r} did not list its tools within {deadline:g} s{_last(said)}", hint=_OTHERWISE
            ) from None
        except Exception as fault:
            raise ServerFault(
                f"the MCP server {named!r} gives no list of tools: {_why(fault)}{_last(said)}", hint=_OTHERWISE
            ) from fault
    return tools_in(json.dumps(listed), f"the tools/list of {named}")


async def _within(named: str, said: TextIO, deadline: float) -> list[dict[str, Json]]:
    from anyio import fail_after

    with fail_after(deadline):
        return await _listed(named, said)


async def _listed(named: str, said: TextIO) -> list[dict[str, Json]]:
    from mcp.client.session import ClientSession
    from mcp.types import PaginatedRequestParams

    async with AsyncExitStack() as stack:
        streams = await stack.enter_async_context(await _transport(stack, named, said))
        session = await stack.enter_async_context(ClientSession(*streams))
        await session.initialize()
        tools: list[dict[str, Json]] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            params = PaginatedRequestParams(cursor=cursor) if cursor else None
            page = await session.list_tools(params=params)
            tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                return tools
        raise ServerFault(f"its list has more than {MAX_PAGES} pages")


async def _transport(stack: AsyncExitStack, named: str, said: TextIO) -> Any:
    """The way to the server: its address, or its process."""
    if "://" in named.partition(" ")[0]:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        token = os.environ.get(TOKEN)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=DEADLINE))
        return streamable_http_client(named, http_client=client)
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command, *arguments = shlex.split(named)
    return stdio_client(StdioServerParameters(command=command, args=arguments, env=dict(os.environ)), errlog=said)


def _why(fault: BaseException) -> str:
    """The first cause in a group, in one line."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    if isinstance(fault, ValidationError):
        first = fault.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return " ".join(str(fault).split())[:300] or type(fault).__name__


def _last(said: TextIO) -> str:
    """The last line that the server wrote on its standard error."""
    said.seek(0, os.SEEK_END)
    said.seek(max(0, said.tell() - 2_000))
    lines = said.read().strip().splitlines()
    return f" (its last words: {lines[-1].strip()[:300]})" if lines else ""
