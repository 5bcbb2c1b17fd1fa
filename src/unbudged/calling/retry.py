"""Calls made again when what went wrong may pass, with tenacity's backoff and jitter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..core.judge import Reading, Unscorable
from .pace import pause

if TYPE_CHECKING:
    from tenacity import RetryCallState

#: seconds before the second attempt; doubled for each further one, with as much jitter
FIRST_WAIT = 0.5
LONGEST_BACKOFF = 60.0


def may_pass(reading: Reading) -> bool:
    """Tell whether the same call may work later."""
    return type(reading) is Unscorable and reading.retry_after is not None


async def again(
    first: Reading, once: Callable[[], Awaitable[Reading]], retries: int, take: Callable[[], bool]
) -> tuple[Reading, int]:
    """Repeat a call whose ``first`` reading may pass; return the last reading and the attempts.

    Waits at least as long as the judge asked. ``take`` is asked before each further call
    and may refuse it.
    """
    from tenacity import (
        AsyncRetrying,
        retry_if_result,
        stop_after_attempt,
        wait_exponential,
        wait_random,
    )

    backoff = wait_exponential(FIRST_WAIT, LONGEST_BACKOFF) + wait_random(0, FIRST_WAIT)
    attempts = 0

    async def attempt() -> Reading:
        nonlocal attempts
        attempts += 1
        return first if attempts == 1 else await once()

    def wait(state: RetryCallState) -> float:
        reading = _outcome(state)
        asked = reading.retry_after if isinstance(reading, Unscorable) else 0.0
        return max(asked or 0.0, backoff(state))

    retrying = AsyncRetrying(
        sleep=pause,
        retry=retry_if_result(may_pass),
        stop=lambda state: stop_after_attempt(retries + 1)(state) or not take(),
        wait=wait,
        retry_error_callback=_outcome,
    )
    return await retrying(attempt), attempts


def _outcome(state: RetryCallState) -> Reading:
    assert state.outcome is not None
    reading: Reading = state.outcome.result()
    return reading
