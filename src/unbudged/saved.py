"""Read a report that was saved, whatever it was saved as."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from .core.report import Report
from .errors import UsageError

_SQLITE = b"SQLite format 3\0"


def read_saved(path: str) -> Report:
    """Return the report a file holds, as ``--save`` and ``--json`` write it, or that of the
    scan whose journal the file is.

    Raises UsageError, one line that names the file, for one that cannot be read or
    holds no report.
    """
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder: name the report in it")
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{path} is not a regular file")  # a pipe would be waited for
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path}: {said.lower()}") from error
    if data.startswith(_SQLITE):
        from .journal import Journal
        from .replay import replay

        with Journal(path, create=False) as journal:
            return replay(journal)
    from .reports.json import report_from_json

    try:
        report = report_from_json(data.decode("utf-8-sig"))
        _check(report)
        return report
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not a report: not UTF-8 text") from error
    except UsageError as error:
        raise UsageError(f"{path}: {error}; `unbudged run --save FILE` writes one") from error


def _check(record: Any) -> None:
    """Raise UsageError for a field of another type than its record says: an edited file."""
    for name, hint in get_type_hints(type(record)).items():
        value = getattr(record, name)
        if not _fits(value, hint):
            kind = type(record).__name__
            raise UsageError(f"not a report: {kind} {name} cannot be {str(value)[:40]!r}")


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return value in inner
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(item, inner[0]) for item in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(v, inner[1]) for v in value.values())
    if inner:  # a union
        return any(_fits(value, one) for one in inner)
    if hint is Any or hint is type(None):
        return hint is Any or value is None
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if not isinstance(value, hint):
        return False
    if hasattr(hint, "__dataclass_fields__"):
        _check(value)
    return True
