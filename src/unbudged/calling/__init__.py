"""How calls to the judge are made: concurrency, pace, retries, isolation, other machines."""

from __future__ import annotations

from ..core.judge import Judge
from .ahead import Ahead
from .away import InProcesses, OnExecutor
from .buyer import Buyer, Store
from .carry import Carrier, InPlace, InThreads, OnLoop
from .options import Calling, check_calling
from .remote import FromFile, pack

__all__ = ["Ahead", "Buyer", "Calling", "Carrier", "FromFile", "Store", "carrier", "check_calling"]


def carrier(judge: Judge, calling: Calling) -> Carrier:
    """Return the way this judge is called; raises UsageError when it cannot be sent away."""
    info = judge.info
    width = calling.width(info)
    if calling.isolate:
        return InProcesses(pack(judge, calling.source), width, calling.timeout)
    if calling.executor is not None:
        return OnExecutor(judge, calling.executor, calling.timeout)
    if info.is_async:
        if calling.timeout is None:
            return InPlace(judge)
        return OnLoop(judge, calling.timeout, calling.alarm)
    if width > 1 or calling.timeout is not None:
        from .threads import Threads

        return InThreads(judge, Threads(width), calling.timeout)
    return InPlace(judge)
