"""Calls made before the rules ask for them, so that a pool of many does not stand idle.

Only for a noisy judge: its rules ask for pairs of attack and fresh twin round by round, and
the next round's pairs of the payloads still in question are known beforehand. For a judge
that repeats itself the report must not depend on the concurrency, and a call made in vain
is counted.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING

from ..core.judge import Reading
from ..core.plan import Call, Plan
from ..core.run import Stopped
from ..core.sample import Sample
from .buyer import Buyer

if TYPE_CHECKING:
    import asyncio

#: rounds beyond the one asked for
ROUNDS = 4
#: calls that may turn out not to be needed, as a share of those made: they cost money
AT_RISK = 0.05


def next_rounds(groups: Iterable[tuple[Call, ...]], seen: Container[Call]) -> Iterator[Call]:
    """Yield the pairs that these pairs will most likely be followed by, nearest round first."""
    pairs = [g for g in groups if len(g) == 2 and {c.arm for c in g} == {"attack", "twin"}]
    for step in range(1, ROUNDS + 1):
        for pair in pairs:
            later = [
                call._replace(round=call.round + step, k=call.k and call.k + step)
                for call in pair
            ]
            if not any(call in seen for call in later):
                yield from later


class Ahead:
    """A source that uses idle workers for the calls it was told to expect.

    What it bought is handed out when it is asked for; ``unused`` counts what never was.
    """

    quick = None

    def __init__(self, buyer: Buyer) -> None:
        self._buyer, self.width, self.pace = buyer, buyer.width, buyer.pace
        self._stock: dict[Call, asyncio.Task[Reading]] = {}
        self._next: Iterator[tuple[Call, Sample]] = iter(())

    @property
    def calls(self) -> int:
        return self._buyer.calls

    @calls.setter
    def calls(self, count: int) -> None:
        self._buyer.calls = count

    @property
    def repeated(self) -> int:
        return self._buyer.repeated

    @property
    def unused(self) -> int:
        return len(self._stock)

    def expect(
        self, plan: Plan, groups: Iterable[tuple[Call, ...]], seen: Container[Call]
    ) -> None:
        """Say which pairs are asked for now, to have the next ones ready."""
        self._next = (
            (call, plan.baselines[call.baseline].with_output(plan.text(call)))
            for call in next_rounds(groups, seen)
            if call not in self._stock
        )

    def take(self, count: int) -> bool:
        """Count calls about to be made, as the buyer does."""
        return self._buyer.take(count)

    async def read(self, call: Call, sample: Sample, first: Reading | None = None) -> Reading:
        """Return what was bought ahead, or buy it now."""
        task = self._stock.pop(call, None)
        if task is None:
            return await self._buyer.read(call, sample)
        self._buyer.calls -= 1  # counted when it was started
        return await task

    async def spare(self) -> bool:
        """Make the next expected call; False when none is expected, or too many are unused."""
        import asyncio

        if len(self._stock) >= AT_RISK * self._buyer.calls:
            return False
        call, sample = next(self._next, (None, None))
        if call is None or sample is None or not self._buyer.take(1):
            return False
        task = asyncio.ensure_future(self._buyer.read(call, sample))
        self._stock[call] = task
        try:
            await asyncio.shield(task)  # it goes on when its batch is done
        except Stopped:
            return False
        return True

    async def close(self) -> None:
        """Wait for nothing: cancel what is still under way."""
        import asyncio

        for task in self._stock.values():
            task.cancel()
        if self._stock:
            await asyncio.wait(self._stock.values(), timeout=1)
            for task in self._stock.values():
                if task.done() and not task.cancelled():
                    task.exception()  # looked at, so that nobody is warned of it
