"""Reports written to files: checked before the scan, then written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import click

from ..core.report import FORMATS, Report
from ..errors import UsageError
from .output import ReportLost
from .values import once

F = TypeVar("F", bound=Callable[..., Any])


class Output(NamedTuple):
    """A flag that writes one format to a file; ``located`` formats name the target's file."""

    flag: str
    format: str
    help: str
    located: bool = False


#: a new format is one row
OUTPUTS = (
    Output("html", "html", "Also write a page for the browser."),
    Output("sarif", "sarif", "Also write SARIF 2.1.0, for code scanning.", located=True),
    Output("junit", "junit", "Also write JUnit XML, for a CI's test view.", located=True),
    Output("markdown", "markdown", "Also write Markdown, for a job summary.", located=True),
    Output("save", "json", "Also write JSON, for report, show and compare."),
)


def output_options(command: F) -> F:
    """Give a command the options of ``OUTPUTS``."""
    for row in reversed(OUTPUTS):
        add = click.option(
            f"--{row.flag}", metavar="FILE", help=row.help, multiple=True, callback=once
        )
        command = add(command)
    return command


class Outputs:
    """The files a command was asked for."""

    def __init__(self, options: Mapping[str, Any], keep: tuple[str | None, ...] = ()) -> None:
        """Check every file before anything is paid for; raises UsageError.

        ``keep`` names files the command reads: writing over one is refused.
        """
        self._files: list[tuple[Output, str, str]] = []
        kept = {os.path.realpath(path) for path in keep if path}
        taken: dict[str, str] = {}
        for row in OUTPUTS:
            path = options.get(row.flag)
            if path is None:
                continue
            real = _checked(row, path)
            if real in kept:
                raise UsageError(f"--{row.flag} {path}: this file is used already; name another")
            if real in taken:
                raise UsageError(f"--{row.flag} {path}: --{taken[real]} writes to it already")
            taken[real] = row.flag
            # absolute as well: a target may change the folder before it is written
            self._files.append((row, path, os.path.abspath(path)))

    def __bool__(self) -> bool:
        return bool(self._files)

    def write(self, report: Report, target: str | None = None) -> None:
        """Write every file, each whole or not at all; raises ReportLost when any was lost.

        ``target`` is the scanned target as the command takes it, None where it is in no
        file. One file that is lost keeps none of the others from being written.
        """
        lost = []
        for row, path, real in self._files:
            located = {"path": target} if row.located and target is not None else {}
            text = report.render(row.format, **located)
            try:
                _replace(real, text.encode("utf-8", "backslashreplace"))
            except OSError as error:
                lost.append(f"--{row.flag} {path}: {_said(error)}")
        if lost:
            raise ReportLost(f"a report cannot be written: {'; '.join(lost)}")


def _checked(row: Output, path: str) -> str:
    """Return the real path of a file that can be written, now as far as can be told."""
    flag = f"--{row.flag} {path}"
    if row.format not in FORMATS:
        raise UsageError(f"{flag}: this version of unbudged writes no {row.format} report")
    if path == "-":
        raise UsageError(f"{flag}: a file is needed; --json prints to standard output")
    if not path or "\0" in path:
        raise UsageError(f"--{row.flag}: {path!r} is no file name")
    if os.path.isdir(path):
        raise UsageError(f"{flag}: this is a folder; name a file in it")
    if os.path.lexists(path) and not os.path.isfile(path):
        raise UsageError(f"{flag}: this is not a regular file")
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    if not os.path.isdir(folder):
        raise UsageError(f"{flag}: there is no folder {os.path.dirname(path)!r}; make it first")
    try:
        if os.path.exists(real):
            with open(real, "ab"):
                pass
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".unbudged-"):
            pass
    except OSError as error:
        raise UsageError(f"{flag}: cannot be written: {_said(error)}") from error
    return real


def _replace(path: str, data: bytes) -> None:
    """Write a file beside ``path`` and put it in its place: a reader sees all of it or none."""
    real = os.path.realpath(path)  # a link stays a link
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(real), prefix=".unbudged-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, _mode(real))
        os.replace(beside, real)
    except BaseException:
        os.unlink(beside)
        raise


def _mode(path: str) -> int:
    """Return the permissions a file has, or those any new file would get."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _said(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
