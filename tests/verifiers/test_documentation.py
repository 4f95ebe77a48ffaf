"""docs/verification.md says what is so: its examples come out as marked, and its codes are those of the sources."""

import re
from pathlib import Path

import pytest

from verifiers.codes import CODES
from verifiers.lines import verify_line
from verifiers.menu import _CODES as MENU_CODES
from verifiers.schema_engine import CAUSES
from verifiers.verify import CHECKS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
SECTIONS = {found[1]: found[2] for found in re.finditer(r"^## (\w+)$\n(.*?)(?=^##? |\Z)", DOCUMENT, flags=re.M | re.S)}
EXAMPLES = [
    pytest.param(check, found[1], found[2], id=f"{check}-{found[1]}")
    for check, section in SECTIONS.items()
    for found in re.finditer(r"^```json (accepted|rejected [a-z]+/\w+)$\n(.*?)^```$", section, flags=re.M | re.S)
]
WRITTEN = re.compile(r'Verdict\(\s*"(\w+)",\s*"(\w+)"')
RUN = re.compile(r'(?:SandboxFault|_fault)\(\s*"(\w+)"|(?:_named|_canonical)\(.*"(\w+)"\)|Error": "(\w+)"')


@pytest.mark.parametrize(("check", "claim", "row"), EXAMPLES)
def test_an_example_comes_out_as_it_is_marked(check: str, claim: str, row: str) -> None:
    reasons = verify_line(row.replace("\n", " ").encode(), 1)["reasons"]
    assert [f"rejected {one['check']}/{one['code']}" for one in reasons] == ([] if claim == "accepted" else [claim])


@pytest.mark.parametrize("check", ["input", *CHECKS])
def test_every_check_has_an_accepted_and_a_rejected_example_of_its_own(check: str) -> None:
    claims = {str(example.values[1]).partition("/")[0] for example in EXAMPLES if example.values[0] == check}
    assert claims == {"accepted", f"rejected {check}"}


@pytest.mark.parametrize("check", CODES)
def test_a_section_lists_the_codes_of_its_check_with_what_was_expected(check: str) -> None:
    assert re.findall(r"^\| `(\w+)` \| (.+) \|$", SECTIONS[check], flags=re.M) == list(CODES[check].items())


def test_every_code_that_a_checker_gives_is_listed() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "verifiers").rglob("*.py")))
    given = set(WRITTEN.findall(sources))
    given |= {("menu", code) for code in MENU_CODES if code != "too_large"} | {("calls", code) for code in CAUSES}
    assert len(given) > 25
    assert given <= {(check, code) for check, codes in CODES.items() for code in codes}


def test_the_codes_of_a_replay_are_those_listed() -> None:
    sources = "".join(
        (ROOT / "verifiers" / f"{name}.py").read_text(encoding="utf-8") for name in ("execution", "sandbox")
    )
    given = {code for found in RUN.findall(sources) for code in found if code}
    assert given == set(CODES["execution"])
