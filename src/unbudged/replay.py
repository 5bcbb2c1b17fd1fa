"""A saved scan decided again from the readings in its journal."""

from __future__ import annotations

from typing import Any

from .core.judge import Reading
from .core.plan import Call
from .core.report import Report
from .core.run import Stopped, at_once
from .journal import Journal, rebuild
from .scan import Scan
from .scan.keeping import figures


def replay(journal: Journal) -> Report:
    """Decide a journal's scan again from its readings alone; no call is made."""
    kept = journal.values()
    scan = Scan(rebuild(kept), figures(kept.get("costs")))
    source = _Kept(journal)
    source.take(int(kept.get("preflight", 0)))
    report = at_once(scan.decide_with(source))
    assert report is not None, "a saved scan waits for nothing"
    return report


class _Kept:
    """The readings of a journal as a source: what is not there ends the scan."""

    width, quick = 1, None

    def __init__(self, journal: Journal) -> None:
        self._journal, self.calls = journal, 0

    def take(self, count: int) -> bool:
        self.calls += count
        return True

    async def read(self, call: Call, sample: Any, first: Reading | None = None) -> Reading:
        found = self._journal.get(call)
        if found is None:
            self.calls -= 1
            raise Stopped("the scan was cut off here; the same command continues it")
        reading, calls = found
        self.calls += calls - 1
        return reading

    async def spare(self) -> bool:
        return False
