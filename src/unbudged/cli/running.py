"""The options of ``unbudged run`` that say how calls are made and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from ..errors import MissingExtra, UsageError
from .output import complain
from .values import once

F = TypeVar("F", bound=Callable[..., Any])

#: options handed on to ``run`` as they are
NAMES = ("concurrency", "timeout", "retries", "rate", "isolate", "journal", "explanations")


def rate(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    """Read calls a second from "5", "5/s" or "300/m"."""
    if value is None:
        return None
    number, _slash, unit = value.partition("/")
    seconds = {"": 1, "s": 1, "m": 60, "h": 3600}.get(unit.strip())
    try:
        found = float(number) / (seconds or 0)
    except (ValueError, ZeroDivisionError):
        found = -1.0
    if not 0 < found < float("inf"):
        raise click.BadParameter(f"{value!r} is no rate such as 5/s or 300/m")
    return found


_OPTIONS = (
    click.option(
        "--concurrency", type=click.IntRange(1, 4096), metavar="N",
        help="Judge calls in flight at once. [1]",
    ),
    click.option("--timeout", type=float, metavar="SECONDS", help="Longest time of one call."),
    click.option(
        "--retries", type=click.IntRange(0, 100), default=2, show_default=True, metavar="N",
        help="Further attempts after an error that may pass (429, 5xx, lost connections).",
    ),
    click.option("--rate", callback=rate, metavar="N/s", help="Most calls a second (or N/m)."),
    click.option(
        "--isolate", is_flag=True, help="Run the target in processes that can be killed."
    ),
    click.option(
        "--journal", metavar="FILE", multiple=True, callback=once,
        help="Keep every reading in FILE; run again to continue."
    ),
    click.option(
        "--explanations/--no-explanations", default=True,
        help="Keep what the judge said in the journal. [yes]",
    ),
    click.option(
        "--dask", metavar="ADDRESS", multiple=True, callback=once,
        help="Make the calls on this Dask cluster.",
    ),
)


def running(function: F) -> F:
    """Add these options to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@contextmanager
def calling(options: dict[str, Any], target: str) -> Iterator[dict[str, Any]]:
    """Give the arguments of ``run`` that these options stand for; closes what it opened.

    ``target`` is that of the scan, as any process finds it.
    """
    arguments = {name: options[name] for name in NAMES}
    from ..calling import FromFile

    judge = {name: options[name] for name in ("key", "scale", "pass_mark")}
    arguments["_source"] = FromFile(target, judge)
    arguments["_alarm"] = complain
    if options["dask"] is None:
        yield arguments
        return
    with _cluster(options["dask"]) as (executor, workers):
        arguments["executor"] = executor
        if arguments["concurrency"] is None:
            arguments["concurrency"] = workers
        yield arguments


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Any, int]]:
    """Connect to a Dask scheduler; raises UsageError when it is not there."""
    try:
        from distributed import Client
        from distributed.comm import resolve_address
    except ModuleNotFoundError as error:
        if error.name != "distributed":
            raise
        raise MissingExtra(
            '--dask needs Dask, which is not installed: pip install "unbudged[dask]"'
        ) from None
    try:
        resolve_address(address)  # a client that cannot be made would print its own trace
        client = Client(address, timeout=5, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise UsageError(f"the Dask cluster at {address} has no workers")
        yield client.get_executor(pure=False, retries=3), threads
