"""Which failures of a call pass by themselves, and how long the judge asks to be left alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: seconds; a judge that asks for more is not waited for
LONGEST_WAIT = 120.0
_STATUSES = frozenset((408, 425, 429))
#: by name, so that no client library has to be there; each is a passing fault in its library
_NAMES = frozenset((
    "APIConnectionError", "APITimeoutError", "ClientConnectionError", "ConnectError",
    "ConnectTimeout", "ConnectionError", "DeadlineExceeded", "InternalServerError",
    "OverloadedError", "PoolTimeout", "RateLimitError", "ReadError", "ReadTimeout",
    "RemoteProtocolError", "ServerDisconnectedError", "ServiceUnavailable",
    "ServiceUnavailableError", "ThrottlingException", "Timeout", "TimeoutError",
    "TooManyRequests", "WriteError", "WriteTimeout",
))  # fmt: skip
#: errors that come as 429 and stay
_SPENT = ("insufficient_quota", "billing_hard_limit_reached")


def wait_after(error: BaseException) -> float | None:
    """Return the least seconds to wait before the call may work, None when it never will.

    Timeouts, lost connections, and HTTP 408, 425, 429 and 5xx pass; what the judge
    asks for in Retry-After (RFC 9110, 10.2.3: seconds or a date) is at most
    ``LONGEST_WAIT``. An error that wraps another is what it wraps.
    """
    for link in _chain(error):
        if getattr(link, "code", None) in _SPENT:
            return None
        status = _status(link)
        if status is not None:
            if status in _STATUSES or 500 <= status < 600:
                asked = _asked(link)
                return asked if asked <= LONGEST_WAIT else None
            return None
        if isinstance(link, (TimeoutError, ConnectionError)):
            return 0.0
        if any(cls.__name__ in _NAMES for cls in type(link).__mro__):
            return _asked(link)
    return None


def overloaded(error: BaseException) -> bool:
    """Tell whether the judge said that it gets too many calls: HTTP 429, 503 or 529."""
    return any(
        _status(link) in (429, 503, 529) or type(link).__name__ == "RateLimitError"
        for link in _chain(error)
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it wraps: causes, and ``reason`` as urllib's URLError has it."""
    seen: set[int] = set()
    link: Any = error
    while isinstance(link, BaseException) and id(link) not in seen and len(seen) < 8:
        seen.add(id(link))
        yield link
        reason = getattr(link, "reason", None)
        link = link.__cause__ or (reason if isinstance(reason, BaseException) else None)


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    for holder in (error, response):
        for name in ("status_code", "status", "code", "http_status"):
            value = getattr(holder, name, None)
            if type(value) is int and 100 <= value < 600:
                return value
    return None


def _asked(error: BaseException) -> float:
    """Return the seconds of a Retry-After header, 0.0 without one that can be read."""
    for holder in (getattr(error, "response", None), error):
        headers = getattr(holder, "headers", None)
        if headers is None or not hasattr(headers, "get"):
            continue
        exact = headers.get("retry-after-ms") or headers.get("Retry-After-Ms")
        said = headers.get("retry-after") or headers.get("Retry-After")
        for value, unit in ((exact, 0.001), (said, 1.0)):
            seconds = _seconds(value)
            if seconds is not None:
                return max(0.0, seconds * unit)
    return 0.0


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
        return number if number == number else None
    except (TypeError, ValueError):
        pass
    from datetime import datetime, timezone
    from email.utils import parsedate_to_datetime

    try:
        when = parsedate_to_datetime(str(value))
        return (when - datetime.now(timezone.utc)).total_seconds()
    except (TypeError, ValueError):
        return None
