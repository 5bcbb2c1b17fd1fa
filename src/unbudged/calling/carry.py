"""How one call is carried out in this process: in place, on the event loop, in a thread."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ..core.judge import Judge, Reading, Unscorable
from ..core.run import Quick, read_at_once, read_safely
from ..core.sample import Sample
from ..core.target import CallableJudge

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from .threads import Threads


#: calls that take no notice of being cancelled: Python must not try to end them once more
LEFT_BEHIND: set[asyncio.Task[Reading]] = set()


class Carrier(Protocol):
    """A way to make one call. ``read`` never raises but for what stops a scan; ``stuck``
    counts calls that outlived the timeout because nothing could interrupt them; ``close``
    lets go of threads and processes, without waiting for one that hangs. ``quick`` reads a
    text at once, without a sample, where the judge can.
    """

    stuck: int

    @property
    def quick(self) -> Quick | None: ...

    async def read(self, sample: Sample) -> Reading: ...

    def close(self) -> None: ...


class InPlace:
    """Call the judge where the scan runs, for as long as it takes."""

    stuck = 0

    def __init__(self, judge: Judge) -> None:
        # our own judge of a callable already checks what it reads
        checked = type(judge) is CallableJudge
        self.read = judge.read if checked else partial(read_safely, judge)
        self.quick: Quick | None = None
        if isinstance(judge, CallableJudge) and checked and not judge.info.is_async:
            self.quick = judge.read_text

    def close(self) -> None:
        """Nothing is held."""


class OnLoop:
    """Await an async judge, at most ``timeout`` seconds; ``alarm`` is told when it cannot be."""

    quick = None
    #: seconds that a call which is cancelled gets to end
    PARTING = 0.1

    def __init__(
        self, judge: Judge, timeout: float, alarm: Callable[[str], object] | None = None
    ) -> None:
        from .standstill import Standstill

        self._judge, self._timeout, self.stuck = judge, timeout, 0
        self._standstill = Standstill(timeout, alarm)
        self._left: list[asyncio.Task[Reading]] = []

    async def read(self, sample: Sample) -> Reading:
        """Make one call; a late one is cancelled, and left behind if it takes no notice."""
        import asyncio

        self._standstill.watch()
        started = time.monotonic()
        task = asyncio.ensure_future(read_safely(self._judge, sample))
        try:
            await asyncio.wait({task}, timeout=self._timeout)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done():
            # it may have held the loop all along: then no timer could fire
            self.stuck += time.monotonic() - started > self._timeout * 1.5 + 0.1
            return task.result()
        task.cancel()
        await asyncio.wait({task}, timeout=self.PARTING)
        if task.done():
            return late(self._timeout)
        self.stuck += 1
        self._left.append(task)
        LEFT_BEHIND.add(task)
        task.add_done_callback(LEFT_BEHIND.discard)
        return given_up(self._timeout)

    def close(self) -> None:
        """Let go of what was left behind: the loop must not wait for it when it ends."""
        import asyncio

        self._standstill.close()
        for task in self._left:
            if not task.done():
                asyncio._unregister_task(task)


class InThreads:
    """Call a plain judge in a thread; a late one goes on there and is given up."""

    quick = None

    def __init__(self, judge: Judge, threads: Threads, timeout: float | None) -> None:
        self._judge, self._threads, self._timeout, self.stuck = judge, threads, timeout, 0

    async def read(self, sample: Sample) -> Reading:
        """Make one call in a thread of the pool."""
        import asyncio

        judge = self._judge
        future = self._threads.start(lambda: read_directly(judge, sample))
        if self._timeout is None:
            reading: Reading = await future
            return reading
        await asyncio.wait({future}, timeout=self._timeout)
        if future.done():
            reading = future.result()
            return reading
        future.cancel()
        self.stuck += 1
        self._threads.replace_one()
        return given_up(self._timeout)

    def close(self) -> None:
        """Let the threads end."""
        self._threads.close()


def read_directly(judge: Judge, sample: Sample) -> Reading:
    """Read with a judge that never waits, without an event loop."""
    if type(judge) is CallableJudge and not judge.info.is_async:
        return judge.read_text(sample.output)
    reading = read_at_once(judge, sample)
    return reading or Unscorable("unreadable", "it waits although it is not async")


def late(timeout: float) -> Unscorable:
    """Return the reading of a call that was cut off."""
    return Unscorable("timeout", f"no answer within {timeout:g} s", 0.0)


def given_up(timeout: float) -> Unscorable:
    """Return the reading of a call that goes on: repeated, it would leave one more behind."""
    return Unscorable("timeout", f"no answer within {timeout:g} s")
