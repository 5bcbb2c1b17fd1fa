"""run, arun and assert_unbudged: the stages of a scan joined."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from .arguments import Baselines, read_baselines
from .core.conclude import conclude
from .core.contrast import Alive, tell
from .core.decide import Decision, decide
from .core.judge import Judge, Reading
from .core.report import Report
from .core.run import execute, read_safely
from .core.table import Table
from .core.target import NeedsLoop
from .errors import TargetError
from .prepare import ADAPTERS, Prepared, find_adapter, plan_scan

__all__ = [
    "ADAPTERS", "Baselines", "Prepared", "arun", "assert_unbudged", "find_adapter", "plan_scan",
    "read_baselines", "run",
]

P = ParamSpec("P")
T = TypeVar("T")


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
    something passed cannot be used.
    """
    return _drive(lambda is_async: _scan(*args, _is_async=is_async, **options))


@_takes(plan_scan)
async def arun(*args: Any, **options: Any) -> Report:
    """Scan a target, awaitable; the options are those of ``plan_scan``."""
    try:
        return await _scan(*args, _is_async=None, **options)
    except NeedsLoop:  # nothing was read yet; the loop is this one
        return await _scan(*args, _is_async=True, **options)


@_takes(plan_scan)
def assert_unbudged(*args: Any, **options: Any) -> Report:
    """Scan a target; raise AssertionError with the text report unless it held."""
    report = run(*args, **options)
    if not report.ok:
        raise AssertionError(report.to_text())
    return report


def _drive(start: Callable[[bool | None], Coroutine[Any, Any, T]]) -> T:
    """Run a scan without an event loop while nothing in it waits, with one else."""
    task = start(None)
    try:
        task.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    except (NeedsLoop, _Async):
        pass
    else:  # a judge that waits without saying so: nothing was answered yet
        task.close()
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start(True))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(start(True))).result()


class _Async(Exception):
    """The target is async and no loop runs yet."""


async def _scan(*args: Any, **options: Any) -> Report:
    is_async = options.get("_is_async")
    scan = plan_scan(*args, **options)
    if scan.judge.info.is_async and is_async is None and not _loop_runs():
        raise _Async
    plan, judge = scan.plan, scan.judge
    table = Table(plan)
    alive: Alive | None = None
    extra = 0
    preflight = getattr(judge, "preflight", None)
    if preflight is not None:
        extra += await preflight(plan.baselines)
    if scan.contrast:
        alive, made = await _alive(judge, scan)
        extra += made
    decision = Decision((), {})
    stopped = None
    while alive in (None, "able"):
        decision = decide(plan, table, scan.settings)
        if not decision.groups:
            _check_key(table)
            break
        left = None if scan.max_calls is None else max(0, scan.max_calls - extra)
        if not await execute(judge, plan, table, decision.groups, left):
            decision = decide(plan, table, scan.settings, last=True)
            stopped = f"the {scan.max_calls} calls allowed were used up"
            break
    return conclude(
        plan, table, decision, scan.settings, judge.info, alive=alive, extra_calls=extra,
        stopped=stopped, options=scan.options, versions=_versions(judge),
        costs=getattr(judge, "costs", None),
    )


async def _alive(judge: Judge, scan: Prepared) -> tuple[Alive, int]:
    """Return whether the judge ranks the contrast, and the calls that took.

    A noisy judge may rank one reading wrongly: "inverted" is said after three only.
    """
    sides: tuple[list[Reading], list[Reading]] = ([], [])
    made = 0
    alive: Alive = "inverted"
    for _ in range(3):
        if made and scan.max_calls is not None and scan.max_calls <= made + scan.contrast_calls:
            break
        for side, samples in zip(sides, scan.contrast or ((), ()), strict=True):
            side += [await read_safely(judge, sample) for sample in samples]
        made += scan.contrast_calls
        alive = tell(*sides, judge.info)
        if alive != "inverted":
            break
    return alive, made


def _check_key(table: Table) -> None:
    """Raise TargetError when no reading had the key asked for: a typo, not a bad judge."""
    details = {reading.detail for _, reading in table.failed}
    if details and not table.channels and all(d.startswith("no key ") for d in details):
        raise TargetError(sorted(details)[0])


def _loop_runs() -> bool:
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


def _versions(judge: Judge) -> dict[str, str]:
    from .version import VERSION

    own = {"unbudged": VERSION, "python": sys.version.split()[0]}
    return {**own, **getattr(judge, "versions", {})}
