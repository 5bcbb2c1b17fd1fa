"""One scan: preflight, contrast, then rules and calls in turn, until a report."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .calling import Ahead, Buyer, Carrier, carrier, under_way
from .core.conclude import conclude
from .core.contrast import Alive, tell
from .core.decide import Decision, decide
from .core.forked import children_leave
from .core.judge import Judge, Reading, Scored, Unscorable
from .core.memory import keeps_last_score
from .core.plan import Call
from .core.report import Report
from .core.run import Made, Source, Stopped, execute, read_all
from .core.sample import Sample
from .core.search import search_step
from .core.table import Table
from .errors import TargetError, UsageError
from .prepare import Prepared
from .progress import Meter

if TYPE_CHECKING:
    from .journal import Journal


class Interrupted(KeyboardInterrupt):
    """A scan was interrupted; ``report`` is what it knows so far."""

    def __init__(self, report: Report) -> None:
        super().__init__("interrupted")
        self.report = report


class Scan:
    """A scan under way. ``report`` can be asked at any time, also after an interruption."""

    def __init__(self, prepared: Prepared) -> None:
        self._scan, self._judge = prepared, prepared.judge
        self._table = Table(prepared.plan)
        self._alive: Alive | None = None
        self._ranked: list[tuple[Call, Sample, Reading]] = []  # the contrast
        self._keeps_last_score = False
        self._checked = 0  # calls of the preflight
        self._decision = Decision((), {})
        self._source: Source | None = None
        self._carrier: Carrier | None = None
        self._journal: Journal | None = None
        self._costs: dict[str, float] = {}  # of earlier runs on the same journal

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
            self._journal = _open_journal(scan, self._versions())
            held.callback(self._close_journal, self._journal)
            self._costs = _figures(self._journal.value("costs"))
        self._carrier = carrier(self._judge, calling)
        held.callback(self._carrier.close)
        width = under_way(self._judge, calling)
        buyer = Buyer(
            self._carrier.read, width=width, retries=calling.retries, rate=calling.rate,
            max_calls=scan.max_calls, store=self._journal, known=scan.plan.baselines[0],
            quick=self._carrier.quick,
        )
        self._source = buyer if width == 1 else Ahead(buyer)

    def _close_journal(self, journal: Journal) -> None:
        import json

        with suppress(UsageError):  # the disk is full: the readings are what counts
            journal.keep({"costs": json.dumps(self._all_costs())})
        journal.close()

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
                self._alive = await self._rank(source)
            if scan.search is not None and self._alive in (None, "able"):
                stopped = await self._look(source, made)
                scan, table = self._scan, self._table
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
                self._keeps_last_score = await self._remembers(source)
        except Stopped as stop:
            stopped = str(stop)
        finally:
            if isinstance(source, Ahead):
                await source.close()
        return self.report(stopped)

    async def _look(self, source: Source, made: Made | None) -> str | None:
        """Find the strongest attack and plan its test; return why when calls ran out."""
        scan, search = self._scan, self._scan.search
        assert search is not None
        while True:
            groups, best = search_step(scan.plan, self._table, search, scan.settings)
            if best is not None:
                break
            if not await execute(source, scan.plan, self._table, groups, made):
                return f"the {scan.max_calls} calls allowed were used up in the search"
        plan = scan.tested(search.attacks.index(best))
        self._scan = replace(scan, plan=plan, remarks=(*scan.remarks, _looked(scan, best)))
        self._table = Table(plan)
        return None

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
            costs=self._all_costs(), remarks=self._remarks(),
        )

    async def _rank(self, source: Source) -> Alive:
        """Return whether the judge ranks the contrast.

        A noisy judge may rank one reading wrongly: "inverted" is said after three only.
        """
        good, bad = self._scan.contrast or ((), ())
        asked = [("good", good), ("bad", bad)]
        sides: dict[str, list[Reading]] = {"good": [], "bad": []}
        alive: Alive = "inverted"
        for turn in range(3):
            calls = [
                (Call(arm, -1, i, 0, turn), sample)  # type: ignore[arg-type]
                for arm, samples in asked
                for i, sample in enumerate(samples)
            ]
            if not source.take(len(calls)):
                break
            readings = await read_all(source, calls)
            for (call, sample), reading in zip(calls, readings, strict=True):
                sides[call.arm].append(reading)
                self._ranked.append((call, sample, reading))
            alive = tell(sides["good"], sides["bad"], self._judge.info)
            if alive != "inverted":
                break
        return alive

    async def _remembers(self, source: Source) -> bool:
        """Return whether the judge gave a text the score of the call before."""
        good = [(call, sample, reading.values) for call, sample, reading in self._ranked
                if call.arm == "good" and isinstance(reading, Scored)]
        scan = self._scan
        return await keeps_last_score(
            source, scan.plan, self._table, good, scan.settings.tolerance
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

    def _remarks(self) -> list[str]:
        """Return what is to be said of how the calls went."""
        remarks, calling = list(self._scan.remarks), self._scan.calling
        if calling.concurrency not in (None, 1) and not self._judge.info.parallel:
            remarks.append("the target says that it is not parallel-safe: one call at a time")
        stuck = self._carrier.stuck if self._carrier is not None else 0
        if stuck:
            remarks.append(
                f"{stuck} call{'s' * (stuck != 1)} outlived the timeout of {calling.timeout:g} s"
                " and could not be interrupted; isolate=True (--isolate) can cut such calls off"
            )
        if unused := getattr(self._source, "unused", 0):
            remarks.append(
                f"{unused} call{'s' * (unused != 1)} made ahead of the rules were not needed:"
                " the price of many in flight with a noisy judge"
            )
        repeated = getattr(self._source, "repeated", 0)
        if repeated:
            many = f"{repeated} call{'s' * (repeated != 1)}"
            remarks.append(f"{many} repeated after errors that may pass")
        return remarks


def _looked(scan: Prepared, best: int) -> str:
    """Say what a search looked at and what of it was tested."""
    search, plan = scan.search, scan.plan
    assert search is not None
    over = len(plan.attacks) - len(search.attacks)
    fresh = (
        f"tested on {len(search.held)} of {len(plan.baselines)} baselines, which the search did"
        " not use"
        if len(plan.baselines) > 1
        else "tested on the same baseline, in contexts the search did not use"
    )
    note = (
        f"the strongest of {len(search.attacks)} attacks in a search of up to {search.calls} calls"
        f" was {plan.attacks[best].id}; it alone was {fresh}"
    )
    if over:
        why = "no calls left for them, or no fresh text of their own"
        note += f"; {over} attacks were not looked at ({why})"
    return note


def replay(journal: Journal) -> Report:
    """Decide a journal's scan again from its readings alone; no call is made."""
    from .journal import rebuild

    kept = journal.values()
    scan = Scan(rebuild(kept))
    scan._costs = _figures(kept.get("costs"))
    source = _Kept(journal)
    source.take(int(kept.get("preflight", 0)))
    task = scan.decide_with(source)
    try:
        task.send(None)
    except StopIteration as done:
        report: Report = done.value
        return report
    raise AssertionError("a saved scan waits for nothing")


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


