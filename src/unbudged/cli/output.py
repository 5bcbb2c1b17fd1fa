"""Standard output kept for the report alone; whatever the target prints goes to stderr."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import TextIO

from ..errors import UnbudgedError
from ..reports.inert import inert


class ReportLost(UnbudgedError):
    """The report is there and cannot be written."""


class ReportStream:
    """Hold the real standard output while loading and scanning, then write to it.

    Inside the context file descriptor 1 and ``sys.stdout`` lead to standard error, so
    that prints, subprocesses and C code of a target cannot corrupt a document. With
    ``forever`` they stay so: a thread or exit handler of the target may print later.
    """

    def __init__(self, forever: bool) -> None:
        self._forever = forever
        self._stdout: TextIO | None = None
        self._copy: int | None = None

    def __enter__(self) -> ReportStream:
        self._stdout = sys.stdout
        if self._stdout is not None and _descriptor(self._stdout) == 1:
            self._stdout.flush()
            self._copy = os.dup(1)
            os.set_inheritable(self._copy, False)
            if _descriptor(sys.stderr) == 2:
                os.dup2(2, 1)
            else:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.close(null)
        sys.stdout = sys.stderr
        return self

    def write(self, text: str) -> None:
        """Write one line or document and its newline; characters the stream lacks as escapes.

        A reader that has gone away (``| head``) is no error of the scan; raises ReportLost
        when the stream takes no more, a full disk say.
        """
        stream = self._stdout
        if stream is None:
            return
        encoding = getattr(stream, "encoding", None) or "utf-8"
        shown = text.encode(encoding, "backslashreplace").decode(encoding) + "\n"
        try:
            if self._copy is None:
                stream.write(shown)
                stream.flush()
                return
            with open(self._copy, "w", encoding=encoding, closefd=False) as real:
                real.write(shown)
        except BrokenPipeError:
            pass
        except OSError as error:
            raise ReportLost(f"the report cannot be written: {error.strerror}") from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._forever:
            return
        if self._copy is not None:
            if sys.stdout is not None:
                sys.stdout.flush()
            os.dup2(self._copy, 1)
            os.close(self._copy)
        if self._stdout is not None:
            sys.stdout = self._stdout


def _descriptor(stream: TextIO | None) -> int | None:
    try:
        return None if stream is None else stream.fileno()
    except (OSError, ValueError, AttributeError):
        return None


def complain(message: str) -> None:
    """Print one inert line on standard error."""
    if sys.stderr is not None:
        print(f"unbudged: {inert(' '.join(message.split()))}", file=sys.stderr, flush=True)
