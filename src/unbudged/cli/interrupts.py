"""Ctrl-C in unbudged's own process: what the first does, what a second one does, and the end.

Imports nothing but what Python has already: it must be there before anything slow is imported.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time

from . import INTERRUPTED

#: seconds within which a second Ctrl-C is that of the same hurried hand
ONE_PRESS = 1.0
_exit = os._exit  # the system's own, whatever takes its name later


def looked_after() -> bool:
    """Tell whether Ctrl-C is ours to handle: not where the caller has it ignored or handled."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def end_at_once() -> None:
    """End on Ctrl-C while modules are loaded: an import that is cut short may print."""
    signal.signal(signal.SIGINT, _end)


def raise_once() -> None:
    """Let the first Ctrl-C raise KeyboardInterrupt, for there is something to clean up.

    Another one would cut the cleaning up short, so it waits for ``ONE_PRESS`` seconds; after
    that it ends the process, its workers and whatever hangs.
    """
    first: list[float] = []

    def raised(number: int, frame: object) -> None:
        if not first:
            first.append(time.monotonic())
            raise KeyboardInterrupt
        if time.monotonic() - first[0] > ONE_PRESS:
            _end(number, frame)

    signal.signal(signal.SIGINT, raised)


def end_with(code: int) -> None:
    """From here on Ctrl-C hastens the end and leaves its exit code as it is."""

    def hasten(number: int, frame: object) -> None:
        _kill_workers()
        _exit(code)

    signal.signal(signal.SIGINT, hasten)
    # Python gives handlers up before it ends
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def _end(number: int, frame: object) -> None:
    os.write(2, b"unbudged: interrupted\n")
    _kill_workers()
    _exit(INTERRUPTED)


def _kill_workers() -> None:
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        for worker in multiprocessing.active_children():
            worker.kill()
