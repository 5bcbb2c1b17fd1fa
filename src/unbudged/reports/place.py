"""Where a target stands: its file as every machine names it, and the line that defines it."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

DEFAULT_NAME = "target"


class Place(NamedTuple):
    """A file, relative to the folder it was asked from, with forward slashes, and a line."""

    file: str
    line: int


def place_of(spec: str, names: Sequence[str] = ()) -> Place:
    """Return the place of a target given as ``file.py`` or ``file.py:name``.

    The file is relative to the working directory, or its bare name when it lies
    elsewhere: no path of this machine is told. The line, from 1, is that of the first
    name the file defines: the one after the colon (``target`` without one), then
    ``names``. It is 1 when the file cannot be read or defines none of them.
    """
    path, name = _split(spec)
    wanted = [(name or DEFAULT_NAME).split(".")[0], *names]
    return Place(_relative(path), _line(path, wanted))


def _split(spec: str) -> tuple[str, str | None]:
    head, colon, tail = spec.rpartition(":")
    named = colon and not os.path.isfile(spec) and (os.path.isfile(head) or head.endswith(".py"))
    return (head, tail) if named else (spec, None)


def _relative(path: str) -> str:
    path = path.replace("\\", "/") if os.sep == "\\" else path
    try:
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath("."))
    except ValueError:  # another drive of Windows, or a NUL in the path
        inside = os.pardir
    inside = inside.replace(os.sep, "/")
    return os.path.basename(path) if inside.split("/")[0] == os.pardir else inside


def _line(path: str, names: Sequence[str]) -> int:
    try:
        with open(path, "rb") as file:
            defined = dict(_definitions(ast.parse(file.read())))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    for name in names:
        seen: set[str] = set()
        while name in defined and name not in seen:
            seen.add(name)
            line, name = defined[name]
            if name not in defined:
                return line
    return 1


def _definitions(module: ast.Module) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yield each name a module's top level binds, its line, and the name it stands for, if any."""
    for node in module.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, (node.lineno, "")
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            value = node.value
            same = value.id if isinstance(value, ast.Name) else ""
            for bound in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(bound, ast.Name):
                    yield bound.id, (node.lineno, same)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0], (node.lineno, "")
