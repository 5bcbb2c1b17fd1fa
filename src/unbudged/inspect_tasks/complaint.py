"""Errors that Inspect AI's command line shows as one line, without a traceback."""

# The framework's types are not there where it is not installed.
# mypy: disallow-subclassing-any=False
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai._util.error import PrerequisiteError
from rich.markup import escape

from ..errors import UnbudgedError, UsageError


class TaskError(UsageError, PrerequisiteError):
    """An argument of a task cannot be used; the text is one clear line."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.message = escape(text)  # shown through a markup console


@contextmanager
def clearly() -> Iterator[None]:
    """Raise what unbudged complains of as a TaskError."""
    try:
        yield
    except UnbudgedError as error:
        raise TaskError(str(error)) from None
