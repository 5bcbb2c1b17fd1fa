"""One scan: preflight, contrast, then rules and calls in turn, until a report."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ..calling import Ahead, Buyer, Carrier, carrier, under_way
from ..core.conclude import conclude
from ..core.contrast import Alive
from ..core.decide import Decision, decide
from ..core.forked import children_leave
from ..core.judge import Judge, Reading, Unscorable
from ..core.plan import Call
from ..core.report import Report
from ..core.run import Made, Source, Stopped, execute
from ..core.table import Table
from ..errors import TargetError
from ..prepare import Prepared
from ..progress import Meter
from .alive import Ranked, rank, remembers
from .keeping import close_journal, figures, open_journal
from .remarks import remarks_of
from .strongest import look

if TYPE_CHECKING:
    from ..journal import Journal


class Interrupted(KeyboardInterrupt):
    """A scan was interrupted; ``report`` is what it knows so far."""

    def __init__(self, report: Report) -> None:
        super().__init__("interrupted")
        self.report = report


class Scan:
    """A scan under way. ``report`` can be asked at any time, also after an interruption."""

    def __init__(self, prepared: Prepared, costs: Mapping[str, float] | None = None) -> None:
        self._scan, self._judge = prepared, prepared.judge
        self._table = Table(prepared.plan)
        self._alive: Alive | None = None
        self._ranked: list[Ranked] = []  # the contrast
        self._searched: Table | None = None  # what a search read
        self._keeps_last_score = False
        self._checked = 0  # calls of the preflight
        self._decision = Decision((), {})
        self._source: Source | None = None
        self._carrier: Carrier | None = None
        self._journal: Journal | None = None
        self._costs = dict(costs or {})  # of earlier runs on the same journal

    async def run(self) -> Report:
        """Scan until nothing more is wanted or allowed, and return the report."""
        with ExitStack() as held:
            self._open(held)
            await self._preflight()
            return await self.decide_with(self._source, self._meter())

    def _open(self, held: ExitStack) -> None:
        scan = self._scan
        calling = scan.calling
        if scan.journal is not None:
            self._journal = journal = open_journal(scan, self._versions())
            held.callback(lambda: close_journal(journal, self._all_costs()))
            self._costs = figures(journal.value("costs"))
        self._carrier = carrier(self._judge, calling)
        held.callback(self._carrier.close)
        width = under_way(self._judge, calling)
        buyer = Buyer(
            self._carrier.read, width=width, retries=calling.retries, rate=calling.rate,
            max_calls=scan.max_calls, store=self._journal, known=scan.plan.baselines[0],
            quick=self._carrier.quick,
        )
        self._source = buyer if width == 1 else Ahead(buyer)

    async def _preflight(self) -> None:
        """Let the judge look at the samples first, once for all runs on one journal."""
        done = self._journal.value("preflight") if self._journal is not None else None
        preflight = getattr(self._judge, "preflight", None)
        if done is not None:
            self._checked = int(done)
        elif preflight is not None:
            # in its worker where it has one: there it can do no harm
            preflight = getattr(self._carrier, "preflight", preflight)
            with children_leave():
                self._checked = await preflight(self._scan.plan.baselines)
            if self._journal is not None:
                self._journal.keep({"preflight": str(self._checked)})
        if self._source is not None:
            self._source.calls += self._checked

    async def decide_with(self, source: Source | None, meter: Meter | None = None) -> Report:
        """Alternate rules and readings; return the report when nothing more is wanted."""
        assert source is not None
        self._source = source
        scan, table = self._scan, self._table
        made: Made | None = None
        if meter is not None:
            watched = meter

            def made(call: Call, reading: Reading) -> None:
                watched.read(source, self._judge)

        stopped = None
        try:
            if scan.contrast:
                self._alive = await rank(source, scan.contrast, self._judge.info, self._ranked)
            if scan.search is not None and self._alive in (None, "able"):
                tested = await look(source, scan, table, made)
                if tested is None:
                    stopped = f"the {scan.max_calls} calls allowed were used up in the search"
                else:
                    self._scan, self._searched, scan = tested, table, tested
                    self._table = table = Table(scan.plan)
            while stopped is None and self._alive in (None, "able"):
                self._decision = decision = decide(scan.plan, table, scan.settings)
                if not decision.groups:
                    _check_key(table)
                    break
                if isinstance(source, Ahead) and scan.max_calls is None and any(
                    outcome.kind == "noisy" for outcome in decision.outcomes.values()
                ):
                    source.expect(scan.plan, decision.groups, table.seen)
                if meter is not None:
                    meter.moved = len({m.attack for o in decision.outcomes.values()
                                       for m in o.moved})
                    meter.wants(sum(map(len, decision.groups)))
                if not await execute(source, scan.plan, table, decision.groups, made):
                    stopped = f"the {scan.max_calls} calls allowed were used up"
                    break
            if stopped is None:
                self._keeps_last_score = await remembers(source, scan, table, self._ranked)
        except Stopped as stop:
            stopped = str(stop)
        finally:
            if isinstance(source, Ahead):
                await source.close()
        return self.report(stopped)

    def report(self, stopped: str | None = None) -> Report:
        """Return what is known so far; ``stopped`` says why calls still wanted were not made."""
        scan, table = self._scan, self._table
        if stopped is not None:
            self._decision = decide(scan.plan, table, scan.settings, last=True)
        table.calls = self._source.calls if self._source is not None else 0
        unread = [(s, r) for _, s, r in self._ranked if isinstance(r, Unscorable)]
        return conclude(
            scan.plan, table, self._decision, scan.settings, self._judge.info,
            alive=self._alive, contrast=unread, keeps_last_score=self._keeps_last_score,
            stopped=stopped, options=scan.options, versions=self._versions(),
            costs=self._all_costs(), remarks=remarks_of(scan, self._carrier, self._source),
            searched=self._searched,
        )

    def _meter(self) -> Meter | None:
        progress = self._scan.progress
        return None if progress is None else Meter(progress, self._scan.least_calls)

    def _versions(self) -> dict[str, str]:
        return self._scan.versions or versions_of(self._judge)

    def _all_costs(self) -> dict[str, float]:
        costs = dict(self._costs)
        for name, value in (getattr(self._judge, "costs", None) or {}).items():
            costs[name] = costs.get(name, 0) + value
        return costs


def _check_key(table: Table) -> None:
    """Raise TargetError when no reading had the key asked for: a typo, not a bad judge."""
    details = {reading.detail for _, reading in table.failed}
    if details and not table.channels and all(d.startswith("no key ") for d in details):
        raise TargetError(sorted(details)[0])


def versions_of(judge: Judge) -> dict[str, str]:
    """Return the versions a report names: ours, Python's and those the judge knows."""
    from ..version import VERSION

    own = {"unbudged": VERSION, "python": sys.version.split()[0]}
    return {**own, **getattr(judge, "versions", {})}
