"""A thread that notices when an async target keeps the event loop from turning, and says where."""

from __future__ import annotations

import asyncio
import os
import selectors
import sys
import sysconfig
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from ..core.run import read_safely
from ..core.sample import Sample

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LOOP = (os.path.dirname(os.path.abspath(asyncio.__file__)) + os.sep, selectors.__file__)
_INSTALLED = tuple(
    sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
#: characters of the judged text that are shown, from its end
_SHOWN = 60


def warn(said: str) -> None:
    """Warn as Python does, from a thread: nobody is there to catch it as an error."""
    with suppress(RuntimeWarning):
        warnings.warn(said, RuntimeWarning, stacklevel=2)


class Standstill:
    """Watch one event loop; ``alarm`` is told once, when a call holds it ``timeout`` seconds.

    No timer of the loop can fire then, so no call can be late: the scan would only wait.
    """

    def __init__(self, timeout: float, alarm: Callable[[str], object] | None) -> None:
        self._timeout, self._alarm = timeout, alarm or warn
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self) -> None:
        """Start with the running loop; does nothing the second time."""
        if self._thread is None:
            loop, ident = asyncio.get_running_loop(), threading.get_ident()
            self._thread = threading.Thread(
                target=self._run, args=(loop, ident), name="unbudged-standstill", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """Let the thread end."""
        self._closed.set()

    def _run(self, loop: asyncio.AbstractEventLoop, ident: int) -> None:
        while not self._closed.wait(min(self._timeout, 1.0)):
            turned = threading.Event()
            try:
                loop.call_soon_threadsafe(turned.set)
            except RuntimeError:  # closed
                return
            # the same call before and after: a slow machine is no call that holds the loop
            held = _call(sys._current_frames().get(ident))[0]
            if turned.wait(self._timeout) or self._closed.is_set() or held is None:
                continue
            now, inside = _call(sys._current_frames().get(ident))
            if now is held:
                self._alarm(
                    f"the async target holds the event loop{_where(now, inside)}, for longer than"
                    f" the timeout of {self._timeout:g} s: nothing can interrupt it there;"
                    " isolate=True (--isolate) can end such a call"
                )
                return


def _call(frame: FrameType | None) -> tuple[FrameType | None, list[FrameType]]:
    """Return the frame of the call of the judge that a stack is in, or of a task of the target's
    own, and the frames inside it, innermost first; None when the scan itself is at work."""
    inside: list[FrameType] = []
    while frame is not None:
        name = frame.f_code.co_filename
        if frame.f_code is read_safely.__code__:
            return frame, inside
        if name.startswith(_LOOP) and inside:
            break
        inside.append(frame)
        frame = frame.f_back
    if inside and not inside[-1].f_code.co_filename.startswith((_OURS, *_LOOP)):
        return inside[-1], inside
    return None, inside


def _where(call: FrameType, inside: list[FrameType]) -> str:
    theirs = [f for f in inside if not f.f_code.co_filename.startswith(_OURS)]
    own = [f for f in theirs if not f.f_code.co_filename.startswith((*_INSTALLED, "<"))]
    at = ""
    if theirs:
        shown = (own or theirs[-1:])[0]
        at = f" at {os.path.basename(shown.f_code.co_filename)}, line {shown.f_lineno}"
    asked = call.f_locals.get("sample") if call.f_code is read_safely.__code__ else None
    if isinstance(asked, Sample):
        text = asked.output
        at += f" on {'...' * (len(text) > _SHOWN)}{text[-_SHOWN:]!r}"
    return at
