"""What runs in another process: a judge taken out of its parcel, and one reading with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, NamedTuple

from ..core.judge import Judge, Reading, Scored
from ..core.run import read_at_once, read_safely
from ..core.sample import Sample
from ..core.target import NeedsLoop
from ..errors import TargetError, UnbudgedError, UsageError
from ..judges import judge_of

_parcel = b""


class FromFile(NamedTuple):
    """A judge to be made anew by running the target's file: what cannot be pickled is not sent."""

    spec: str
    options: dict[str, Any]


def pack(judge: Judge, source: FromFile | None = None) -> bytes:
    """Return the judge as bytes for another process; raises UsageError when it has none.

    Functions and classes go by value where their module is a target's file or a script,
    else by name.
    """
    import sys

    import cloudpickle

    if source is not None:
        parcel: bytes = cloudpickle.dumps(source)
        return parcel
    for name, module in list(sys.modules.items()):
        if name.startswith("unbudged_target_"):
            cloudpickle.register_pickle_by_value(module)
    try:
        parcel = cloudpickle.dumps(judge)
    except Exception as error:
        raise UsageError(
            f"the target cannot be sent to another process: {type(error).__name__}: {error}"
        ) from error
    return parcel


@lru_cache(maxsize=4)
def _unpack(parcel: bytes) -> Judge:
    import cloudpickle

    try:
        found = cloudpickle.loads(parcel)
    except Exception as error:
        raise TargetError(
            f"the target cannot be taken up in a worker: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(found, FromFile):
        judge: Judge = found
        return judge
    from importlib import import_module

    load_target = import_module("unbudged.loading").load_target
    return judge_of(load_target(found.spec).target, **found.options)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep Ctrl-C from the threads and processes started in here: the scan's is the one it ends.

    A worker ignores it, but not before it has imported what it needs; cut short, it would
    print where it was.
    """
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # started later it would lift the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def hold(parcel: bytes) -> None:
    """Open the parcel of this worker before its first call, whose time it must not take."""
    global _parcel
    _parcel = parcel
    with suppress(UnbudgedError):  # said by the first reading, which can tell the scan
        _unpack(parcel)


def read_held(sample: bytes) -> Reading | UnbudgedError:
    """Read one pickled sample with the judge this worker holds."""
    return read_packed(_parcel, sample)


def read_packed(parcel: bytes, sample: bytes) -> Reading | UnbudgedError:
    """Read one pickled sample with a packed judge, unpacked once a process.

    An error in opening it is returned: it stops the scan, and must get home.
    """
    import cloudpickle

    try:
        judge = _unpack(parcel)
    except UnbudgedError as error:
        return error
    return _plain(read_here(judge, cloudpickle.loads(sample)))


def read_here(judge: Judge, sample: Sample) -> Reading:
    """Read one sample in this thread, with an event loop of the thread's own where needed."""
    if not judge.info.is_async:
        with suppress(NeedsLoop):  # it answered with an awaitable: once more, on a loop
            reading = read_at_once(judge, sample)
            if reading is not None:
                return reading
    return _on_loop(judge, sample)


def preflight_held(samples: bytes) -> int | UnbudgedError:
    """Run the preflight of the judge this worker holds; return the calls it made."""
    import cloudpickle

    try:
        judge: Any = _unpack(_parcel)
        made: int = _loop().run_until_complete(judge.preflight(cloudpickle.loads(samples)))
    except UnbudgedError as error:
        return error
    return made


def _on_loop(judge: Judge, sample: Sample) -> Reading:
    info = judge.info
    if not info.is_async and hasattr(judge, "info"):
        from dataclasses import replace

        judge.info = replace(info, is_async=True)  # type: ignore[misc]
    reading: Reading = _loop().run_until_complete(read_safely(judge, sample))
    return reading


def _loop() -> Any:
    import asyncio
    import threading

    loops = _loops
    ident = threading.get_ident()
    if ident not in loops:
        loops[ident] = asyncio.new_event_loop()
    return loops[ident]


#: clients of judges stay bound to the loop they were first used on
_loops: dict[int, Any] = {}


def _plain(reading: Reading) -> Reading:
    """Return a reading that can be sent home: meta as plain data."""
    if type(reading) is Scored and reading.meta is not None:
        import json
        from dataclasses import replace

        return replace(reading, meta=json.loads(json.dumps(dict(reading.meta), default=str)))
    return reading
