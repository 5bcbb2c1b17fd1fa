"""The source of a scan that pays: paced, repeated where it helps, stopped when the judge is
down, every reading on disk before it counts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from ..core.judge import Reading, Scored, Unscorable
from ..core.plan import Call
from ..core.run import Quick, Stopped
from ..core.sample import Sample
from .pace import Pace
from .retry import again, may_pass

#: calls in a row, each with its retries, after which a judge counts as down
DOWN_AFTER = 10

Carry = Callable[[Sample], Awaitable[Reading]]


class Store(Protocol):
    """Where readings are kept: ``get`` returns (reading, calls it took) or None."""

    def get(self, call: Call) -> tuple[Reading, int] | None: ...

    async def put(self, call: Call, reading: Reading, calls: int) -> None: ...

    def forget(self, calls: list[Call]) -> None: ...


class Buyer:
    """Buy each reading once, through ``carry``, which makes one call and never raises.

    ``quick`` makes one too, of a text. ``width`` calls may be in flight, ``rate`` start a
    second, ``max_calls`` be made in all; ``retries`` further attempts follow one that may
    pass. ``calls`` counts those of the scan, ``repeated`` the attempts beyond the first.
    """

    def __init__(
        self, carry: Carry, *, width: int = 1, retries: int = 0, rate: float | None = None,
        max_calls: int | None = None, store: Store | None = None,
        known: Sample | None = None, quick: Quick | None = None,
    ) -> None:
        self._carry, self._retries, self._max_calls = carry, retries, max_calls
        self._store = store
        # nothing need stand between the scan and a judge that answers
        self._quick = quick if width == 1 and not rate and store is None else None
        self.width, self.pace = width, Pace(width, rate)
        self.calls = self.repeated = 0
        self._failed: list[Call] = []  # in a row, the latest ones
        self._known = known  # one that the judge scored, or is to be tried first
        self._down = False

    def take(self, count: int) -> bool:
        """Count calls about to be made; False when ``max_calls`` does not allow them."""
        if self._max_calls is not None and self.calls + count > self._max_calls:
            return False
        self.calls += count
        return True

    @property
    def quick(self) -> Quick | None:
        """The plain call, while nothing is to be kept, paced or watched."""
        return None if self._failed else self._quick

    async def read(self, call: Call, sample: Sample, first: Reading | None = None) -> Reading:
        """Return the stored reading, or buy and store one; raises Stopped when the judge is
        down or the reading cannot be stored."""
        if self._store is not None and (kept := self._store.get(call)):
            reading, calls = kept
            self.calls += calls - 1
            return reading
        if self._down:
            raise Stopped(f"the judge is down: {DOWN_AFTER} calls in a row failed")
        reading, calls = await self._buy(sample, first)
        if self._store is not None:
            await self._store.put(call, reading, calls)
        await self._watch(call, sample, reading)
        return reading

    async def spare(self) -> bool:
        """Have no use for an idle worker."""
        return False

    async def _buy(self, sample: Sample, first: Reading | None) -> tuple[Reading, int]:
        reading = await self._once(sample) if first is None else self._noted(first)
        if not self._retries or not may_pass(reading):
            return reading, 1
        reading, calls = await again(
            reading, lambda: self._once(sample), self._retries, lambda: self.take(1)
        )
        self.repeated += calls - 1
        return reading, calls

    async def _once(self, sample: Sample) -> Reading:
        await self.pace.enter()
        try:
            reading = await self._carry(sample)
        finally:
            self.pace.leave()
        return self._noted(reading)

    def _noted(self, reading: Reading) -> Reading:
        if isinstance(reading, Unscorable) and reading.overloaded:
            self.pace.overloaded(reading.retry_after)
        else:
            self.pace.worked()
        return reading

    async def _watch(self, call: Call, sample: Sample, reading: Reading) -> None:
        """Open the circuit when too many calls in a row failed in a way that may pass.

        Texts that make a judge fail are no proof that it is down: a text that it scored
        before is tried first. What failed is forgotten by the store: a later scan buys it.
        """
        if not _failed(reading):
            self._failed.clear()
            self._known = sample if isinstance(reading, Scored) else self._known
            return
        self._failed.append(call)
        if self._down:  # this call was in flight when the circuit opened
            self._forget([call])
        elif len(self._failed) % DOWN_AFTER == 0:
            known = self._known
            if known is not None and self.take(1) and not _failed(await self._once(known)):
                self._failed.clear()
                return
            self._down = True
            self._forget(self._failed)

    def _forget(self, calls: list[Call]) -> None:
        if self._store is not None:
            self._store.forget(calls)


def _failed(reading: Reading) -> bool:
    late = isinstance(reading, Unscorable) and reading.reason == "timeout"
    return late or may_pass(reading)
