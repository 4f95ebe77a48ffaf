"""What prefect.yaml, the automations and the forms promise, without a server."""

import importlib
import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from prefect.client.schemas.schedules import CronSchedule
from prefect.events.schemas.automations import AutomationCore, EventTrigger
from prefect.events.schemas.deployment_triggers import DeploymentEventTrigger, DeploymentTriggerTypes
from prefect.flows import Flow
from prefect.settings import get_current_settings
from prefect.utilities.callables import parameter_schema
from pydantic import BaseModel, TypeAdapter

from data.errors import UsageError
from flows import announce, doctor_services, rescore_settings
from flows.evaluate_settings import EvaluateConfig
from flows.evolve_settings import EvolveConfig
from flows.nightly import of_the_night
from flows.provision import POOL, read_automation
from flows.settings import DEFAULT, RunConfig, build
from generator.domains import DOMAINS
from tests.golden_files import assert_golden

ROOT = Path(__file__).resolve().parents[2]
FILE = (ROOT / "prefect.yaml").read_text(encoding="utf-8")
DEPLOYMENTS: dict[str, dict[str, Any]] = {one["name"]: one for one in yaml.safe_load(FILE)["deployments"]}
TRAINING = yaml.safe_load((ROOT / "automations" / "training" / "prefect.yaml").read_text(encoding="utf-8"))
MODELS: dict[str, type[BaseModel]] = {
    "nightly-curriculum": RunConfig,
    "on-demand": RunConfig,
    "rescore": rescore_settings.RescoreConfig,
    "evolve": EvolveConfig,
    "evaluate": EvaluateConfig,
}


def flow_of(deployment: dict[str, Any]) -> Flow[..., Any]:
    """The flow behind an entrypoint, imported as Python does: Prefect swallows what goes wrong there."""
    file, _, name = deployment["entrypoint"].partition(":")
    found = getattr(importlib.import_module(file.removesuffix(".py").replace("/", ".")), name)
    assert isinstance(found, Flow)
    return found


def form_of(deployment: dict[str, Any]) -> dict[str, Any]:
    return parameter_schema(flow_of(deployment)).model_dump_for_openapi()


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_every_entrypoint_is_a_flow_with_a_model_as_its_parameter(name: str) -> None:
    assert flow_of(DEPLOYMENTS[name]).fn.__annotations__["config"] == MODELS[name].__name__
    assert DEPLOYMENTS[name]["work_pool"]["name"] == POOL


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_the_parameters_of_a_deployment_are_right(name: str) -> None:
    given = DEPLOYMENTS[name]["parameters"].get("config", {})
    assert build(MODELS[name], given if name != "rescore" else {"version": "a@v0001"}, "run")


def test_nothing_that_is_no_comment_asks_for_a_secret() -> None:
    assert "prefect.blocks" not in json.dumps(yaml.safe_load(FILE))


def test_one_night_at_a_time_by_the_clock_of_a_place() -> None:
    nightly = DEPLOYMENTS["nightly-curriculum"]
    (schedule,) = nightly["schedules"]
    assert schedule["slug"]
    assert CronSchedule(cron=schedule["cron"], timezone=schedule["timezone"]).timezone
    assert nightly["concurrency_limit"] == {"limit": 1, "collision_strategy": "CANCEL_NEW"}


