"""Plain functions called in threads, so that many of them wait for a judge at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import Any

Job = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class Threads:
    """A fixed number of threads of our own.

    The standard pool's threads keep Python from ending while one of them hangs in a
    user's function; these are daemons, and one that hangs is replaced.
    """

    def __init__(self, count: int) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._count = 0
        for _ in range(count):
            self._add()

    def _add(self) -> None:
        self._count += 1
        name = f"unbudged-call-{self._count}"
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def start(self, function: Callable[[], Any]) -> asyncio.Future[Any]:
        """Queue a call; the future belongs to the running loop."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._jobs.put((function, loop, future))
        return future

    def replace_one(self) -> None:
        """Start a thread for one that hangs."""
        self._add()

    def close(self) -> None:
        """Let every thread end after its call."""
        for _ in range(self._count):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            function, loop, future = job
            if future.cancelled():  # given up while it waited for a thread
                continue
            try:
                value, error = function(), None
            except BaseException as raised:  # noqa: BLE001 - the caller's to judge
                value, error = None, raised
            try:
                loop.call_soon_threadsafe(_settle, future, value, error)
            except RuntimeError:  # the loop has ended: nobody waits for a late answer
                return


class LoopThreads(ThreadPoolExecutor):
    """The threads behind ``asyncio.to_thread``: daemons, as those of ``Threads``.

    An event loop takes no other class; of the standard one nothing but its name is used.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._most, self._started, self._over = count, 0, False
        self._free = threading.Semaphore(0)
        self._guard = threading.Lock()
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a call; raises RuntimeError after ``shutdown``."""
        future: Future[Any] = Future()
        with self._guard:
            if self._over:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._jobs.put((future, partial(fn, *args, **kwargs)))
            if not self._free.acquire(blocking=False) and self._started < self._most:
                self._started += 1
                name = f"unbudged-loop-{self._started}"
                threading.Thread(target=self._serve, name=name, daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let every thread end after its call; waits for none."""
        with self._guard:
            if not self._over:
                self._over = True
                for _ in range(self._started):
                    self._jobs.put(None)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001 - the caller's to judge
                    future.set_exception(error)
            del job, future, call
            self._free.release()


def _settle(future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if future.done():  # given up
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)
