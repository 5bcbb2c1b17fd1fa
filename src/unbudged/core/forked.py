"""A target that forks: its child comes back into the scan, and must leave it at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

#: forks between the process that imported this and the present one; two readings of it differ
#: where the code between them forked and this is the child
generation = 0
_exit = os._exit  # the system's own, whatever takes its name later


def _born() -> None:
    global generation
    generation += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_born)


def leave(error: BaseException | None = None) -> NoReturn:
    """End this process, a child, with the code that Python would give ``error``.

    Nothing is flushed or closed: buffers and files are the parent's.
    """
    code: object = 0 if error is None else 1
    if isinstance(error, SystemExit):
        code = error.code
    _exit(0 if code is None else code & 0xFF if isinstance(code, int) else 1)


@contextmanager
def children_leave() -> Iterator[None]:
    """End every child that code in this context forked and that comes to its end."""
    before = generation
    try:
        yield
    except BaseException as error:
        if generation != before:
            leave(error)
        raise
    if generation != before:
        leave()
