"""A scan made once in a test run, also when the run is spread over several processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ..core.report import Report
from ..errors import UnbudgedError, UsageError

_MADE = pytest.StashKey[dict[str, "Report | UnbudgedError"]]()
_WAIT = 1.0  # seconds between two looks at the lock, so that an interrupt is heard


def made_once(request: pytest.FixtureRequest, key: str, make: Callable[[], Report]) -> Report:
    """Return what ``make`` made for this key, here or in another process of the run.

    What it raised on purpose is remembered too: calls are not paid for twice.
    """
    made = request.config.stash.setdefault(_MADE, {})
    if key not in made:
        try:
            made[key] = _shared(request, key, make)
        except UnbudgedError as error:
            made[key] = error
    found = made[key]
    if isinstance(found, UnbudgedError):
        raise found.with_traceback(None)
    return found


def _shared(request: pytest.FixtureRequest, key: str, make: Callable[[], Report]) -> Report:
    worker = getattr(request.config, "workerinput", None)
    if worker is None or not request.config.pluginmanager.has_plugin("tmpdir"):
        return make()
    import hashlib

    # the folder of the whole run: each worker's own is inside it
    folder: Path = request.getfixturevalue("tmp_path_factory").getbasetemp().parent
    name = hashlib.sha256(f"{worker['testrunuid']} {key}".encode()).hexdigest()[:24]
    return _locked(folder / f"unbudged-{name}.sqlite", make)


def _locked(path: Path, make: Callable[[], Report]) -> Report:
    """Read the report another process left at ``path``, or make it while the others wait.

    SQLite's lock ends with the process that holds it: one that dies blocks nobody.
    """
    import sqlite3

    from ..reports.json import render, report_from_json

    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    try:
        while True:
            try:
                connection.execute("BEGIN EXCLUSIVE")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
        connection.execute("CREATE TABLE IF NOT EXISTS made (report TEXT, error TEXT)")
        row = connection.execute("SELECT report, error FROM made").fetchone()
        if row is None:
            try:
                row = (render(make(), indent=None), None)
            except UnbudgedError as error:
                row = (None, str(error))
            connection.execute("INSERT INTO made VALUES (?, ?)", row)
        connection.execute("COMMIT")
    finally:
        connection.close()
    if row[1] is not None:
        raise UsageError(row[1])
    return report_from_json(row[0])
