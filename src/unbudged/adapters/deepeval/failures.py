"""What a metric raised, read as the reason why there is no score."""

from __future__ import annotations

from dataclasses import replace

from ...core.judge import Unscorable
from ...core.reading import read_error


def read_failure(error: BaseException, fault: str | None) -> Unscorable:
    """Return the reason in one line; ``fault`` is what was wrong with the judge's reply.

    A retry's wrapper is opened: its own text names neither the fault nor the provider.
    """
    cause = _cause(error)
    read = read_error(cause)
    if read.reason != "error":
        return read
    if any("timeout" in kind.__name__.lower() for kind in type(cause).__mro__):
        return replace(read, reason="timeout")
    if fault is not None:
        return Unscorable("unreadable", fault)
    if isinstance(cause, (ValueError, KeyError)) or "invalid json" in str(cause).lower():
        return replace(read, reason="unreadable")
    return read


def _cause(error: BaseException) -> BaseException:
    seen = 0
    while seen < 10:
        attempt = getattr(error, "last_attempt", None)
        inner = attempt.exception() if attempt is not None else None
        if inner is None:
            break
        error, seen = inner, seen + 1
    return error
