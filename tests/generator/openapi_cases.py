"""Documents for the tests of OpenAPI, made small."""

from typing import Any

from data.records import Json, JsonObject
from generator.catalogue import Catalogue, build_catalogue
from generator.openapi import read_openapi
from generator.tool_list import ToolList


def document(paths: JsonObject, version: str = "3.0.3", **more: Json) -> dict[str, Json]:
    """A document with these paths."""
    kind = "swagger" if version.startswith("2") else "openapi"
    return {kind: version, "info": {"title": "T", "version": "1"}, "paths": paths, **more}


def taking(schema: Json, **more: Json) -> ToolList:
    """The tools of a document whose one operation `op` takes the query parameter `q` of this schema."""
    parameter: JsonObject = {"name": "q", "in": "query", "schema": schema}
    return read_openapi(document({"/op": {"get": {"operationId": "op", "parameters": [parameter]}}}, **more), "test")  # type: ignore[arg-type]


def sending(schema: Json, required: bool = True, kind: str = "application/json", **more: Json) -> ToolList:
    """The tools of a document whose one operation `op` takes a body of this schema."""
    body: JsonObject = {"required": required, "content": {kind: {"schema": schema}}}
    return read_openapi(document({"/op": {"post": {"operationId": "op", "requestBody": body}}}, **more), "test")  # type: ignore[arg-type]


def parameters(listed: ToolList, name: str = "op") -> dict[str, Any]:
    """The input schema of a tool."""
    (tool,) = [one for one in listed.tools if one["name"] == name]  # type: ignore[index, call-overload]
    schema: dict[str, Any] = tool["inputSchema"]  # type: ignore[index, call-overload, assignment]
    return schema


def usable(listed: ToolList) -> Catalogue:
    """The catalogue of the tools."""
    return build_catalogue(listed.tools, "test", listed.left_out)


def left_out(listed: ToolList) -> dict[str, str]:
    """What was left out, with the codes."""
    return {one.name: one.verdict.code for one in listed.left_out}
