"""The order of a document's schemas: what applies to the same value comes before what it applies in."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from verifiers.schema_normal import Budget, Walk
from verifiers.schema_refs import Links, _order, link


def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    kept = {"anyOf": some, "allOf": some, "not": inner, "then": inner, "items": inner, "properties": named}
    return st.fixed_dictionaries({}, optional={**kept, "dependentSchemas": named})


SCHEMAS = grown(st.recursive(st.builds(lambda: {"type": "string"}) | st.booleans(), grown, max_leaves=8))


@given(SCHEMAS)
def test_a_tree_is_ordered_as_any_document_is(schema: dict[str, Any]) -> None:
    walk = Walk(False, Budget())
    walk.visit(schema, "parameters")
    links, ordered = link(schema, walk), Links()
    _order(walk, ordered)
    assert sorted(map(id, links.inner_first)) == sorted(map(id, ordered.inner_first))
    place = {id(one): at for at, one in enumerate(links.inner_first)}
    assert all(place[id(inner)] < place[id(one)] for one in links.inner_first for inner in links.in_place(one))
