"""Whatever is printed while a metric runs goes to standard error: standard output is the user's."""

from __future__ import annotations

import sys
from threading import Lock
from typing import Any


class _PrintsToStderr:
    """Lead ``sys.stdout`` to standard error inside the context; contexts may overlap.

    DeepEval 3.9.9 prints every prompt of a conversational G-Eval.
    """

    def __init__(self) -> None:
        self._lock, self._running = Lock(), 0
        self._stdout: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._running == 0:
                self._stdout, sys.stdout = sys.stdout, sys.stderr
            self._running += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                sys.stdout, self._stdout = self._stdout, None


prints_to_stderr = _PrintsToStderr()
