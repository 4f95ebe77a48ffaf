"""Figures and croissant.json: what a version shows of itself, well formed whatever it holds."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from data.figures import Summary, bars, eighths, figures
from data.ledger import LedgerRow
from data.schema import TASKS
from data.storage import open_storage
from data.store import Publication, publish

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_each_figure_shows_every_bar_with_its_number() -> None:
    summary = Summary(Counter({0.5: 3, 0.875: 1}), Counter({"weather": 4}))
    made = figures(
        summary, [LedgerRow("verify", "ungrounded", 7), LedgerRow("published", "", 4), LedgerRow("run", "", 0)]
    )
    assert texts(made["figures/domains.svg"]) == ["Tasks by domain", "weather", "4"]
    assert texts(made["figures/ledger.svg"])[1:] == ["verify ungrounded", "7", "published", "4"]
    assert texts(made["figures/pass_rate.svg"])[1::2][4] == "4/8"
    assert texts(made["figures/pass_rate.svg"])[2::2] == ["0", "0", "0", "0", "3", "0", "0", "1", "0"]


def test_many_domains_end_in_one_bar_that_counts_the_rest() -> None:
    summary = Summary(domains=Counter({f"d{i:03}": 2 for i in range(100)}))
    shown = texts(figures(summary, [])["figures/domains.svg"])
    assert shown[-2:] == ["77 others", "154"]


@pytest.mark.parametrize("label", ["<script>alert(1)</script>", "a & b", "\x00\x1b", "x" * 500, '"'])
def test_a_figure_is_well_formed_whatever_a_label_says(label: str) -> None:
    assert len(texts(bars("t", [(label, 1)]))) == 3
    assert "<script>" not in bars("t", [(label, 1)])


def test_every_rate_falls_into_the_nearest_eighth() -> None:
    assert eighths([0, 0.06, 0.07, 0.5, 1]) == [2, 1, 0, 0, 1, 0, 0, 0, 1]


def test_croissant_names_every_table_with_its_digest_and_every_column(
    tmp_path: Path, publication: Callable[..., Publication]
) -> None:
    version = publish(open_storage(tmp_path), publication())
    said = json.loads(version.storage.read("croissant.json"))
    files = {entry.path: entry.sha256 for entry in version.manifest.files if entry.path.endswith(".parquet")}
    assert {one["contentUrl"]: one["sha256"] for one in said["distribution"]} == files
    (records,) = said["recordSet"]
    assert [field["name"] for field in records["field"]] == TASKS.names
    assert said["license"] == "https://spdx.org/licenses/Apache-2.0.html"
