"""How calls to the judge are made: concurrency, pace, retries, isolation, other machines."""

from __future__ import annotations

from ..core.judge import Judge
from .ahead import Ahead
from .away import InProcesses, OnExecutor
from .buyer import Buyer, Store
from .carry import Carrier, InPlace, InThreads, OnLoop
from .options import Calling, check_calling
from .remote import FromFile, pack

__all__ = [
    "Ahead", "Buyer", "Calling", "Carrier", "FromFile", "Store", "carrier", "check_calling",
    "under_way",
]

#: threads for which one call more is handed out than there are threads
THREADS_PER_WAITING = 16


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
    if _in_threads(judge, calling):
        from .threads import Threads

        return InThreads(judge, Threads(width), calling.timeout)
    return InPlace(judge)


def under_way(judge: Judge, calling: Calling) -> int:
    """Return how many calls may be handed out at once.

    Where many threads call, a few more than there are threads: a thread that is done takes the
    next call at once, however busy the event loop is. Not where a wait would count as lateness,
    or starts are timed.
    """
    width = calling.width(judge.info)
    if _in_threads(judge, calling) and calling.timeout is None and calling.rate is None:
        return width + width // THREADS_PER_WAITING
    return width


def _in_threads(judge: Judge, calling: Calling) -> bool:
    elsewhere = calling.isolate or calling.executor is not None or judge.info.is_async
    return not elsewhere and (calling.width(judge.info) > 1 or calling.timeout is not None)
