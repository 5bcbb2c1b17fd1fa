"""A target that ends the process: said, with an exit code that no result has."""

from __future__ import annotations

import os
from typing import NoReturn

from .output import complain

#: nothing was measured
UNMEASURED = 3


def watch_exits() -> None:
    """Make ``os._exit`` in this process, not in its children, end it with ``UNMEASURED``.

    With the code given it would be taken for a result of the scan, 0 for a clean one.
    """
    leave, own = os._exit, os.getpid()

    def told(status: int) -> NoReturn:
        if os.getpid() == own and isinstance(status, int):
            complain(
                f"the target ended the process by os._exit({status}): no result;"
                " --isolate keeps it apart"
            )
            status = UNMEASURED
        leave(status)

    os._exit = told
