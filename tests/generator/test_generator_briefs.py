"""Briefs: pure, distributed as asked for, and of what the catalogue has."""

import re
from collections import Counter
from random import Random

import pytest

from data.errors import UsageError
from data.records import Json
from generator.briefs import PAPER_MENUS, SMALL_MENUS, SMALL_VALUES, BriefConfig, plan, proposes_all
from generator.catalogue import build_catalogue, load_catalogue
from generator.domains import DOMAINS
from generator.values import NO_VALUE, draw_arguments, draw_value
from verifiers.calls import check_calls
from verifiers.menu import Menu, read_menu

CONFIG = BriefConfig(load_catalogue(), seed=3)
BRIEFS = [plan(CONFIG, index) for index in range(2_000)]


def test_a_brief_depends_on_seed_and_index_alone() -> None:
    assert plan(CONFIG, 41) == BRIEFS[41] == plan(BriefConfig(load_catalogue(), seed=3), 41)
    assert plan(BriefConfig(load_catalogue(), seed=4), 41) != BRIEFS[41]


def test_kinds_come_as_often_as_their_shares_say() -> None:
    counts = Counter(brief.kind for brief in BRIEFS)
    assert set(counts) == set(CONFIG.shares)
    for kind, share in CONFIG.shares.items():
        assert abs(counts[kind] / len(BRIEFS) - share / sum(CONFIG.shares.values())) < 0.03


def test_one_call_in_five_is_more_and_one_brief_in_ten_has_several_turns_as_in_tool_r0() -> None:
    assert 0.17 < sum(brief.calls > 1 for brief in BRIEFS) / len(BRIEFS) < 0.25
    assert 0.07 < sum(brief.kind == "conversation" for brief in BRIEFS) / len(BRIEFS) < 0.14


def test_menus_are_of_the_sizes_asked_for_and_hold_the_targets() -> None:
    assert {len(brief.tools) for brief in BRIEFS} == set(PAPER_MENUS)
    for brief in BRIEFS:
        assert set(brief.targets) <= {tool["name"] for tool in brief.tools}
        assert brief.menu_size == len(brief.tools) == len({str(tool["name"]) for tool in brief.tools})


def test_domains_are_drawn_with_equal_weight() -> None:
    counts = Counter(plan(BriefConfig(load_catalogue(), mode="open"), index).domain for index in range(3_200))
    assert set(counts) == set(DOMAINS)
    assert 60 < min(counts.values()) < max(counts.values()) < 145


def test_proposed_calls_satisfy_their_schemas() -> None:
    for brief in BRIEFS[:500]:
        menu = read_menu(list(brief.tools))
        assert isinstance(menu, Menu)
        calls: Json = [
            {"name": name, "arguments": given} for name, given in zip(brief.targets, brief.arguments, strict=True)
        ]
        assert isinstance(check_calls(menu, calls), tuple), (brief.targets, brief.arguments)


def test_every_shipped_tool_is_proposed_values_for_all_it_requires() -> None:
    assert all(proposes_all(brief) for brief in BRIEFS)


def test_a_dependent_brief_passes_the_first_result_on() -> None:
    for brief in (brief for brief in BRIEFS if brief.kind == "dependent"):
        assert "$var" not in str(brief.arguments[0])
        for place, given in enumerate(brief.arguments[1:], 1):
            assert f"$var_{place}." in str(given)


def test_two_values_of_one_call_from_one_list_differ() -> None:
    for brief in BRIEFS:
        if brief.kind != "world" and "convert_currency" in brief.targets:
            given = brief.arguments[brief.targets.index("convert_currency")]
            assert given["from_currency"] != given["to_currency"]


def test_only_the_domains_asked_for_come() -> None:
    config = BriefConfig(load_catalogue(), domains=("weather", "music"))
    briefs = [plan(config, index) for index in range(100)]
    assert {brief.domain for brief in briefs} == {"music", "weather"}


def values_of(given: Json) -> int:
    if str(given).startswith("$var_"):
        return 0
    return (
        sum(map(values_of, given.values())) if isinstance(given, dict) else len(given) if isinstance(given, list) else 1
    )


def test_no_call_is_given_more_values_than_asked_for() -> None:
    config = BriefConfig(load_catalogue(), menu_sizes=SMALL_MENUS, most_values=SMALL_VALUES)
    briefs = [plan(config, index) for index in range(500)]
    given = [call for brief in briefs if brief.kind != "world" for call in brief.arguments]
    assert {values_of(call) for call in given} == set(range(SMALL_VALUES + 1))


