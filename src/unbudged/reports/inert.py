"""Show any text harmlessly on one terminal or CI log line: nothing hidden, nothing obeyed."""

from __future__ import annotations

import re
import shlex
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import groupby

#: columns of a report line
WIDTH = 100
#: letters and marks that print as nothing although Unicode calls them visible
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: workflow commands that log readers obey anywhere in a line, e.g. ##[error] and ##vso[
_LOG_COMMAND = re.compile(r"#(?=#[a-zA-Z]*\[)")

#: an escape as it is shown; no line ends inside one
_SHOWN = re.compile(r"\\(?:[nrt\\\"]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")

#: the encoding texts are shown in, None for one that has every character
_ENCODING: ContextVar[str | None] = ContextVar("encoding", default=None)


@contextmanager
def shown_in(encoding: str | None) -> Iterator[None]:
    """Show characters that an encoding lacks as escapes, before anything is laid out."""
    token = _ENCODING.set(encoding)
    try:
        yield
    finally:
        _ENCODING.reset(token)


def _lacking(text: str) -> frozenset[str]:
    """Return the characters of a text that cannot be shown in the encoding in use."""
    encoding = _ENCODING.get()
    if encoding is None or text.isascii():
        return frozenset()
    kept = text.encode(encoding, "ignore").decode(encoding)
    return frozenset(text) - frozenset(kept)


def _hidden(char: str) -> bool:
    if " " <= char <= "~":
        return False
    category = unicodedata.category(char)
    return (
        category in _HIDDEN_CATEGORIES
        or category == "Zs"
        or char in _BLANK
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
    )


def _escape(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def inert(text: str) -> str:
    """Return ``text`` on one line with every invisible or steering character as an escape.

    Control characters, bidi marks, zero-width and other blank characters, lone
    surrogates and CI log commands become visible; what a reader can see stays.
    """
    shown = text
    if not (text.isascii() and text.isprintable()):
        lacking = _lacking(text)
        shown = "".join(
            _escape(char) if _hidden(char) or char in lacking else char for char in text
        )
    return _LOG_COMMAND.sub(r"\\x23", shown)


def inert_pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield ``text`` in pieces of what can be seen (False) and of escapes (True), in order."""
    for hidden, run in groupby(text, _hidden):
        yield hidden, "".join(_escape(char) if hidden else char for char in run)


def inert_line(line: str) -> str:
    """Return a composed line that no CI log takes for a command of its own (``::error::``)."""
    stripped = line.lstrip()
    if stripped.startswith("::"):
        return line[: len(line) - len(stripped)] + "\\x3a" + stripped[1:]
    return line


def columns(text: str) -> int:
    """Count the terminal columns an inert text takes at most: wide letters two, others one."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def clip(text: str, width: int) -> str:
    """Return ``text`` cut to at most ``width`` columns (at least 4), an ellipsis for the rest."""
    if columns(text) <= width:
        return text
    return text[: fitting(text, width - 3)] + "..."


def fitting(text: str, width: int) -> int:
    """Return how many letters of an inert text take at most ``width`` columns, no escape cut.

    More than none where ``width`` is at least 10, which is the longest escape.
    """
    end = min(len(text), width)
    if not text.isascii():
        kept = 0
        for at, char in enumerate(text):
            kept += _columns(char)
            if kept > width:
                end = at
                break
    start = text.rfind("\\", max(0, end - 9), end)
    while start > 0 and text[start - 1] == "\\":
        start -= 1
    while 0 <= start < end:  # the escapes from the first backslash of the run on
        found = _SHOWN.match(text, start)
        stop = found.end() if found else start + 1
        if stop > end:
            return start
        start = stop
    return end


def wrap(text: str, indent: str = "", hang: str | None = None) -> list[str]:
    """Return ``text`` inert in lines of at most 100 columns, all but the first led by ``hang``."""
    shown = inert(text)
    # textwrap counts letters; a wide letter takes two columns.
    width = WIDTH if columns(shown) == len(shown) else WIDTH // 2
    width -= 3 if "::" in shown else 0  # inert_line may write \\x3a for a colon
    wrapper = _Wrapper(
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  " if hang is None else hang,
        break_on_hyphens=False,
    )
    return wrapper.wrap(shown)


class _Wrapper(textwrap.TextWrapper):
    """Breaks words longer than a line between escapes only."""

    def _split(self, text: str) -> list[str]:
        chunks: list[str] = []
        for chunk in super()._split(text):
            while len(chunk) > self.width - len(self.subsequent_indent):
                cut = fitting(chunk, self.width - len(self.subsequent_indent))
                chunks.append(chunk[:cut])
                chunk = chunk[cut:]
            chunks.append(chunk)
        return chunks


def quoted(text: str, width: int) -> str:
    """Return ``text`` inert, in double quotes, at most ``width`` columns (at least 6).

    Quotes and backslashes of the text are escaped, so that an escape shown is never
    mistaken for two characters that were there.
    """
    # Only the start is shown: a megabyte of answer is not escaped to print forty letters.
    head = text[: 4 * width].replace("\\", "\\\\").replace('"', '\\"')
    return f'"{clip(inert(head), width - 2)}"'


def shell(arguments: Sequence[str]) -> str:
    """Return a command line a POSIX shell reads back as ``arguments``, shown inert.

    Arguments with hidden characters take the ``$'…'`` form of bash and zsh.
    """
    return " ".join(_shell_word(argument) for argument in arguments)


def _shell_word(argument: str) -> str:
    if inert(argument) == argument:
        return shlex.quote(argument)
    shown = argument.replace("\\", "\\\\").replace("'", "\\'")
    # An undecodable byte of the command line reached Python as a surrogate; give the byte back.
    shown = "".join(f"\\x{ord(c) - 0xDC00:02x}" if "\udc80" <= c <= "\udcff" else c for c in shown)
    return f"$'{inert(shown)}'"
