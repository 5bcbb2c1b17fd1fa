"""What a journal's target is called, so that another one is not taken for it."""

from __future__ import annotations

import re
from typing import Any

from ..core.judge import JudgeInfo


def identity_of(target: Any, info: JudgeInfo) -> str:
    """Return name, settings and a digest of the source file of a target, as one line.

    A change in that file makes it another target: what it scored before says nothing
    about what it scores now.
    """
    named = target if hasattr(target, "__qualname__") else type(target)
    while hasattr(named, "func") and hasattr(named, "keywords"):  # functools.partial
        named = named.func
    name = f"{getattr(named, '__module__', '?')}.{getattr(named, '__qualname__', '?')}"
    # the module of a target's file is named after where it lies
    name = re.sub(r"^unbudged_target_(\w+)_[0-9a-f]{12}\.", r"\1.", name)
    settings = ", ".join(f"{key}={value!r}" for key, value in sorted(info.settings.items()))
    settings = re.sub(r" at 0x[0-9a-fA-F]+", "", settings)
    return " ".join(part for part in (name, info.name, settings, _digest(named)) if part)


def _digest(named: Any) -> str:
    import hashlib
    import inspect

    try:
        path = inspect.getsourcefile(named)
        if path is None:
            return ""
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()[:16]
    except (TypeError, OSError):  # a builtin, a console, a file that has gone
        return ""
