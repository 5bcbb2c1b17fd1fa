"""How far a scan is: what `progress=` is told after every reading."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a scan stands. ``done`` readings of the ``wanted`` known so far (more may be
    wanted later), ``calls`` judge calls, ``in_flight`` of them under way, ``moved``
    payloads so far, ``seconds`` since the start, ``costs`` as the judge counts them."""

    done: int
    wanted: int
    calls: int
    in_flight: int
    moved: int
    seconds: float
    costs: Mapping[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Readings a second, 0.0 before the first."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds until what is wanted so far is read, None before the first reading."""
        return (self.wanted - self.done) / self.rate if self.rate else None


Report = Callable[[Progress], object]


class Meter:
    """Count readings and tell ``report`` of each."""

    def __init__(self, report: Report, wanted: int) -> None:
        self._report, self._wanted = report, wanted
        self._start = time.monotonic()
        self._done = self.moved = 0

    def wants(self, count: int) -> None:
        """Take note that ``count`` more readings are wanted now."""
        self._wanted = max(self._wanted, self._done + count)

    def read(self, source: Any, judge: Any) -> None:
        """Count one reading of the scan's source and tell of it."""
        self._done += 1
        in_flight = source.pace.in_flight if hasattr(source, "pace") else 0
        self._report(
            Progress(
                self._done, max(self._wanted, self._done), source.calls, in_flight, self.moved,
                time.monotonic() - self._start, dict(getattr(judge, "costs", None) or {}),
            )
        )
