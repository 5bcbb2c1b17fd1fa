"""run, arun and assert_unbudged: a scan planned, driven and reported."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from .arguments import Baselines, read_baselines
from .core.report import Report
from .core.run import at_once, loop_runs
from .core.target import NeedsLoop
from .errors import UsageError
from .judges import ADAPTERS, built_in_samples, find_adapter
from .prepare import Prepared, plan_scan
from .scan import Interrupted, Scan

if TYPE_CHECKING:
    import asyncio

__all__ = [
    "ADAPTERS", "Baselines", "Interrupted", "Prepared", "arun", "assert_unbudged",
    "built_in_samples",
    "find_adapter", "plan_scan", "read_baselines", "run",
]

P = ParamSpec("P")
T = TypeVar("T")

#: seconds that calls still under way get to end when a scan does
GRACE = 2.0


def _takes(
    source: Callable[P, Any],
) -> Callable[[Callable[..., T]], Callable[P, T]]:
    """Give a function the parameters of another, for readers, editors and type checkers."""

    def decorate(function: Callable[..., T]) -> Callable[P, T]:
        shown = inspect.signature(source)
        kept = [p for p in shown.parameters.values() if not p.name.startswith("_")]
        returns = inspect.signature(function).return_annotation
        function.__signature__ = shown.replace(  # type: ignore[attr-defined]
            parameters=kept, return_annotation=returns
        )
        return function

    return decorate


@_takes(plan_scan)
def run(*args: Any, **options: Any) -> Report:
    """Scan a target and return the report; the options are those of ``plan_scan``.

    Works inside a running event loop too: an async target is then scanned in a
    thread with a loop of its own. Raises UsageError before any judge call when
    something passed cannot be used, Interrupted (a KeyboardInterrupt) with the report
    so far.
    """
    _check_names(options)
    try:
        return _drive(plan_scan(*args, **options))
    except NeedsLoop:  # nothing was read yet
        return _drive(plan_scan(*args, **{**options, "_is_async": True}))


@_takes(plan_scan)
async def arun(*args: Any, **options: Any) -> Report:
    """Scan a target, awaitable; the options are those of ``plan_scan``."""
    _check_names(options)
    try:
        return await Scan(plan_scan(*args, **options)).run()
    except NeedsLoop:  # nothing was read yet; the loop is this one
        return await Scan(plan_scan(*args, **{**options, "_is_async": True})).run()


@_takes(plan_scan)
def assert_unbudged(*args: Any, **options: Any) -> Report:
    """Scan a target; raise AssertionError with the text report unless it held."""
    report = run(*args, **options)
    if not report.ok:
        raise AssertionError(report.to_text())
    return report


def _check_names(options: dict[str, Any]) -> None:
    """Raise UsageError for an option there is not, naming the one that was meant."""
    known = inspect.signature(plan_scan).parameters
    for name in options:
        if name not in known:
            import difflib

            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError(f"there is no option {name!r}{hint}")


def _drive(prepared: Prepared) -> Report:
    """Run a scan without an event loop where nothing in it waits, with one else."""
    scan = Scan(prepared)
    try:
        if prepared.calling.needs_loop(prepared.judge.info):
            return _on_loop(scan.run, prepared)
        report = at_once(scan.run())
        if report is not None:
            return report
        scan = Scan(prepared)  # a judge that waits without saying so: nothing was answered yet
        return _on_loop(scan.run, prepared)
    except KeyboardInterrupt as stop:
        raise Interrupted(scan.report("the scan was interrupted")) from stop


def _on_loop(start: Callable[[], Coroutine[Any, Any, T]], prepared: Prepared) -> T:
    """Run a coroutine on a loop of its own, in another thread where one runs here."""
    import asyncio

    width = prepared.calling.width(prepared.judge.info)
    loop = asyncio.new_event_loop()
    if not loop_runs():
        return _to_end(loop, start(), width)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(lambda: _to_end(loop, start(), width))
        try:
            return future.result()
        except KeyboardInterrupt:
            loop.call_soon_threadsafe(_cancel_all, loop)
            raise


def _to_end(
    loop: asyncio.AbstractEventLoop, task: Coroutine[Any, Any, T], width: int
) -> T:
    """Run one coroutine; what it leaves behind gets ``GRACE`` seconds, asyncio.run has none."""
    import asyncio

    from .calling.threads import LoopThreads

    # scorers that hand their work to asyncio.to_thread get as many threads as calls
    loop.set_default_executor(LoopThreads(width + 4))
    try:
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(task)
    finally:
        try:
            left = _cancel_all(loop)
            if left:
                loop.run_until_complete(asyncio.wait(left, timeout=GRACE))
            # what goes on regardless is left behind, and has been told of
            loop.set_exception_handler(lambda *_: None)
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> set[asyncio.Task[Any]]:
    import asyncio

    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    return tasks
