"""The search stage of a scan: from all attacks to the test of the strongest."""

from __future__ import annotations

from dataclasses import replace

from ..core.run import Made, Source, execute
from ..core.search import search_step
from ..core.table import Table
from ..prepare import Prepared


async def look(
    source: Source, scan: Prepared, table: Table, made: Made | None
) -> Prepared | None:
    """Find the strongest attack; return the scan that tests it, None when calls ran out."""
    search = scan.search
    assert search is not None
    while True:
        groups, best = search_step(scan.plan, table, search, scan.settings)
        if best is not None:
            break
        if not await execute(source, scan.plan, table, groups, made):
            return None
    plan = scan.tested(search.attacks.index(best))
    return replace(scan, plan=plan, remarks=(*scan.remarks, _looked(scan, best)))


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