def test_a_small_players_chain_says_no_more_than_its_other_calls() -> None:
    config = BriefConfig(load_catalogue(), kinds={"dependent": 1.0}, counts=(2,), most_values=SMALL_VALUES)
    given = [call for index in range(100) for call in plan(config, index).arguments]
    assert max(map(values_of, given)) == SMALL_VALUES


def test_tools_that_require_more_values_are_called_when_there_are_no_others() -> None:
    schema: Json = {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a", "b"]}
    config = BriefConfig(build_catalogue([{"name": "join", "parameters": schema}], "test"), most_values=1)
    assert plan(config, 0).arguments == ({"a": 1, "b": 2},)


def test_an_unknown_domain_is_the_users_fault() -> None:
    with pytest.raises(UsageError, match="'musik'"):
        BriefConfig(load_catalogue(), domains=("musik",))


def test_a_catalogue_of_one_tool_makes_menus_of_one() -> None:
    tool: Json = {"name": "ping", "parameters": {"type": "object", "properties": {}}}
    config = BriefConfig(build_catalogue([tool], "test"))
    assert {(plan(config, index).menu_size, plan(config, index).calls) for index in range(50)} == {(1, 1)}


def test_the_digest_tells_distributions_apart() -> None:
    catalogue = load_catalogue()
    configs = [
        CONFIG,
        BriefConfig(catalogue, seed=4),
        BriefConfig(catalogue, seed=3, mode="open"),
        BriefConfig(catalogue, seed=3, menu_sizes=SMALL_MENUS),
        BriefConfig(catalogue, seed=3, domains=("music",)),
        BriefConfig(catalogue, seed=3, counts=(2,)),
        BriefConfig(catalogue, seed=3, kinds={"single": 1.0}),
        BriefConfig(catalogue, seed=3, most_values=2),
    ]
    assert len({config.digest for config in configs}) == len(configs)
    assert BriefConfig(catalogue, seed=3).digest == CONFIG.digest


@pytest.mark.parametrize(
    ("schema", "allowed"),
    [
        ({"const": 3}, {3}),
        ({"enum": ["a", "b"]}, {"a", "b"}),
        ({"type": "string", "examples": ["x"]}, {"x"}),
        ({"type": "integer", "minimum": 3, "maximum": 10, "multipleOf": 5}, {5, 10}),
        ({"type": "boolean"}, {True}),
    ],
)
def test_a_drawn_value_is_one_that_is_allowed(schema: dict[str, Json], allowed: set[Json]) -> None:
    assert {draw_value(schema, Random(seed)) for seed in range(40)} == allowed


@pytest.mark.parametrize("schema", [{}, {"type": "string"}, {"type": "object"}, {"type": "array", "items": {}}])
def test_nothing_is_drawn_where_nothing_is_known(schema: dict[str, Json]) -> None:
    assert draw_value(schema, Random(0)) is NO_VALUE


def test_a_date_is_drawn_as_a_date() -> None:
    assert re.fullmatch(r"202[67]-\d\d-\d\d", str(draw_value({"type": "string", "format": "date"}, Random(0))))


def test_an_optional_parameter_never_repeats_its_default() -> None:
    schema: dict[str, Json] = {"properties": {"u": {"enum": ["c", "f"], "default": "c"}, "b": {"default": True}}}
    drawn = [draw_arguments(schema, Random(seed)) for seed in range(60)]
    assert {str(one) for one in drawn} == {"{}", "{'u': 'f'}"}


@pytest.mark.parametrize("name", ["path", "repo_path", "repoPath", "repo-path"])
def test_a_text_without_examples_is_drawn_by_the_last_word_of_its_name(name: str) -> None:
    assert draw_value({"type": "string"}, Random(0), name) == draw_value({"type": "string"}, Random(0), "path")
    assert draw_value({"type": "string", "pattern": "^x$"}, Random(0), name) is NO_VALUE


def test_calls_get_no_more_values_than_the_bound() -> None:
    config = BriefConfig(load_catalogue(), menu_sizes=SMALL_MENUS, most_values=2)
    briefs = [brief for index in range(300) if (brief := plan(config, index)).kind != "world"]
    assert max(values_of(given) for brief in briefs for given in brief.arguments) == 2
