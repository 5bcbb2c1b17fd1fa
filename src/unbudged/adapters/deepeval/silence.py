"""Whatever is printed while a metric runs goes to standard error: standard output is the user's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_lock = Lock()
_running = 0
_stdout: Any = None


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Lead ``sys.stdout`` to standard error; calls may overlap in any order.

    DeepEval 3.9.9 prints every prompt of a conversational G-Eval.
    """
    global _running, _stdout
    with _lock:
        if _running == 0:
            _stdout, sys.stdout = sys.stdout, sys.stderr
        _running += 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1
            if _running == 0:
                sys.stdout, _stdout = _stdout, None