def _open_journal(scan: Prepared, versions: Mapping[str, str]) -> Journal:
    """Open the journal of this scan, new or begun earlier; UsageError for another scan's."""
    from .journal import Journal, describe, differs
    from .journal.identity import identity_of

    assert scan.journal is not None
    journal = Journal(scan.journal, explanations=scan.explanations)
    try:
        new = describe(scan, identity_of(scan.target, scan.judge.info), versions)
        old = journal.values()
        if old:
            difference = differs(old, new)
            if difference:
                raise UsageError(
                    f"the journal {journal.path} is of another scan: {difference}; name another"
                    " file, or scan as before"
                )
        journal.keep(new)
    except BaseException:
        journal.close()
        raise
    return journal


def _figures(text: str | None) -> dict[str, float]:
    import json

    return dict(json.loads(text)) if text else {}


def _check_key(table: Table) -> None:
    """Raise TargetError when no reading had the key asked for: a typo, not a bad judge."""
    details = {reading.detail for _, reading in table.failed}
    if details and not table.channels and all(d.startswith("no key ") for d in details):
        raise TargetError(sorted(details)[0])


def versions_of(judge: Judge) -> dict[str, str]:
    """Return the versions a report names: ours, Python's and those the judge knows."""
    from .version import VERSION

    own = {"unbudged": VERSION, "python": sys.version.split()[0]}
    return {**own, **getattr(judge, "versions", {})}
