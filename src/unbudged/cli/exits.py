"""A target that ends the process, or would keep it from ending: the exit code stays ours."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn

from .output import complain

#: nothing was measured
UNMEASURED = 3
_leave = os._exit  # the system's own, whatever takes its name later
_code = 0


def watch_exits() -> None:
    """Make ``os._exit`` in this process, not in its children, end it with ``UNMEASURED``.

    With the code given it would be taken for a result of the scan, 0 for a clean one.
    """
    own = os.getpid()

    def told(status: int) -> NoReturn:
        if os.getpid() == own and isinstance(status, int):
            complain(
                f"the target ended the process by os._exit({status}): no result;"
                " --isolate keeps it apart"
            )
            status = UNMEASURED
        _leave(status)

    os._exit = told
    atexit.register(_leave_behind)  # before the target's own handlers, so that it runs after them


def end_with(code: int) -> None:
    """Say which code the process ends with."""
    global _code
    _code = code


def _leave_behind() -> None:
    """End here when calls are under way that ignore their end: Python would try it for ever."""
    carry = sys.modules.get("unbudged.calling.carry")
    if carry is not None and carry.LEFT_BEHIND:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        _leave(_code)
