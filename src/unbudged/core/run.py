"""Making the calls a decision asks for: the only module of the core that calls a judge."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from .judge import Judge, Reading, Scored, Unscorable
from .plan import Call, Plan
from .reading import checked, read_value
from .sample import Sample
from .table import Table
from .target import CallableJudge, or_raise


async def read_safely(judge: Judge, sample: Sample) -> Reading:
    """Read one sample; a judge that raises although it must not is unscorable, no crash."""
    try:
        reading = await judge.read(sample)
    except BaseException as error:  # noqa: BLE001 - the target's answer, or raised again
        return or_raise(error)
    if type(reading) is Scored or type(reading) is Unscorable:
        return checked(reading)
    return read_value(reading)


async def execute(
    judge: Judge,
    plan: Plan,
    table: Table,
    groups: Iterable[tuple[Call, ...]],
    max_calls: int | None = None,
) -> bool:
    """Make the calls in order and fold each reading into the table.

    Calls of one group are made next to each other. Returns False when ``max_calls``
    (of the whole scan) was reached before the last one.
    """
    add, text, samples = table.add, plan.text, plan.baselines
    # our own judge of a callable already checks what it reads
    read = judge.read if type(judge) is CallableJudge else partial(read_safely, judge)
    limit = -1 if max_calls is None else max_calls
    for group in groups:
        if 0 <= limit < table.calls + len(group):
            return False
        for call in group:
            table.calls += 1
            sample = samples[call.baseline].with_output(text(call))
            add(call, await read(sample))
    return True
