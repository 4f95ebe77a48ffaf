"""A user's own tools, read once when a run starts and kept in its work folder.

In: `RunConfig.tools`: a file (a list, or an OpenAPI or Swagger document), its JSON, or `mcp:` and a server. Out: the
configuration with the digest of what was read, which is part of the run's identity: other content is another run,
wherever it lay. The list stands in `tools.json` of the work folder, where every step of the run finds it, also on
another machine; it is a tools file itself. A run with a `--workdir` of its own resumes from it when the MCP server is
gone.
Not promised: that a server which lists its tools in another order is seen as the same.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from loguru import logger

from data.errors import StoreError
from data.records import Json, Verdict
from data.storage import Storage, open_storage
from flows.progress import note
from flows.settings import RunConfig, is_pasted
from generator.catalogue import Catalogue, build_catalogue
from generator.mcp_tools import PREFIX, ServerFault, list_tools
from generator.tool_list import Refused, ToolList
from generator.tools_file import read_tools, tools_in

KEPT = "tools.json"
Config = TypeVar("Config", bound=RunConfig)


def gathered(config: Config) -> Config:
    """The configuration with its tools read and kept. Raises `UsageError` or `ServerFault`, else as `read_tools`."""
    if not config.tools or config.tools_digest:
        return config
    read = _read(config)
    catalogue = build_catalogue(read.tools, _named(config), read.left_out)
    found = config.model_copy(update={"tools_digest": catalogue.digest})
    left_out = [{"name": one.name, "verdict": asdict(one.verdict)} for one in read.left_out]
    kept = json.dumps({"tools": list(read.tools), "left_out": left_out}, indent=1).encode()
    open_storage(found.work_location).write_new(KEPT, kept)
    return found


def kept_catalogue(root: str | Path, config: RunConfig) -> Catalogue:
    """The catalogue of the tools kept in a work folder. Raises `StoreError` where it is not what the run began with."""
    read = _kept(open_storage(root))
    catalogue = build_catalogue(read.tools, _named(config), read.left_out)
    if catalogue.digest != config.tools_digest:
        raise StoreError(
            f"{root}/{KEPT} holds other tools than this run began with", hint="give another --workdir, or remove it"
        )
    return catalogue


def _named(config: RunConfig) -> str:
    """What faults call the source."""
    return "the pasted tools" if is_pasted(config.tools) else config.tools


def _read(config: RunConfig) -> ToolList:
    if is_pasted(config.tools):
        return tools_in(config.tools, _named(config))
    if not config.tools.startswith(PREFIX):
        return read_tools(Path(config.tools))
    kept = open_storage(config.work_location) if config.workdir else None
    try:
        return list_tools(config.tools)
    except ServerFault as fault:
        if kept is None or not kept.has(KEPT):
            raise
        words = f"{fault.message}; going on with the tools kept in {kept.location}/{KEPT}"
    logger.warning("{}", words)
    note(words)
    return _kept(kept)


def _kept(folder: Storage) -> ToolList:
    try:
        value = json.loads(folder.read(KEPT))
        tools: list[Json] = value["tools"]
        left_out = tuple(Refused(one["name"], Verdict(**one["verdict"])) for one in value.get("left_out", ()))
    except (StoreError, ValueError, KeyError, TypeError, AttributeError) as fault:
        raise StoreError(
            f"the tools kept in {folder.location}/{KEPT} cannot be read: {fault}",
            hint="give another --workdir; the run begins anew",
        ) from fault
    return ToolList(tuple(tools), left_out)
