"""What a model wrote is text wherever it is shown: no markup of its own becomes markup, and no credential is shown."""

import re
from collections import Counter
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from data.records import Message
from flows.escaping import cell, escaped, markdown_table
from flows.redact import HIDDEN, redact
from flows.report_facts import Example, Fates
from flows.reports import Answer, Sample, report, task_rows
from tests.flows.report_support import RUN, SCORE, TASK

RENDER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
MARKUP = [
    "<script>alert(1)</script>",
    "**bold** _it_ ~~no~~ `code` $x$",
    "[a](http://evil.example) ![b](http://evil.example/c.png)",
    "http://evil.example/`|`x www.evil.example me@evil.example <http://evil.example>",
    "```\nnot code\n```\n# head\n| a | b |\n| --- | --- |",
    "````mermaid\npie title Pets\n```\n</details><img src=x onerror=alert(1)>",
    "&lt;b&gt; &amp; \\| \\` \\",
    "\r\n---\r# head\r\n",
]
TEXT = st.one_of(
    st.text(), st.lists(st.sampled_from([*MARKUP, "`", "|", "\\", "http://x", "<", "\n", " "])).map("".join)
)


def shown(markdown: str) -> str:
    """What a reader sees of rendered Markdown, and that nothing but a table and code became markup."""
    page = RENDER.render(markdown)
    tags = set(re.findall(r"<\s*/?\s*([a-z0-9]+)", page))
    assert tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}, tags
    return unescape(re.sub(r"<[^>]*>", " ", page))


@given(TEXT)
def test_a_table_cell_shows_what_was_written(text: str) -> None:
    seen = shown(markdown_table(("head",), [(text,)]))
    assert seen.replace(" ", "").split() == [
        "head",
        *("".join(text.split()).replace("\0", "\ufffd"),) * bool(text.split()),
    ]


def page_of(text: str, tables: dict[str, str] | None) -> str:
    """A report, as a file or as an artifact, whose sample, answer and rejection hold the text, rendered."""
    task = replace(TASK, messages=(Message("user", text),), tools=(), domain=text)
    fates = Fates(reasons=Counter({("verify", "format", "bad"): 1}))
    fates.examples["verify", "format", "bad"].append(Example(0, text, text, text))
    sample = Sample(task, SCORE, (Answer(text, "malformed", 0.0, 1),))
    run = replace(RUN, samples=(sample,), facts=replace(RUN.facts, fates=fates))
    return str(RENDER.render(report(run, tables)))


def tags_of(page: str) -> list[str]:
    """The tags outside of code, in order."""
    return re.findall(r"<\s*/?\s*[a-z0-9]+", re.sub(r"<code[^>]*>.*?</code>", "", page, flags=re.S))


@pytest.mark.parametrize("text", MARKUP)
@pytest.mark.parametrize("tables", [None, {}], ids=["file", "artifact"])
def test_a_report_shows_what_was_written_as_text(text: str, tables: dict[str, str] | None) -> None:
    page = page_of(text, tables)
    blocks = re.findall(r"<pre><code[^>]*>(.*?)</code></pre>", page, re.S)
    shown_blocks = [unescape(block).replace("\r", "\n").split() for block in blocks]
    for written in (f"user: {text}", text):
        assert written.replace("\r", "\n").split() in shown_blocks
    assert tags_of(page) == tags_of(page_of("harmless", tables))


@pytest.mark.parametrize("address", ["http://evil.example", "https://x", "WWW.evil.example", "a@evil.example"])
def test_an_address_stands_as_code_so_that_no_reader_links_it(address: str) -> None:
    assert escaped(f"see {address} now") == f"see `{address}` now"
    assert escaped(f"see {address}, now") == f"see `{address}`, now"


SECRETS = {
    "sk-proj-abcdefghijklmnop1234": "Use sk-proj-abcdefghijklmnop1234 now",
    "ghp_abcdefghijklmnopqrst1234": "token ghp_abcdefghijklmnopqrst1234.",
    "hf_abcdefghijklmnopqrstuv": "hf_abcdefghijklmnopqrstuv",
    "AKIAABCDEFGHIJKLMNOP": "id AKIAABCDEFGHIJKLMNOP",
    "abcdef123456": "Authorization: Bearer abcdef123456",
    "dXNlcjpwYXNz": "authorization: Basic dXNlcjpwYXNz",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln": "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln",
    "hunter2hunter2": '{"password": "hunter2hunter2", "user": "bob"}',
    "correct-horse": "api_key=correct-horse&x=1",
    "bob:pass": "http://bob:pass@host/v1",
    "MIIEow": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
}


@pytest.mark.parametrize(("secret", "text"), SECRETS.items(), ids=list(SECRETS))
def test_a_credential_is_not_shown(secret: str, text: str) -> None:
    said = redact(text)
    assert secret not in said
    assert HIDDEN in said
    assert redact(said) == said


def test_the_values_of_secret_variables_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_API_KEY", "quite ordinary words")
    assert redact("it said: quite ordinary words!") == f"it said: {HIDDEN}!"


@pytest.mark.parametrize(
    "text",
    [
        "What will the weather be in Lisbon, at 12:30?",
        "basic information on tokens: 12 of 40",
        "sha256:4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a",
        "curriculum@v0001-4bf5122f3445 in s3://bucket/prefix",
        '{"name": "get_weather", "arguments": {"city": "Lisbon"}}',
    ],
)
def test_what_is_no_credential_stays(text: str) -> None:
    assert redact(text) == text


def test_reports_and_task_tables_show_no_credential() -> None:
    secret = "sk-proj-abcdefghijklmnop1234"
    task = replace(TASK, messages=(Message("user", f"Log in with {secret}"),))
    said = report(replace(RUN, samples=(Sample(task, SCORE, (Answer(secret, "wrong", 0.0, 1),)),)))
    assert secret not in said + str(task_rows([(task, SCORE)])) + str(cell({"key": secret}))
