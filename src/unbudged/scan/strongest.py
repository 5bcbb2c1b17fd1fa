"""The search stage of a scan: from all attacks to the test of the strongest."""

from __future__ import annotations

from dataclasses import replace

from ..core.memory import CALLS_LEAST
from ..core.run import Made, Source, execute
from ..core.search import any_moved, search_step
from ..core.table import Table
from ..prepare import Prepared
from ..prepare.choice import unlooked


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
    return replace(scan, plan=plan, remarks=(*scan.remarks, _looked(scan, table, best)))


def _looked(scan: Prepared, table: Table, best: int) -> str:
    """Say what a search looked at and what of it was tested."""
    search, plan = scan.search, scan.plan
    assert search is not None
    fresh = (
        f"tested on {len(search.held)} of {len(plan.baselines)} baselines, which the search did"
        " not use"
        if len(plan.baselines) > 1
        else "tested on the same baseline, in contexts the search did not use"
    )
    name, looked = plan.attacks[best].id, f"{len(search.attacks)} attacks"
    if any_moved(table, search, scan.settings):
        note = f"the strongest of {looked} in a search of {search.cost} calls was {name}; it alone"
    else:
        note = (
            f"none of {looked} scored otherwise than its twin in a search of {search.cost} calls:"
            f" {name} was chosen for no more than its place in the order they are tried; it alone"
        )
    left = unlooked(plan, search, CALLS_LEAST + scan.contrast_calls, scan.settings.trials)
    return f"{note} was {fresh}" + (f"; {left}" if left else "")
