"""How fast calls may start: a rate, and one slowdown for all when the judge is overloaded."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from ..core.run import loop_runs

#: seconds that an overloaded judge is left alone when it does not say how long
PAUSE = 1.0


async def pause(seconds: float) -> None:
    """Wait without blocking a running event loop; without one, block."""
    if loop_runs():
        import asyncio

        await asyncio.sleep(seconds)
    else:
        time.sleep(seconds)


class Pace:
    """Let calls start: at most ``width`` in flight, at most ``rate`` a second.

    When the judge says that it is overloaded all calls wait, and the number in flight is
    halved; every call that then works allows one over that number more (additive increase,
    multiplicative decrease: Chiu and Jain 1989, as in TCP).
    """

    def __init__(self, width: int, rate: float | None = None) -> None:
        self._width, self._every = width, 1 / rate if rate else 0.0
        self._limit = float(width)
        self._next = self._held = 0.0
        self._waiting: deque[Any] = deque()
        self.in_flight = 0
        self.slowed = 0

    async def enter(self) -> None:
        """Wait until one more call may start, and count it as in flight."""
        while self.in_flight >= max(1, int(self._limit)):
            import asyncio  # only a loop has two calls at once

            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self.in_flight += 1
        try:
            if self._every:
                at = max(time.monotonic(), self._next)
                self._next = at + self._every
                if (wait := at - time.monotonic()) > 0:
                    await pause(wait)
            while (wait := self._held - time.monotonic()) > 0:
                await pause(wait)
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """Count a call as done and let the next one in."""
        self.in_flight -= 1
        room = max(1, int(self._limit)) - self.in_flight
        while self._waiting and room > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                room -= 1

    def worked(self) -> None:
        """Take note of a call that the judge answered."""
        if self._limit < self._width:
            self._limit = min(self._width, self._limit + 1 / self._limit)

    def overloaded(self, seconds: float | None) -> None:
        """Hold all calls back; calls in flight that say the same count as one slowdown."""
        now = time.monotonic()
        if now >= self._held:
            self._limit = max(1.0, self._limit / 2)
            self.slowed += 1
        self._held = max(self._held, now + (seconds or PAUSE))
