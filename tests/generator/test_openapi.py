"""Operations of OpenAPI 3 and Swagger 2 documents become tools; what cannot is named with the reason."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from data.errors import UsageError
from data.records import Json, JsonObject
from generator.catalogue import load_catalogue
from generator.openapi import read_openapi
from generator.tools_file import tools_in
from generator.values import draw_arguments
from tests.generator.openapi_cases import document, left_out, parameters, sending, usable
from verifiers.menu import Menu, read_menu

REAL = Path(__file__).parents[3] / "shared" / "real" / "openapi"
TEXT: JsonObject = {"type": "string"}
NUMBER: JsonObject = {"type": "integer"}
PET: JsonObject = {"type": "object", "properties": {"id": NUMBER, "name": TEXT}, "required": ["name"]}


def named(operation: Json, path: str = "/op", method: str = "get") -> dict[str, Any]:
    """The only tool of a document with one operation."""
    (tool,) = read_openapi(document({path: {method: operation}}), "test").tools
    return dict(tool)  # type: ignore[arg-type]


@pytest.mark.parametrize("version", ["2.0", "3.0.0", "3.0.4", "3.1.1", "3.2.0"])
def test_a_version_that_is_read(version: str) -> None:
    assert len(read_openapi(document({"/a": {"get": {}}}, version), "test").tools) == 1


@pytest.mark.parametrize("root", [{"openapi": "4.0.0"}, {"swagger": "1.2"}, {"openapi": None}, {"openapi": "30"}])
def test_another_version_is_refused_by_name(root: JsonObject) -> None:
    with pytest.raises(UsageError, match=rf"mine\.yaml says it is .*{re.escape(str(next(iter(root.values()))))}"):
        read_openapi(root, "mine.yaml")


@pytest.mark.parametrize("paths", [{}, None, [], {"x-internal": {"get": {}}}, {"/a": {}}, {"/a": {"summary": "A"}}])
def test_a_document_without_operations_is_refused(paths: Json) -> None:
    with pytest.raises(UsageError, match="no operation of test can be a tool"):
        read_openapi({"openapi": "3.0.0", "paths": paths}, "test")


@pytest.mark.parametrize(
    ("operation", "path", "name"),
    [
        ({"operationId": "listPets"}, "/pets", "listPets"),
        ({"operationId": " list pets! "}, "/pets", "list_pets_"),
        ({"operationId": "a.b:c"}, "/pets", "a_b_c"),
        ({"operationId": "x" * 80}, "/pets", "x" * 64),
        ({"operationId": ""}, "/pets/{petId}/toys", "get_pets_petId_toys"),
        ({}, "/", "get"),
        ({"operationId": 7}, "/v1.2/größe", "get_v1_2_gr_e"),
    ],
)
def test_a_tool_is_called_by_its_id_or_by_method_and_path(operation: Json, path: str, name: str) -> None:
    assert named(operation, path)["name"] == name


def test_names_are_unique_and_legal_and_ids_keep_theirs() -> None:
    ids = ["dup", "dup", "dup_2", "a b", "a_b", "x" * 70, "x" * 71, "dup"]
    listed = read_openapi(document({f"/p{n}": {"get": {"operationId": one}} for n, one in enumerate(ids)}), "test")
    names: list[str] = [tool["name"] for tool in listed.tools]  # type: ignore[index, call-overload, misc]
    assert len(set(names)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)
    assert (names[0], names[2], names[4]) == ("dup", "dup_2", "a_b")
    assert len(usable(listed).entries) == len(ids)


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ({"summary": "Lists pets.", "description": "Long."}, "Lists pets."),
        ({"description": "Lists pets, e.g. cats. At most ten."}, "Lists pets, e.g. cats."),
        ({"description": "Lists pets\n\nMuch more."}, "Lists pets"),
        ({"summary": "  ", "description": ""}, "GET /op"),
        ({}, "GET /op"),
        ({"summary": 7}, "GET /op"),
    ],
)
def test_a_tool_says_its_summary_or_the_first_sentence(operation: Json, said: str) -> None:
    assert named(operation)["description"] == said


def test_parameters_of_all_places_are_merged() -> None:
    places = ("query", "header", "cookie")
    listed: list[Json] = [{"name": f"in-{place}", "in": place, "schema": TEXT} for place in places]
    operation: JsonObject = {
        "operationId": "op",
        "parameters": [*listed, {"name": "id", "in": "path", "schema": NUMBER}],
    }
    body: JsonObject = {"required": True, "content": {"application/json": {"schema": PET}}}
    tool = named({**operation, "requestBody": body}, "/op/{id}", "put")
    assert tool["inputSchema"]["properties"].keys() == {"id", "in-query", "in-header", "in-cookie", "body_id", "name"}
    assert tool["inputSchema"]["required"] == ["id", "name"]


def test_the_parameters_of_a_path_count_and_an_operation_overrides_them() -> None:
    shared: list[Json] = [{"$ref": "#/components/parameters/Id"}, {"name": "q", "in": "query", "schema": TEXT}]
    own: list[Json] = [{"name": "q", "in": "query", "required": True, "schema": NUMBER}]
    paths: JsonObject = {"/a/{id}": {"parameters": shared, "get": {"operationId": "op", "parameters": own}}}
    components: JsonObject = {"parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": NUMBER}}}
    read = parameters(read_openapi(document(paths, components=components), "test"))
    assert read == {"type": "object", "properties": {"id": NUMBER, "q": NUMBER}, "required": ["id", "q"]}


def test_a_path_item_may_be_referred_to() -> None:
    paths: JsonObject = {"/a": {"$ref": "#/components/pathItems/A"}, "/b": {"$ref": "other.yaml"}}
    listed = read_openapi(document(paths, components={"pathItems": {"A": {"get": {"operationId": "op"}}}}), "test")
    assert (len(listed.tools), left_out(listed)) == (1, {"/b": "external_ref"})


def test_headers_that_are_no_parameters_are_not_taken() -> None:
    listed: list[Json] = [
        {"name": name, "in": "header", "required": True, "schema": TEXT}
        for name in ("Accept", "content-type", "Authorization", "X-Key")
    ]
    assert list(named({"parameters": listed})["inputSchema"]["properties"]) == ["X-Key"]


def test_a_variable_of_the_path_that_nobody_declared_is_required_text() -> None:
    assert named({}, "/a/{who}")["inputSchema"] == {"type": "object", "properties": {"who": TEXT}, "required": ["who"]}


def test_a_parameter_may_have_content_instead_of_a_schema() -> None:
    parameter: JsonObject = {"name": "f", "in": "query", "content": {"application/json": {"schema": PET}}}
    assert named({"parameters": [parameter]})["inputSchema"]["properties"]["f"] == PET


@pytest.mark.parametrize(
    "more", [{"example": "a"}, {"examples": {"one": {"value": "a"}, "bad": 7, "gone": {"$ref": "#/no"}}}]
)
def test_examples_of_a_parameter_are_values_to_draw(more: JsonObject) -> None:
    parameter: JsonObject = {"name": "q", "in": "query", "schema": TEXT, **more}
    assert named({"parameters": [parameter]})["inputSchema"]["properties"]["q"]["examples"] == ["a"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": NUMBER},
        {"type": "string"},
        {"oneOf": [PET, {"type": "string"}]},
        {"type": "object", "additionalProperties": TEXT},
        {**PET, "minProperties": 1},
        {**PET, "anyOf": [{"required": ["id"]}, {"required": ["name"]}]},
    ],
)
def test_a_body_that_is_no_plain_object_is_one_parameter(schema: Json) -> None:
    assert parameters(sending(schema)) == {"type": "object", "properties": {"body": schema}, "required": ["body"]}


@pytest.mark.parametrize("more", [True, {"type": "integer"}, False])
def test_what_a_body_takes_besides_is_said_of_the_tool(more: Json) -> None:
    assert parameters(sending({**PET, "additionalProperties": more})) == {**PET, "additionalProperties": more}


def test_an_optional_body_is_sent_whole_or_not_at_all() -> None:
    (entry,) = usable(sending(PET, required=False)).entries
    menu = read_menu([entry.tool])
    assert isinstance(menu, Menu)
    check = menu.validator("op")
    assert check.first_cause({}) is None
    assert check.first_cause({"id": 1, "name": "a"}) is None
    assert check.first_cause({"id": 1}) is not None


def test_values_drawn_for_an_optional_body_keep_it_whole() -> None:
    body: JsonObject = {
        "type": "object",
        "properties": {"id": NUMBER, "name": {"type": "string", "enum": ["a", "b"]}},
        "required": ["name"],
    }
    (entry,) = usable(sending(body, required=False)).entries
    drawn = [draw_arguments(entry.parameters, Random(f"0:{index}")) for index in range(100)]
    assert any("id" in one for one in drawn)
    assert all("name" in one for one in drawn if "id" in one)


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json",
    "application/x-www-form-urlencoded", "multipart/form-data", "application/xml", "*/*"])  # fmt: skip
def test_a_body_of_any_content_type_is_read(kind: str) -> None:
    assert parameters(sending(PET, kind=kind)) == PET


def test_of_several_content_types_json_counts() -> None:
    content: JsonObject = {"application/xml": {"schema": TEXT}, "application/json": {"schema": PET}}
    assert named({"requestBody": {"required": True, "content": content}}, method="post")["inputSchema"] == PET


def test_swagger_2_parameters_are_their_own_schemas() -> None:
    listed: list[Json] = [
        {"name": "a", "in": "query", "type": "array", "items": NUMBER, "collectionFormat": "csv", "description": "A."},
        {"name": "b", "in": "query", "type": "string", "enum": ["x"], "default": "x", "required": True},
        {"name": "c", "in": "formData", "type": "number", "maximum": 3, "exclusiveMaximum": True, "required": True},
        {"name": "d", "in": "formData", "type": "file"},
    ]
    found = read_openapi(document({"/op": {"post": {"operationId": "op", "parameters": listed}}}, "2.0"), "test")
    assert parameters(found) == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": NUMBER, "description": "A."},
            "b": {"type": "string", "enum": ["x"], "default": "x"},
            "c": {"type": "number", "exclusiveMaximum": 3},
        },
        "required": ["b", "c"],
    }
    assert left_out(found) == {"op: d": "file"}


def test_a_swagger_2_body_is_merged_and_a_list_keeps_its_name() -> None:
    def op(schema: Json) -> JsonObject:
        return {"parameters": [{"name": "pets", "in": "body", "required": True, "schema": schema}]}

    many: JsonObject = {"type": "array", "items": {"$ref": "#/definitions/Pet"}}
    paths: JsonObject = {
        "/a": {"post": {"operationId": "one", **op({"$ref": "#/definitions/Pet"})}},
        "/b": {"post": {"operationId": "many", **op(many)}},
    }
    found = read_openapi(document(paths, "2.0", definitions={"Pet": PET}), "test")
    assert parameters(found, "one") == PET
    assert parameters(found, "many")["properties"] == {"pets": {"type": "array", "items": PET}}


def test_webhooks_and_callbacks_are_named() -> None:
    operation: JsonObject = {"operationId": "op", "callbacks": {"onDone": {}}}
    found = read_openapi(document({"/a": {"post": operation}}, "3.1.0", webhooks={"newPet": {"post": {}}}), "test")
    assert left_out(found) == {"op: onDone": "webhook", "newPet": "webhook"}


def test_results_chain_operations_of_one_tag() -> None:
    made: JsonObject = {"201": {"description": "", "content": {"application/json": {"schema": {"allOf": [PET]}}}}}
    by_id: JsonObject = {"parameters": [{"name": "id", "in": "query", "required": True, "schema": NUMBER}]}
    paths: JsonObject = {
        "/a": {"post": {"operationId": "make", "tags": ["pets"], "responses": made}},
        "/b": {"get": {"operationId": "find", "tags": ["pets"], **by_id}},
        "/c": {"get": {"operationId": "other", "tags": ["shops"], **by_id}},
    }
    chains = usable(read_openapi(document(paths), "test")).chains
    assert [(one.producer.name, one.consumer.name, one.value) for one in chains] == [("make", "find", "id")]


def test_a_document_is_told_from_a_list_in_json_and_in_yaml() -> None:
    root = document({"/a": {"get": {"operationId": "op"}}})
    yaml = "openapi: 3.0.3\npaths:\n  /a: {get: {operationId: op, responses: {200: {description: on}}}}\n"
    assert [one["name"] for one in tools_in(json.dumps(root), "a.json").tools] == ["op"]  # type: ignore[index, call-overload]
    assert [one["name"] for one in tools_in(yaml, "a.yaml").tools] == ["op"]  # type: ignore[index, call-overload]
    assert [one["name"] for one in tools_in(json.dumps(root), "a.yaml").tools] == ["op"]  # type: ignore[index, call-overload]


@pytest.mark.parametrize("text", ["a: [", "openapi: 3.0.0\nopenapi: 3.0.0", "- &a [*a]", "{", "{}", "[", "just words"])
def test_what_cannot_be_read_names_its_source(text: str) -> None:
    for source in ("mine.yaml", "mine.json"):
        with pytest.raises(UsageError, match=re.escape(source)):
            tools_in(text, source)


ODD: tuple[Json, ...] = (None, True, 7, -1.5, "", "x", [], {}, [[]], {"$ref": 7}, {"$ref": "#/"}, {"$ref": "#"},
    {"type": {}}, "\u0000", {"allOf": {}}, {"properties": []}, {"required": "id"}, {"enum": 3}, {"in": []})  # fmt: skip


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container and key of a JSON value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


@pytest.mark.parametrize("version", ["2.0", "3.0.3"])
def test_whatever_stands_anywhere_is_read_or_named(version: str) -> None:
    body: JsonObject = {
        "required": True,
        "content": {"application/json": {"schema": {"allOf": [PET, {"oneOf": [PET]}]}}},
    }
    listed: list[Json] = [
        {"name": "q", "in": "query", "schema": PET, "examples": {"a": {"value": 1}}},
        {"name": "b", "in": "body", "schema": {"$ref": "#/paths/~1a/post/parameters/0/schema"}},
        {"name": "f", "in": "formData", "type": "file"},
    ]
    answer: JsonObject = {"200": {"content": {"application/json": {"schema": PET}}, "schema": PET}}
    union: JsonObject = {
        "oneOf": [{"$ref": "#/definitions/A"}],
        "discriminator": {"propertyName": "k", "mapping": {"a": "A"}},
    }
    operation: JsonObject = {"operationId": "o", "summary": "S.", "tags": ["t"], "callbacks": {"c": {}}}
    parts: JsonObject = {"parameters": listed, "requestBody": body, "responses": answer}
    whole = document(
        {"/a": {"parameters": [], "post": {**operation, **parts}}}, version, definitions={"A": PET, "U": union}
    )
    whole["paths"]["/ok"] = {"get": {"operationId": "ok"}}  # type: ignore[index]
    for seed in range(600):
        random, root = Random(f"{version}:{seed}"), copy.deepcopy(whole)
        for _ in range(1 + seed % 3):
            container, key = random.choice([one for one in _places(root) if one[1] not in ("openapi", "swagger")])
            container[key] = copy.deepcopy(random.choice(ODD))
        try:
            usable(read_openapi(root, "test"))
        except UsageError:
            continue


@pytest.mark.skipif(not REAL.exists(), reason="the real inputs are not beside the checkout")
@pytest.mark.parametrize(
    ("name", "tools", "out"),
    [("museum.yaml", 8, {"publishNewEvent": "webhook"}), ("gotify.json", 41, {"uploadAppImage": "file"})],
)
def test_real_documents_become_tools(name: str, tools: int, out: dict[str, str]) -> None:
    catalogue = load_catalogue(REAL / name)
    assert len(catalogue.entries) == tools
    assert {one.name: one.verdict.code for one in catalogue.refused} == out
    assert len(catalogue.chains) >= 8
    menu = read_menu([entry.tool for entry in catalogue.entries])
    assert isinstance(menu, Menu)
