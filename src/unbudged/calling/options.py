"""How calls are to be made: the options of a scan that change no result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.judge import JudgeInfo
from ..errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from .remote import FromFile

#: calls in flight on an executor that does not say how many workers it has
ON_EXECUTOR = 8
MOST = 4096
SLOWEST = 1 / 86400  # calls a second


@dataclass(frozen=True, slots=True)
class Calling:
    """``concurrency`` calls in flight (None: one, or as many as the executor has workers),
    ``timeout`` seconds a call may take, ``retries`` further attempts, ``rate`` calls a
    second, ``isolate`` for worker processes, or an ``executor`` of the user's; ``alarm`` is told
    what cannot wait for the report (None: a Python warning)."""

    concurrency: int | None = None
    timeout: float | None = None
    retries: int = 2
    rate: float | None = None
    isolate: bool = False
    executor: Executor | None = None
    source: FromFile | None = None
    alarm: Callable[[str], object] | None = None

    def width(self, info: JudgeInfo) -> int:
        """Return how many calls may be in flight."""
        if not info.parallel:
            return 1
        if self.concurrency is None and self.executor is not None:
            known = getattr(self.executor, "_max_workers", None)
            return known if type(known) is int and known > 0 else ON_EXECUTOR
        return self.concurrency or 1

    def needs_loop(self, info: JudgeInfo) -> bool:
        """Tell whether the scan must run on an event loop."""
        return (
            info.is_async or self.width(info) > 1 or self.timeout is not None or self.isolate
            or self.executor is not None
        )


def check_calling(
    concurrency: Any, timeout: Any, retries: Any, rate: Any, isolate: Any, executor: Any
) -> None:
    """Raise UsageError naming the first option that is of the wrong type or range."""
    if concurrency is not None and not (type(concurrency) is int and 1 <= concurrency <= MOST):
        raise UsageError(
            f"concurrency must be a whole number from 1 to {MOST}, not {concurrency!r}"
        )
    for name, value in (("timeout", timeout), ("rate", rate)):
        if value is not None and not (
            isinstance(value, (int, float)) and not isinstance(value, bool)
            and 0 < value < math.inf
        ):
            raise UsageError(f"{name} must be a finite number above 0, not {value!r}")
    if rate is not None and rate < SLOWEST:
        raise UsageError(f"rate must be at least one call a day, not {rate!r} a second")
    if not (type(retries) is int and 0 <= retries <= 100):
        raise UsageError(f"retries must be a whole number from 0 to 100, not {retries!r}")
    if not isinstance(isolate, bool):
        raise UsageError(f"isolate must be True or False, not {isolate!r}")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise UsageError(
            "executor must be a concurrent.futures.Executor, as client.get_executor() of Dask"
            f" gives one, not {type(executor).__name__}"
        )
    if executor is not None and isolate:
        raise UsageError("isolate and executor are two places for the same calls: give one")
