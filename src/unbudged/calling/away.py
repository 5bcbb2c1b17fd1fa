"""How one call is carried out elsewhere: in worker processes, on an executor of the user's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.judge import Judge, Reading, Unscorable
from ..core.run import Stopped
from ..core.sample import Sample
from ..errors import TargetError, UnbudgedError
from .carry import late
from .remote import hold, pack, preflight_held, read_held, read_here, read_packed, undisturbed

if TYPE_CHECKING:
    from concurrent.futures import Executor


class InProcesses:
    """Call the judge in worker processes that are killed when a call is late."""

    #: calls after which a worker is replaced: what leaks is given back
    CALLS_PER_WORKER = 500
    quick = None

    def __init__(self, parcel: bytes, count: int, timeout: float | None) -> None:
        from pebble import ProcessPool

        from .worker import Workers

        self._timeout, self._answered, self.stuck = timeout, False, 0
        self._pool = ProcessPool(
            max_workers=count, max_tasks=self.CALLS_PER_WORKER, initializer=hold,
            initargs=(parcel,), context=Workers(),
        )

    async def read(self, sample: Sample) -> Reading:
        """Make one call in a worker; raises TargetError when no worker can start."""
        answer = await self._do(read_held, sample)
        return answer if isinstance(answer, Unscorable) else _home(answer)

    async def preflight(self, samples: Sequence[Sample]) -> int:
        """Let the judge look at the samples in a worker; return the calls it made."""
        answer = await self._do(preflight_held, tuple(samples))
        if isinstance(answer, UnbudgedError):
            raise answer
        return answer if isinstance(answer, int) else 1  # it never answered: the scan will say

    async def _do(self, function: Callable[[bytes], Any], given: Any) -> Any:
        import asyncio
        from concurrent.futures import TimeoutError as Late
        from concurrent.futures.process import BrokenProcessPool

        import cloudpickle
        from pebble import ProcessExpired

        packed = cloudpickle.dumps(given)
        try:
            with undisturbed():
                future = self._pool.schedule(function, args=(packed,), timeout=self._timeout)
            answer = await asyncio.wrap_future(future)
        except (Late, TimeoutError):
            return late(self._timeout or 0.0)
        except (ProcessExpired, BrokenProcessPool, RuntimeError) as error:
            how = _how(error.exitcode) if isinstance(error, ProcessExpired) else str(error)
            if not self._answered:
                raise TargetError(
                    f"the worker process ends before it answers ({how}): a script that isolates"
                    ' its target must scan under `if __name__ == "__main__":`'
                ) from None
            if not isinstance(error, ProcessExpired):
                raise Stopped(f"no worker process can be started any more: {how}") from error
            return Unscorable("error", f"the worker process died: {how}")
        self._answered = True
        return answer

    def close(self) -> None:
        """Kill the workers."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join(timeout=5)


class OnExecutor:
    """Hand calls to an executor of the user's: threads, processes or other machines."""

    quick = None

    def __init__(self, judge: Judge, executor: Executor, timeout: float | None) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._judge, self._executor, self._timeout, self.stuck = judge, executor, timeout, 0
        self._parcel = None if isinstance(executor, ThreadPoolExecutor) else pack(judge)

    async def read(self, sample: Sample) -> Reading:
        """Make one call; raises Stopped when the executor takes no more."""
        import asyncio

        import cloudpickle

        try:
            if self._parcel is None:
                future: Any = self._executor.submit(read_here, self._judge, sample)
            else:
                packed = cloudpickle.dumps(sample)
                future = self._executor.submit(read_packed, self._parcel, packed)
        except RuntimeError as error:  # shut down, or a broken pool
            raise Stopped(f"the executor takes no more calls: {error}") from error
        waiting = asyncio.wrap_future(future)
        await asyncio.wait({waiting}, timeout=self._timeout)
        if not waiting.done():
            self.stuck += not future.cancel()
            return late(self._timeout or 0.0)
        failure = waiting.exception()
        if failure is None:
            return _home(waiting.result())
        if "Broken" in type(failure).__name__:
            raise Stopped(f"the executor is broken: {failure}") from failure
        # a worker that died under the call: the call may well work on another one
        return Unscorable("error", f"{type(failure).__name__}: {failure}"[:300], 0.0)

    def close(self) -> None:
        """The executor is its owner's to close."""


def _home(answer: Reading | UnbudgedError) -> Reading:
    if isinstance(answer, UnbudgedError):
        raise answer
    return answer


def _how(code: int | None) -> str:
    from .worker import ENDED

    if code is not None and code < 0:
        import signal

        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            pass
    return f"exit code {0 if code == ENDED else code}"
