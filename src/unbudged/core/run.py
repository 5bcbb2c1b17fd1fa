"""Making the calls a decision asks for: the only module of the core that calls a judge."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from . import forked
from .judge import Judge, Reading, Scored, Unscorable
from .plan import Call, Plan
from .reading import checked, read_value
from .sample import Sample
from .table import Table
from .target import or_raise

T = TypeVar("T")
Made = Callable[[Call, Reading], None]
Quick = Callable[[str], Reading]


class Stopped(Exception):
    """No more calls can be made; the text says why, as the end of "not decided: …"."""


class Source(Protocol):
    """Where readings come from: the judge, a record of earlier calls, or both.

    ``calls`` counts the judge calls of the scan, ``width`` says how many may be in
    flight. ``take`` counts calls about to be made and says whether they are allowed;
    ``read`` makes one of them, or raises Stopped. ``quick`` reads a text where nothing need
    stand between scan and judge, and no more than the text reaches it, else it is None; a
    ``first`` reading of it that is no score goes to ``read``. ``spare`` may use an idle
    worker, and says whether it had a use for it.
    """

    calls: int
    width: int

    @property
    def quick(self) -> Quick | None: ...

    def take(self, count: int) -> bool: ...

    async def read(
        self, call: Call, sample: Sample, first: Reading | None = None
    ) -> Reading: ...

    async def spare(self) -> bool: ...


def loop_runs() -> bool:
    """Tell whether an event loop runs in this thread, without importing asyncio."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


async def read_safely(judge: Judge, sample: Sample) -> Reading:
    """Read one sample; a judge that raises although it must not is unscorable, no crash."""
    generation = forked.generation
    try:
        reading = await judge.read(sample)
    except BaseException as error:  # noqa: BLE001 - the target's answer, or raised again
        if forked.generation != generation:
            forked.leave(error)
        return or_raise(error)
    if forked.generation != generation:
        forked.leave()
    if type(reading) is Scored or type(reading) is Unscorable:
        return checked(reading)
    return read_value(reading)


def read_at_once(judge: Judge, sample: Sample) -> Reading | None:
    """Read one sample without an event loop; None when the judge waits although it is plain."""
    return at_once(read_safely(judge, sample))


def at_once(task: Coroutine[Any, Any, T]) -> T | None:
    """Run a coroutine without an event loop; None, the coroutine closed, when it waits."""
    try:
        task.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    task.close()
    return None


async def execute(
    source: Source,
    plan: Plan,
    table: Table,
    groups: Iterable[tuple[Call, ...]],
    made: Made | None = None,
) -> bool:
    """Make the calls in order and fold each reading into the table.

    Calls of one group are started next to each other. Whatever is in flight at once,
    readings are folded in the order of the calls, so that the same readings give the
    same report. Returns False when a call was not allowed any more; raises Stopped
    after folding what was read. ``made`` is told of every reading folded.
    """
    if source.width > 1:
        return await _together(source, plan, table, groups, made)
    add, text, samples, read = table.add, plan.text, plan.baselines, source.read
    quick = source.quick
    for group in groups:
        if not source.take(len(group)):
            return False
        for call in group:
            shown = text(call)
            first = None if quick is None else quick(shown)
            if first is None or type(first) is not Scored:
                reading = await read(call, samples[call.baseline].with_output(shown), first)
                quick = source.quick  # what failed may have changed it
            else:
                reading = first
            table.calls = source.calls
            add(call, reading)
            if made is not None:
                made(call, reading)
    return True


async def read_all(source: Source, asked: Sequence[tuple[Call, Sample]]) -> list[Reading]:
    """Make a few calls, together where the source allows it; they must have been taken."""
    if source.width == 1:
        return [await source.read(call, sample) for call, sample in asked]
    import asyncio

    return list(await asyncio.gather(*(source.read(call, sample) for call, sample in asked)))


async def _together(
    source: Source, plan: Plan, table: Table, groups: Iterable[tuple[Call, ...]],
    made: Made | None,
) -> bool:
    """Keep ``width`` calls in flight until the last reading is there."""
    import asyncio

    feed = _Feed(source, groups)
    complete = asyncio.Event()
    waiting: dict[int, tuple[Call, Reading]] = {}
    errors: list[BaseException] = []
    folded = under_way = 0

    def fold(gaps: bool = False) -> None:
        nonlocal folded
        while waiting and (gaps or folded in waiting):
            if folded in waiting:
                call, reading = waiting.pop(folded)
                table.add(call, reading)
                if made is not None:
                    made(call, reading)
            folded += 1

    async def work() -> None:
        nonlocal under_way
        try:
            for place, call in feed:
                under_way += 1
                sample = plan.baselines[call.baseline].with_output(plan.text(call))
                try:
                    waiting[place] = (call, await source.read(call, sample))
                finally:
                    under_way -= 1
                fold()
            while under_way and await source.spare():
                pass
        except asyncio.CancelledError:
            raise
        except Stopped as stop:
            feed.end()  # what is in flight is paid for, and waited for
            errors.append(stop)
        except BaseException as error:
            errors.append(error)
            complete.set()
            if not isinstance(error, Exception):
                raise
        if not under_way:
            complete.set()

    workers = [asyncio.ensure_future(work()) for _ in range(source.width)]
    try:
        await complete.wait()
    finally:
        table.calls = source.calls
        for task in workers:
            task.cancel()
        await asyncio.wait(workers, timeout=1)
        if all(isinstance(error, Stopped) for error in errors):
            fold(gaps=True)
    for error in errors:
        raise error
    return not feed.short


class _Feed:
    """The calls of all groups in order, numbered; ``short`` when some were not allowed."""

    def __init__(self, source: Source, groups: Iterable[tuple[Call, ...]]) -> None:
        self._source, self.short, self._ended = source, False, False
        self._calls = enumerate(self._allowed(groups))

    def _allowed(self, groups: Iterable[tuple[Call, ...]]) -> Iterator[Call]:
        for group in groups:
            if self._ended:
                return
            if not self._source.take(len(group)):
                self.short = True
                return
            yield from group

    def end(self) -> None:
        """Give out no further group."""
        self._ended = True

    def __iter__(self) -> Iterator[tuple[int, Call]]:
        return self._calls
