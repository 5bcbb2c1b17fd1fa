"""The streams of the command: the report alone on stdout, nothing a broken stderr can change."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, TextIO

from ..errors import UnbudgedError
from ..reports.inert import inert


class ReportLost(UnbudgedError):
    """The report is there and cannot be written."""


class _Leaky(io.RawIOBase):
    """Bytes for a stream that may be closed, full or without a reader.

    What it refuses is dropped, with the reason kept in ``lost``: kept in a buffer it would
    be tried again while Python ends, which then changes the exit code.
    """

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.lost: OSError | None = None

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        try:
            written: int | None = self._raw.write(data)
        except OSError as error:
            self.lost, written = error, None
        except ValueError:  # closed
            written = None
        return len(data) if written is None else written

    def fileno(self) -> int:
        number: int = self._raw.fileno()
        return number

    def isatty(self) -> bool:
        try:
            return bool(self._raw.isatty())
        except (OSError, ValueError):
            return False


def _leaky(stream: TextIO | None, descriptor: int) -> tuple[TextIO, _Leaky]:
    """Return a stream of its own to where ``stream`` or, without one, ``descriptor`` leads.

    Closing it closes nothing but itself.
    """
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    leaky = _Leaky(io.FileIO(descriptor, "w", closefd=False) if raw is None else raw)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    text = io.TextIOWrapper(
        io.BufferedWriter(leaky), encoding, "backslashreplace", line_buffering=True
    )
    return text, leaky


class OwnStreams:
    """Standard streams of unbudged's own process, taken over before anything is printed.

    Descriptors 0 to 2 are taken afterwards: a missing one would be handed to the next
    file opened, and an error message or a target's print would land in it.
    """

    def __init__(self) -> None:
        opened = os.open(os.devnull, os.O_RDWR)
        while opened <= 2:
            os.set_inheritable(opened, True)
            opened = os.open(os.devnull, os.O_RDWR)
        os.close(opened)
        if sys.stderr is None or _descriptor(sys.stderr) == 2:
            sys.stderr, _ = _leaky(sys.stderr, 2)
        self._out: _Leaky | None = None
        if sys.stdout is not None:
            sys.stdout, self._out = _leaky(sys.stdout, 1)

    def check(self) -> None:
        """Raise ReportLost when standard output took no more, unless its reader has gone."""
        lost = self._out and self._out.lost
        if lost and not isinstance(lost, BrokenPipeError):
            raise ReportLost(f"the output cannot be written: {lost.strerror}")


class ReportStream:
    """Hold the real standard output while loading and scanning, then write to it.

    Inside the context file descriptor 1 and ``sys.stdout`` lead to standard error, so
    that prints, subprocesses and C code of a target cannot corrupt a document; nor can
    a target that closes ``sys.stdout`` close standard error. With ``forever`` they stay
    so: a thread or exit handler of the target may print later.
    """

    def __init__(self, forever: bool) -> None:
        self._forever = forever
        self._stdout: TextIO | None = None
        self._copy: int | None = None
        self._terminal = False

    @property
    def encoding(self) -> str:
        """The encoding of what is written."""
        return getattr(self._stdout, "encoding", None) or "utf-8"

    def report(self, text: str) -> None:
        """Write a report's text, coloured on a terminal; raises ReportLost as ``write``."""
        from . import colour

        self.write(colour.coloured(text) if colour.wanted(self._terminal) else text)

    def __enter__(self) -> ReportStream:
        self._stdout = sys.stdout
        self._terminal = _terminal(self._stdout)
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
        if sys.stderr is None or _descriptor(sys.stderr) is not None:
            sys.stdout, _ = _leaky(sys.stderr, 1)
        else:  # a stream of the caller's, in memory
            sys.stdout = sys.stderr
        return self

    def write(self, text: str) -> None:
        """Write one line or document and its newline; characters the stream lacks as escapes.

        A reader that has gone away (``| head``) is no error of the scan; raises ReportLost
        when the stream takes no more, a full disk say.
        """
        encoding = self.encoding
        shown = text.encode(encoding, "backslashreplace").decode(encoding) + "\n"

        def put(stream: TextIO) -> None:
            stream.write(shown)

        self._put(put, encoding)

    def write_bytes(self, data: bytes) -> None:
        """Write bytes as they are; raises ReportLost as ``write``."""

        def put(stream: TextIO) -> None:
            buffer = getattr(stream, "buffer", None)
            if buffer is None:  # a stream of the caller's, in memory
                stream.write(data.decode("utf-8", "replace"))
            else:
                buffer.write(data)
                buffer.flush()

        self._put(put, self.encoding)

    def _put(self, put: Callable[[TextIO], None], encoding: str) -> None:
        stream = self._stdout
        if stream is None:
            return
        try:
            if self._copy is None:
                put(stream)
                stream.flush()
                return
            with open(self._copy, "w", encoding=encoding, closefd=False) as real:
                put(real)
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


def _terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except (OSError, ValueError):
        return False


def _descriptor(stream: TextIO | None) -> int | None:
    try:
        return None if stream is None else stream.fileno()
    except (OSError, ValueError, AttributeError):
        return None


def complain(message: str) -> None:
    """Print one inert line on standard error; a stream that takes none changes nothing."""
    line = f"unbudged: {inert(' '.join(message.split()))}"
    try:
        if sys.stderr is not None:
            print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):  # full, without a reader, closed by the target
        pass
