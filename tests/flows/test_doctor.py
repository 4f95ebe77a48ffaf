"""`sparring doctor` on a machine where something is wrong: it is said, with what to do, and never as a traceback."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.errors import EngineUnavailable
from data.storage import open_storage
from data.store import publish
from flows import doctor_install, doctor_places, doctor_services
from flows.doctor import Check, Finding, examine
from flows.settings import policies_home
from flows.workdir import open_workdir
from policies import engine_env
from policies.promotions import promote
from tests.data.conftest import make_publication
from tests.flows.flows_support import inside
from tests.policies.checkpoint_support import put
from tests.policies.engine_support import make_adapter, make_model
from tests.policies.fake_server import serve


def found(*checks: Check) -> list[Finding]:
    return list(examine({f"check {place}": check for place, check in enumerate(checks)}))


def only(check: Check) -> Finding:
    [finding] = found(check)
    return finding


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SPARRING_API_KEY", "OPENAI_API_KEY", "SPARRING_WEIGHTS", "PREFECT_API_URL", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("flows.server.LOCAL_URL", "http://127.0.0.1:9/api")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))


def test_a_check_that_breaks_is_a_finding_and_the_next_one_comes() -> None:
    def broken() -> Iterator[Finding]:
        yield Finding("one", "ok", "fine")
        raise ZeroDivisionError("by\nzero")

    def away() -> Iterator[Finding]:
        raise EngineUnavailable("nobody answers", hint="start it")
        yield

    first, second, third = found(broken, away)
    assert (first.mark, second.mark, third.mark) == ("ok", "fault", "fault")
    assert second.said == "this could not be looked at: ZeroDivisionError: by zero"
    assert third == Finding("check 1", "fault", "nobody answers", "start it")


def test_an_old_python_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert only(doctor_install.python).mark == "ok"
    monkeypatch.setattr(doctor_install, "OLDEST", (4, 0))
    assert only(doctor_install.python).do == "use Python 4.0 or newer"


def test_a_missing_and_an_old_package_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_install, "requires", lambda _: ["nothing-like-it>=1", "typer>=99", 'moto; extra == "x"'])
    finding = only(doctor_install.packages)
    assert finding.mark == "fault"
    assert finding.said.startswith("nothing-like-it is missing, typer ")
    assert "moto" not in finding.said


def test_other_versions_than_the_tested_are_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "constraints.txt").write_text("Typer==0.0.1\nnothing.like-it==1\n")
    monkeypatch.setattr(doctor_install, "checkout", lambda: tmp_path)
    finding = only(doctor_install.packages)
    assert finding.mark == "note"
    assert "(tested: 0.0.1)" in finding.said
    assert "nothing" not in finding.said


def test_a_package_that_owns_one_of_our_names_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.preflight.packages_distributions", lambda: {"verifiers": ["sparring", "verifiers"]})
    finding = only(doctor_install.names)
    assert (finding.mark, finding.do) == ("fault", "give sparring an environment of its own")


def test_missing_and_damaged_weights_are_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("policies.weights.cache_folder", lambda: tmp_path)
    assert "not fetched yet" in only(doctor_install.embedded).said
    (tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"GGUF")
    finding = only(doctor_install.embedded)
    assert "is damaged" in finding.said
    assert "python -m policies.weights" in finding.do


def test_no_engine_environment_is_a_note_and_half_of_one_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARRING_ENGINE_ENV", str(tmp_path / "engine"))
    assert only(doctor_install.engine).mark == "note"
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / engine_env.MADE).write_text("cpu abc")
    finding = only(doctor_install.engine)
    assert (finding.mark, finding.do) == ("fault", "run `make engine`")
    assert "not as pinned" in finding.said


def test_a_store_that_is_a_file_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "sets").write_text("")
    finding = only(lambda: doctor_places.store(str(tmp_path / "sets")))
    assert (finding.mark, "move it away" in finding.do) == ("fault", True)


def test_a_store_on_s3_without_keys_is_told_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    first = next(iter(doctor_places.store("s3://bucket/sets")))
    assert (first.mark, first.said) == ("note", "AWS_SECRET_ACCESS_KEY not set, for http://127.0.0.1:9")


def test_a_bucket_is_tried(bucket: str) -> None:
    assert [one.mark for one in found(lambda: doctor_places.store(f"{bucket}/sets"))] == ["ok"] * 3


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_places, "SCARCE", 1 << 62)
    marks = {one.check: one.mark for one in found(lambda: doctor_places.store(str(tmp_path)))}
    assert marks == {"store": "ok", "disk": "note", "sets": "ok"}


def test_every_version_of_a_store_is_opened_and_latest_compared(tmp_path: Path) -> None:
    version = publish(open_storage(tmp_path), make_publication())

    def sets() -> Finding:
        return next(one for one in found(lambda: doctor_places.store(str(tmp_path))) if one.check == "sets")

    assert sets().said.startswith("1 versions")
    latest = tmp_path / version.manifest.name / "refs" / "latest.json"
    right = latest.read_bytes()
    latest.write_bytes(right.replace(b"v0001", b"v0002"))
    assert "latest.json does not name v0001" in sets().said
    latest.unlink()
    assert sets().mark == "fault"
    latest.write_bytes(right)
    (Path(version.location) / "manifest.json").unlink()
    assert "manifest.json" in sets().said


def test_a_work_folder_says_who_holds_it_and_which_is_stale(tmp_path: Path) -> None:
    runs = tmp_path / ".sparring" / "runs"
    with open_workdir(runs / "busy", {}), open_workdir(runs / "old", {}):
        pass
    long_ago = 40 * 86_400
    os.utime(runs / "old", (long_ago, long_ago))
    with open_workdir(runs / "busy", {}):
        finding = only(doctor_places.work_folders)
    assert finding.mark == "note"
    assert f"busy (process {os.getpid()})" in finding.said
    assert "1 untouched for 30 days, the first old" in finding.said
    (runs / "old" / "run.json").write_text("[")
    assert "does not say whose" in found(doctor_places.work_folders)[-1].said


def test_a_slot_that_cannot_be_read_and_weights_that_changed_are_faults(tmp_path: Path) -> None:
    home, base = policies_home(), make_model(tmp_path / "base")
    one = put(home, make_adapter(tmp_path / "trained", base), base)
    promote(home, one, "", {})
    assert [one.mark for one in found(doctor_places.players)] == ["ok", "ok"]
    weights = one.folder / "adapter" / "adapter_model.safetensors"
    weights.chmod(0o644)
    weights.write_bytes(b"other")
    assert "not as it was added: adapter/adapter_model.safetensors" in found(doctor_places.players)[1].said
    shutil.rmtree(one.folder)
    assert f"there is no checkpoint '{one.name}'" in found(doctor_places.players)[1].said
    (home / "solver.json").write_text("{")
    assert "mend or remove the file" in found(doctor_places.players)[-1].do


def test_what_a_dead_writer_left_beside_the_checkpoints_is_noted() -> None:
    (policies_home() / ".new-solver-0001-0f").mkdir(parents=True)
    noted = found(doctor_places.players)[-1]
    assert (noted.mark, ".new-solver-0001-0f" in noted.said) == ("note", True)


def test_each_server_of_a_list_has_its_line() -> None:
    with serve() as right, serve(models=("n",)) as wrong:
        engine = f"{right.url},{wrong.url},http://127.0.0.1:9/v1#m"
        marks = [(one.mark, one.said) for one in found(lambda: doctor_services.engines(engine))]
    assert [mark for mark, _ in marks] == ["ok", "fault", "fault"]
    assert ["answers and has" in marks[0][1], "has no model 'm'" in marks[1][1], "nobody" in marks[2][1]] == [True] * 3


def test_an_engine_that_there_is_none_of_is_a_fault() -> None:
    assert "unknown engine" in only(lambda: doctor_services.engines("gguf")).said


def test_a_proxy_before_this_machine_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(doctor_services.proxies) == []
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "example.org")
    assert only(doctor_services.proxies).do == "export NO_PROXY=127.0.0.1,localhost"
    monkeypatch.setenv("no_proxy", "localhost, 127.0.0.1")
    assert found(doctor_services.proxies) == []


def test_a_configured_server_that_is_away_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    assert "unset PREFECT_API_URL" in only(doctor_services.prefect).do


SECRET = "sk-abcdefghijklmnopqrstuvwx"


def doctor(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """The command on a machine that is as well as a test can make it: no weights, no server."""
    monkeypatch.setattr("policies.weights.find", lambda: Path("weights.gguf"))
    return inside(monkeypatch, capsys, "doctor", *words)


def test_the_command_prints_a_line_a_check_and_no_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARRING_API_KEY", SECRET)
    done = doctor(monkeypatch, capsys, "--store", "store", "--engine", "scripted")
    assert done.code == 0, done.out
    assert SECRET not in done.out + done.err
    assert "SPARRING_API_KEY is set" in done.out
    lines = [line for line in done.out.splitlines()[:-2] if not line.lstrip().startswith("-> ")]
    assert {line.split()[0] for line in lines} <= {"ok", "note"}
    assert done.out.endswith(f"no faults in {len(lines)} checks\n")


def test_the_command_ends_with_1_and_json_says_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = doctor(monkeypatch, capsys, "--json", "--engine", "http://127.0.0.1:9/v1#m")
    said = json.loads(done.out)
    assert (done.code, said["well"]) == (1, False)
    [fault] = [one for one in said["checks"] if one["mark"] == "fault"]
    assert fault["check"] == "endpoint"
    assert fault["do"] == "start the server, or mend the URL"
