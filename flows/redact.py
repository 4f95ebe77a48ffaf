"""Credentials out of what people read: logs, reports, artifacts.

In: any text, also a model's. Out: the same text with `[redacted]` where a credential stood: the values of this
process's own secret environment variables, and whatever has the shape of a known key,
token, password or login in a URL.
Not promised: a secret without such a shape that is not in the environment. Published data is never changed.
"""

from __future__ import annotations

import os

import re2

HIDDEN = "[redacted]"
SHORTEST = 8
"""Characters of a variable's value from which it can be told from ordinary words."""

_SECRET_NAME = re2.compile(r"(?i)(_KEY|_TOKEN|SECRET|PASSWORD|AUTH_STRING)")
_SHAPES = [
    (re2.compile(pattern), rf"\1{HIDDEN}\2")
    for pattern in (
        r"(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END|$)",
        r"()\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}()",
        r"()\b(?:gh[pousr]_|github_pat_|glpat-|hf_|xox[abeprs]-)[A-Za-z0-9_-]{16,}()",
        r"()\b(?:AKIA|ASIA)[0-9A-Z]{16}\b()",
        r"()\bAIza[0-9A-Za-z_-]{35}()",
        r"()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*()",
        r"(?i)(\bbearer\s+|\bauthorization\W+basic\s+)[A-Za-z0-9._~+/=-]{8,}()",
        r"(://)[^\s/@:\[]*:[^\s/@]+(@)",
        r"""(?i)((?:api[_-]?key|access[_-]?key|token|secret|passwd|password)\\?["']?\s*[:=]\s*\\?["']?)"""
        r"""[^\s"'\\,;&{}\[\]()]{8,}()""",
    )
]


def redact(text: str) -> str:
    """The text without credentials; the same again when redacted twice. Linear in the text's length."""
    for value in _own_secrets():
        text = text.replace(value, HIDDEN)
    for shape, replacement in _SHAPES:
        text = shape.sub(replacement, text)
    return text


def _own_secrets() -> list[str]:
    """Values of the environment's secret variables, longest first."""
    found = {value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) >= SHORTEST}
    return sorted(found, key=lambda value: (-len(value), value))
