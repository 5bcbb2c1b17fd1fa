"""Making the calls a decision asks for: the only module of the core that calls a judge."""

from __future__ import annotations

from collections.abc import Iterable

from .judge import Judge
from .plan import Call, Plan
from .table import Table


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
    read, add, text, samples = judge.read, table.add, plan.text, plan.baselines
    limit = -1 if max_calls is None else max_calls
    for group in groups:
        if 0 <= limit < table.calls + len(group):
            return False
        for call in group:
            table.calls += 1
            add(call, await read(samples[call.baseline].with_output(text(call))))
    return True
