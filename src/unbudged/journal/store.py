"""The journal of a scan: an SQLite file that holds every reading before it counts."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..core.judge import Reading
from ..core.plan import Call
from ..core.run import Stopped, loop_runs
from ..errors import UsageError
from . import records

if TYPE_CHECKING:
    import asyncio

APPLICATION = 0x756E6264  # "unbd" in the file's header: whose file this is
FORMAT = 1
_TABLES = """
CREATE TABLE scan (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE reading (call TEXT PRIMARY KEY, calls INTEGER NOT NULL, body TEXT NOT NULL)
  WITHOUT ROWID;
"""
Row = tuple[str, int, str]


class Journal:
    """An open journal; one process at a time has it.

    A reading is committed with ``synchronous=FULL``: it outlives a kill and, where the
    disk keeps its word, a power cut. What is only half written is rolled back by SQLite
    on the next opening. Raises UsageError when the file cannot be used.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, create: bool = True, explanations: bool = True
    ) -> None:
        self.path, self._explanations = os.fspath(path), explanations
        # SQLite is written to in a thread, and closed in this one: not at the same time
        self._lock = threading.Lock()
        self._pending: list[tuple[Row, asyncio.Future[None]]] = []
        self._flushing: asyncio.Task[None] | None = None
        if not create and not os.path.isfile(self.path):
            raise UsageError(f"no such file: {self.path}")
        if os.path.isdir(self.path):
            raise UsageError(f"the journal {self.path} is a directory: name a file")
        try:
            # absolute: ":memory:" is a file's name here as any other
            self._place = os.path.abspath(self.path)
            self._file = sqlite3.connect(
                self._place, timeout=0.5, isolation_level=None, check_same_thread=False
            )
            self._open()
            self._mark = self._seen()
        except sqlite3.Error as error:
            if hasattr(self, "_file"):
                self._file.close()
            raise UsageError(self._problem(error)) from error
        except UsageError:
            self._file.close()
            raise

    def _open(self) -> None:
        file = self._file
        file.execute("PRAGMA locking_mode=EXCLUSIVE")
        (mark,) = file.execute("PRAGMA application_id").fetchone()
        (tables,) = file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and mark != APPLICATION:
            raise UsageError(f"{self.path} is a database, but no journal of a scan")
        (version,) = file.execute("PRAGMA user_version").fetchone()
        if tables and version != FORMAT:
            raise UsageError(f"{self.path} is a journal of format {version}; this reads {FORMAT}")
        file.execute("PRAGMA journal_mode=WAL")
        file.execute("PRAGMA synchronous=FULL")
        file.execute("BEGIN IMMEDIATE")  # holds the file until this process closes it
        if not tables:
            file.execute(f"PRAGMA application_id={APPLICATION}")
            file.execute(f"PRAGMA user_version={FORMAT}")
            for statement in _TABLES.strip().split(";"):
                if statement.strip():
                    file.execute(statement)
        file.execute("COMMIT")
        (self.found,) = file.execute("SELECT count(*) FROM reading").fetchone()

    def _problem(self, error: Exception) -> str:
        said = str(error)
        if isinstance(error, ValueError) or "decode" in said:  # what is there is no text
            return f"the journal {self.path} is damaged"
        if "locked" in said:
            return f"the journal {self.path} is in use by another scan"
        if "not a database" in said:
            return f"{self.path} is no journal: name another file"
        if "malformed" in said:
            return f"the journal {self.path} is damaged: {said}"
        if "readonly" in said or "unable to open" in said:
            return f"the journal {self.path} cannot be opened for writing: {said}"
        return f"the journal {self.path} cannot be used: {said}"

    def value(self, name: str) -> str | None:
        """Return what is kept of the scan itself under a name."""
        return self.values().get(name)

    def values(self) -> dict[str, str]:
        """Return all that is kept of the scan itself, by name."""
        try:
            with self._lock:
                return dict(self._file.execute("SELECT name, value FROM scan").fetchall())
        except (sqlite3.Error, ValueError) as error:
            raise UsageError(self._problem(error)) from error

    def keep(self, values: dict[str, str]) -> None:
        """Keep facts of the scan itself, all of them or none; raises UsageError."""
        try:
            with self._lock:
                self._insert("scan", 2, values.items())
        except sqlite3.Error as error:
            raise UsageError(self._problem(error)) from error

    def get(self, call: Call) -> tuple[Reading, int] | None:
        """Return (reading, calls it took) of an earlier run, or None; UsageError on damage."""
        if not self.found:
            return None
        try:
            with self._lock:
                row = self._file.execute(
                    "SELECT body, calls FROM reading WHERE call=?", (records.name_of(call),)
                ).fetchone()
            return None if row is None else (records.read(row[0]), row[1])
        except (sqlite3.Error, ValueError) as error:
            raise UsageError(f"the journal {self.path} is damaged: {error}") from error

    async def put(self, call: Call, reading: Reading, calls: int) -> None:
        """Write a reading; returns when it is on disk, raises Stopped when it cannot be.

        On an event loop the readings that come in during one write are committed together.
        """
        row = (records.name_of(call), calls, records.write(reading, self._explanations))
        if not loop_runs():
            self._write([row])
            return
        import asyncio

        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append((row, future))
        if self._flushing is None:
            self._flushing = asyncio.ensure_future(self._flush())
        await asyncio.shield(future)

    async def _flush(self) -> None:
        import asyncio

        loop = asyncio.get_running_loop()
        try:
            while self._pending:
                batch, self._pending = self._pending, []
                error = await loop.run_in_executor(None, self._try, [row for row, _ in batch])
                for _, future in batch:
                    if future.done():
                        continue
                    if error is None:
                        future.set_result(None)
                    else:
                        future.set_exception(error)
        finally:
            self._flushing = None

    def _try(self, rows: list[Row]) -> Stopped | None:
        try:
            self._write(rows)
        except Stopped as stop:
            return stop
        return None

    def _write(self, rows: list[Row]) -> None:
        try:
            with self._lock:
                self._insert("reading", 3, rows)
        except sqlite3.Error as error:
            raise Stopped(f"the journal {self.path} cannot be written: {error}") from error
        # SQLite goes on in a file that nobody can find any more
        seen = self._seen()
        if seen is None or self._mark is None or seen[:2] != self._mark[:2]:
            raise Stopped(
                f"the journal {self.path} was deleted, moved or replaced while the scan ran"
            )
        if seen[2] < self._mark[2]:
            raise Stopped(f"the journal {self.path} was cut short while the scan ran")
        self._mark = seen

    def _seen(self) -> tuple[int, int, int] | None:
        """Return which file is at the journal's path now, and its size; None for none."""
        try:
            found = os.stat(self._place)
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_size

    def forget(self, calls: list[Call]) -> None:
        """Remove readings that a later scan shall buy again."""
        names = [(records.name_of(call),) for call in calls]
        # where that fails they stay, as what they were: calls that failed
        with suppress(sqlite3.Error), self._lock:
            self._file.executemany("DELETE FROM reading WHERE call=?", names)

    def _insert(self, table: str, width: int, rows: Iterable[tuple[Any, ...]]) -> None:
        """Write rows, all of them or none; the caller holds the lock."""
        try:
            self._file.execute("BEGIN IMMEDIATE")
            marks = ", ".join("?" * width)
            self._file.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)
            self._file.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
            raise

    def all(self) -> Iterator[tuple[str, Reading, int]]:
        """Yield (call, reading, calls) of everything kept."""
        for call, body, calls in self._file.execute("SELECT call, body, calls FROM reading"):
            yield call, records.read(body), calls

    def close(self) -> None:
        """Close the file; SQLite folds its log into it."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
