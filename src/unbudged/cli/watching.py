"""Progress on standard error: a bar in a terminal, a line now and then in CI."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from tqdm import tqdm

#: seconds between two lines where there is no terminal
EVERY = 30.0


@contextmanager
def watch(quiet: bool) -> Iterator[Callable[[Progress], object] | None]:
    """Give the function that shows progress, or None where none is to be shown."""
    stream = sys.stderr
    if quiet or stream is None:
        yield None
    elif _terminal(stream):
        bar = _Bar(stream)
        try:
            yield bar.show
        finally:
            bar.close()
    elif os.environ.get("CI"):
        yield _Lines(stream).show
    else:
        yield None


def _terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"
    except (OSError, ValueError, AttributeError):
        return False


def said(now: Progress) -> str:
    """Return what a person wants to know beside how far it is."""
    parts = [f"{now.in_flight} in flight"] if now.in_flight > 1 else []
    parts += [f"{now.moved} moved", f"{now.calls} calls"]
    parts += [f"{name} {value:g}" for name, value in now.costs.items()]
    return ", ".join(parts)


class _Bar:
    """tqdm's bar; it draws at most ten times a second."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._bar: tqdm[Any] | None = None

    def show(self, now: Progress) -> None:
        bar = self._bar
        if bar is None:
            from tqdm import tqdm

            bar = self._bar = tqdm(
                total=now.wanted, file=self._stream, leave=False, unit="call", ncols=100, nrows=20,
                dynamic_ncols=False, mininterval=0.1, ascii=not _draws(self._stream),
            )
        if bar.total != now.wanted:
            bar.total = now.wanted
        bar.set_postfix_str(said(now), refresh=False)
        bar.update(now.done - bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _draws(stream: Any) -> bool:
    """Tell whether the stream can show block characters."""
    try:
        "█▏".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


class _Lines:
    """A plain line now and then: a log keeps every one."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._next = stream, time.monotonic() + EVERY

    def show(self, now: Progress) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + EVERY
        left = now.seconds_left
        ending = f", about {left:.0f} s left" if left is not None else ""
        print(
            f"unbudged: {now.done} of {now.wanted} readings, {said(now)},"
            f" {now.rate:.1f}/s{ending}",
            file=self._stream, flush=True,
        )
