"""How one call is carried out: in place, on the event loop, in a thread, in a process."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ..core.judge import Judge, Reading, Unscorable
from ..core.run import Stopped, read_safely
from ..core.sample import Sample
from ..core.target import CallableJudge
from ..errors import TargetError, UnbudgedError
from .remote import hold, pack, read_held, read_here, read_packed

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .threads import Threads


class Carrier(Protocol):
    """A way to make one call. ``read`` never raises but for what stops a scan; ``stuck``
    counts calls that outlived the timeout because nothing could interrupt them; ``close``
    lets go of threads and processes, without waiting for one that hangs.
    """

    stuck: int

    async def read(self, sample: Sample) -> Reading: ...

    def close(self) -> None: ...


class InPlace:
    """Call the judge where the scan runs, for as long as it takes."""

    stuck = 0

    def __init__(self, judge: Judge) -> None:
        # our own judge of a callable already checks what it reads
        checked = type(judge) is CallableJudge
        self.read = judge.read if checked else partial(read_safely, judge)

    def close(self) -> None:
        """Nothing is held."""


class OnLoop:
    """Await an async judge, at most ``timeout`` seconds."""

    def __init__(self, judge: Judge, timeout: float) -> None:
        self._judge, self._timeout, self.stuck = judge, timeout, 0

    async def read(self, sample: Sample) -> Reading:
        """Make one call; a late one is cancelled and not waited for."""
        import asyncio

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
        return late(self._timeout)

    def close(self) -> None:
        """Nothing is held: a cancelled call ends with the loop."""


class InThreads:
    """Call a plain judge in a thread; a late one goes on there and is given up."""

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
        # not to be repeated: each repetition would leave one more thread behind
        return Unscorable("timeout", f"no answer within {self._timeout:g} s")

    def close(self) -> None:
        """Let the threads end."""
        self._threads.close()


class InProcesses:
    """Call the judge in worker processes that are killed when a call is late."""

    #: calls after which a worker is replaced: what leaks is given back
    CALLS_PER_WORKER = 500

    def __init__(self, parcel: bytes, count: int, timeout: float | None) -> None:
        from multiprocessing import get_context

        from pebble import ProcessPool

        self._timeout, self._answered, self.stuck = timeout, False, 0
        self._pool = ProcessPool(
            max_workers=count, max_tasks=self.CALLS_PER_WORKER, initializer=hold,
            initargs=(parcel,), context=get_context("spawn"),
        )

    async def read(self, sample: Sample) -> Reading:
        """Make one call in a worker; raises TargetError when no worker can start."""
        import asyncio
        from concurrent.futures import TimeoutError as Late
        from concurrent.futures.process import BrokenProcessPool

        import cloudpickle
        from pebble import ProcessExpired

        packed = cloudpickle.dumps(sample)
        try:
            future = self._pool.schedule(read_held, args=(packed,), timeout=self._timeout)
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
        return _home(answer)

    def close(self) -> None:
        """Kill the workers."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join(timeout=5)


class OnExecutor:
    """Hand calls to an executor of the user's: threads, processes or other machines."""

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


def read_directly(judge: Judge, sample: Sample) -> Reading:
    """Read with a judge that never waits, without an event loop."""
    task = read_safely(judge, sample)
    try:
        task.send(None)
    except StopIteration as done:
        reading: Reading = done.value
        return reading
    task.close()
    return Unscorable("unreadable", "it waits although it is not async")


def late(timeout: float) -> Unscorable:
    """Return the reading of a call that was cut off."""
    return Unscorable("timeout", f"no answer within {timeout:g} s", 0.0)


def _home(answer: Reading | UnbudgedError) -> Reading:
    if isinstance(answer, UnbudgedError):
        raise answer
    return answer


def _how(code: int | None) -> str:
    if code is not None and code < 0:
        import signal

        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            pass
    return f"exit code {code}"
