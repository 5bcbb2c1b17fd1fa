"""The folder a command was started in, whatever folder its target goes to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def back_in(folder: str) -> Iterator[None]:
    """Be in a folder, where it is still there, then in the one before."""
    before = here()
    _go(folder)
    try:
        yield
    finally:
        _go(before)


def here() -> str:
    """Return the working folder, "" where it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _go(folder: str) -> None:
    if folder and folder != here():
        with suppress(OSError):
            os.chdir(folder)
