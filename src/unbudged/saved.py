"""Read a report that was saved, whatever it was saved as."""

from __future__ import annotations

import os

from .core.report import Report
from .errors import UsageError

_SQLITE = b"SQLite format 3\0"


def read_saved(path: str) -> Report:
    """Return the report a file holds, as ``--save`` and ``--json`` write it.

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
        raise UsageError(f"{path} is a database, not a report: save one with --save FILE")
    from .reports.json import report_from_json

    try:
        return report_from_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not a report: not UTF-8 text") from error
    except UsageError as error:
        raise UsageError(f"{path}: {error}; `unbudged run --save FILE` writes one") from error