def test_each_night_has_its_own_seed_and_a_repeated_night_the_same() -> None:
    first = datetime(2027, 3, 20, 2, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # Summer time begins on the 28th.
    nights = [first + timedelta(days=day) for day in range(14)]
    seeds = [of_the_night(DEFAULT, night).seed for night in nights]
    assert len(set(seeds)) == 14
    assert seeds == [of_the_night(DEFAULT, night.astimezone(ZoneInfo("UTC"))).seed for night in nights]
    assert of_the_night(DEFAULT.model_copy(update={"seed": 2**31 - 1}), first).seed < 2**31


@pytest.mark.parametrize("variant", ["docker", "kubernetes"])
def test_the_variants_in_comments_are_yaml(variant: str) -> None:
    block = re.search(rf"^  # {variant}: .*\n(?:  #   .*\n)+", FILE, re.M)
    assert block
    work_pool = yaml.safe_load(re.sub(r"^  # ", "  ", block[0], flags=re.M))[variant]
    assert work_pool["name"] == f"{POOL}-{variant}"
    assert work_pool["job_variables"]["image"].endswith("sparring:latest")


def test_the_image_holds_every_room() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    packages = re.search(r"^packages = \[(.*)\]", project, re.M)
    assert packages
    for room in re.findall(r'"(\w+)"', packages[1]):
        assert f"COPY {room} {room}\n" in text


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_the_form_is_the_golden_one(name: str) -> None:
    assert_golden(f"form_{name}.json", json.dumps(form_of(DEPLOYMENTS[name]), indent=1) + "\n")


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_every_field_of_a_form_has_title_place_help_and_default(name: str) -> None:
    model = MODELS[name]
    fields = form_of(DEPLOYMENTS[name])["definitions"][model.__name__]["properties"]
    assert [field["position"] for field in fields.values()] == list(range(len(fields)))
    for key, field in fields.items():
        assert model.model_fields[key].title, key
        assert field.get("description"), key
        assert "default" in field or key == "version", key


def test_the_form_offers_the_domains_and_the_engines() -> None:
    fields = form_of(DEPLOYMENTS["on-demand"])["definitions"]["RunConfig"]["properties"]
    assert set(fields["domains"]["items"]["enum"]) == set(DOMAINS)
    assert fields["engine"]["anyOf"][0]["enum"] == ["", "embedded", "vllm", "scripted"]
    assert fields["tasks"]["minimum"] == 1


@pytest.mark.parametrize(
    ("model", "wrong", "faults"),
    [
        (
            RunConfig,
            {"k": 9, "tasks": 5, "budget": 2, "mode": "mutate", "name": "No", "kinds": {"x": 1}, "eval_share": 2},
            ["--k-max 8", "--budget 2", "--mode mutate and --parent", "--name 'No'", "'x'", "--eval-share 2"],
        ),
        (rescore_settings.RescoreConfig, {"k": 9, "seed": -1}, ["--k-max 8", "--seed -1", "--version"]),
    ],
)
def test_every_fault_is_named_in_one_message(model: type[BaseModel], wrong: dict[str, Any], faults: list[str]) -> None:
    with pytest.raises(UsageError) as fault:
        build(model, wrong, "run")
    for part in faults:
        assert part in fault.value.message


@pytest.mark.parametrize("path", sorted((ROOT / "automations").glob("*.yaml")), ids=lambda path: path.stem)
def test_an_automation_is_one_that_prefect_takes(path: Path) -> None:
    assert isinstance(read_automation(path), AutomationCore)


def test_a_run_is_called_dead_after_three_heartbeats_and_not_before() -> None:
    trigger = read_automation(ROOT / "automations" / "zombies.yaml").trigger
    assert isinstance(trigger, EventTrigger)
    beat = get_current_settings().flows.heartbeat_frequency or 180
    assert trigger.within >= timedelta(seconds=3 * beat)
    assert trigger.expect == {"prefect.flow-run.*"}
    # The doctor calls the same runs dead.
    assert (trigger.within, trigger.after) == (doctor_services.SILENCE, {doctor_services.HEARTBEAT})


def test_the_training_downstream_is_told_what_the_event_says(monkeypatch: pytest.MonkeyPatch) -> None:
    (deployment,) = TRAINING["deployments"]
    trigger = TypeAdapter(DeploymentTriggerTypes).validate_python(deployment["triggers"][0])
    assert isinstance(trigger, DeploymentEventTrigger)
    assert trigger.expect == {announce.PUBLISHED}
    wanted = re.findall(r"event\.payload\.(\w+)", str(trigger.parameters))
    assert set(wanted) <= sent(monkeypatch)[0]["payload"].keys()


def test_a_version_is_announced_with_what_a_reader_needs_and_under_one_id(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = sent(monkeypatch)
    assert first["payload"].keys() == {"name", "version", "digest", "rows", "path"}
    assert first["id"] == second["id"]


def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is sent when a version is announced twice."""

    class Manifest:
        name, version, digest, rows = "demo", "v0001-abc", "sha256:ab", 3
        reference = "demo@v0001-abc"
        origin = type("Origin", (), {"engine": "scripted"})

    version: Any = type("Version", (), {"location": "sets/demo", "manifest": Manifest})
    events: list[dict[str, Any]] = []
    monkeypatch.setattr(announce, "emit_event", lambda event, **given: events.append({"event": event, **given}))
    announce.published(version)
    announce.published(version)
    return events
