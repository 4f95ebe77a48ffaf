"""Several servers of one model, as a person writes them: `URL,URL,...#model`.

In: an engine as text. Out: whether it is such a list, its URLs and the model. The model is said once, at the end, or
the same at each. Nobody is called here; `policies.balance` plays with them.
"""

from __future__ import annotations

import re
from urllib.parse import urldefrag

from data.errors import UsageError

_BETWEEN = re.compile(r",(?=https?://)")


def is_list(engine: str) -> bool:
    """Whether the engine is several URLs."""
    return _BETWEEN.search(engine) is not None


def listed(engine: str) -> tuple[list[str], str]:
    """The URLs of a list, and the model that all of them serve.

    Raises `UsageError` for a list without a model, with several, or with a URL twice.
    """
    parts = [urldefrag(part) for part in _BETWEEN.split(engine)]
    urls, models = [part.url for part in parts], list(dict.fromkeys(part.fragment for part in parts if part.fragment))
    write = "write URL,URL#model"
    if len(models) != 1:
        what = f"has several models: {', '.join(models)}" if models else "names no model"
        raise UsageError(f"the list of servers {engine!r} {what}", hint=write)
    if twice := next((url for url in urls if urls.count(url) > 1), None):
        raise UsageError(f"the list of servers {engine!r} has {twice} twice", hint=write)
    return urls, models[0]


def lasting(engine: str) -> str:
    """What of an engine decides what it says: of a list the model, of another all of it."""
    return f"#{listed(engine)[1]}" if is_list(engine) else engine
