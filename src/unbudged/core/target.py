"""The judge made of a user's own function or object with ``.score(text)``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..errors import TargetError
from . import forked
from .judge import JudgeInfo, Reading, Scored, Unscorable
from .reading import read_error, read_value
from .sample import Sample

#: scores whose reading is made once: most judges give few, and making it costs more than a call
_REMEMBERED = 1024


class NeedsLoop(Exception):
    """A plain-looking target answered with an awaitable: start again with an event loop."""


def or_raise(error: BaseException) -> Unscorable:
    """Return what a target raised as a reading; raise what is not the target's to raise.

    KeyboardInterrupt stops the scan, and so does the cancellation of the task that
    scans. Everything else, pytest outcomes and a target's own CancelledError included,
    is the target's answer.
    """
    if isinstance(error, (KeyboardInterrupt, NeedsLoop)):
        raise error
    if type(error).__name__ == "CancelledError":
        asyncio = sys.modules.get("asyncio")
        task = asyncio.current_task() if asyncio and asyncio._get_running_loop() else None
        # Python 3.11 counts who asked for the cancellation; before that, believe the loop
        if task is not None and (not hasattr(task, "cancelling") or task.cancelling()):
            raise error
    if isinstance(error, GeneratorExit) and _closing(error):
        raise error
    return read_error(error)


def _closing(error: BaseException) -> bool:
    """Tell whether a GeneratorExit closes our own coroutine: its trace ends in this file."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename == __file__


class CallableJudge:
    """Read scores from a callable that takes the judged text."""

    __slots__ = ("_answered", "_call", "_key", "_scores", "info")
    text_only = True  # nothing of the sample but its judged text reaches the target

    def __init__(self, call: Callable[[str], Any], info: JudgeInfo, key: str | None = None):
        self._call, self.info, self._key = call, info, key
        self._answered = False
        self._scores: dict[float, Scored] = {}

    async def read(self, sample: Sample) -> Reading:
        """Call the target once; whatever it raises but KeyboardInterrupt is a reading."""
        if not self.info.is_async:
            return self.read_text(sample.output)
        generation = forked.generation
        try:
            value = self._call(sample.output)
            if hasattr(value, "__await__"):
                value = await value
        except BaseException as error:  # noqa: BLE001 - the answer, or raised again
            if forked.generation != generation:
                forked.leave(error)
            return or_raise(error)
        if forked.generation != generation:
            forked.leave()
        return read_value(value, self._key)

    def read_text(self, text: str) -> Reading:
        """Do the same for a target that is not async: no sample and no coroutine need be made."""
        generation = forked.generation
        try:
            value = self._call(text)
            if forked.generation != generation:
                forked.leave()
            if type(value) is float and value and value in self._scores:  # -0.0 would be, too
                return self._scores[value]
            if hasattr(value, "__await__"):
                close = getattr(value, "close", None)
                if close:
                    close()
                if self._answered:  # no fresh start: what was read would be paid twice
                    return Unscorable("unreadable", "an awaitable after plain values")
                raise NeedsLoop
        except BaseException as error:  # noqa: BLE001 - the answer, or raised again
            if forked.generation != generation:
                forked.leave(error)
            return or_raise(error)
        self._answered = True
        reading = read_value(value, self._key)
        if type(value) is float and type(reading) is Scored and len(self._scores) < _REMEMBERED:
            self._scores[value] = reading
        return reading


def make_judge(
    target: Any,
    *,
    key: str | None = None,
    scale: tuple[float, float] | None = None,
    pass_mark: float | None = None,
    is_async: bool | None = None,
) -> CallableJudge:
    """Wrap an object with ``.score(text)`` or a callable.

    One with ``parallel_safe = False`` is called once at a time, whatever the concurrency.
    Raises TargetError for a class, for anything not callable, and for a callable
    that does not take exactly the text.
    """
    if isinstance(target, type):
        raise TargetError(
            f"{target.__name__} is a class: give an object, as in {target.__name__}()"
        )
    call = getattr(target, "score", None)
    if not callable(call):
        call = target
    if not callable(call):
        raise TargetError(
            f"a target is a callable or has .score(text); this is {type(target).__name__}"
        )
    name = getattr(target, "__name__", None) or type(target).__name__
    _check_arity(call, name)
    info = JudgeInfo(
        name=str(name),
        scale=scale,
        pass_mark=pass_mark,
        is_async=_is_async(call) if is_async is None else is_async,
        parallel=bool(getattr(target, "parallel_safe", True)),
    )
    return CallableJudge(call, info, key)


def _code_flags(call: Any) -> int:
    for candidate in (call, getattr(call, "__func__", None), getattr(type(call), "__call__", None)):
        code = getattr(candidate, "__code__", None)
        if code is not None:
            return int(code.co_flags)
    return 0


def _is_async(call: Any) -> bool:
    while hasattr(call, "func") and hasattr(call, "keywords"):  # functools.partial
        call = call.func
    return bool(_code_flags(call) & 0x80)  # inspect.CO_COROUTINE, without importing inspect


def _check_arity(call: Any, name: str) -> None:
    import inspect

    try:
        signature = inspect.signature(call)
    except (TypeError, ValueError):
        return  # a builtin without a signature: the first call will tell
    try:
        signature.bind("text")
    except TypeError as error:
        raise TargetError(
            f"target {name}{signature} cannot be called with the text alone: {error}"
        ) from None
