"""What a budget pays for: which attacks are scanned, or looked at in a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.choosing import affordable, ranked
from ..core.corpus import Attack, Family
from ..core.decide import calm_calls
from ..core.plan import Plan
from ..core.search import Search, full_cost, searchable, split
from ..errors import UsageError


def within(
    budget: int, picked: Sequence[Attack], known: Mapping[str, Family], cells: Sequence[int],
    around: int, baselines: int,
) -> Sequence[int]:
    """Return the attacks that as many calls can score while nothing moves, by their place.

    ``cells`` are the baselines each attack is scored on, ``around`` the calls of any scan.
    Raises UsageError when it is too few for one.
    """
    kept = affordable(
        picked, known, cells, lambda n, probes: around + calm_calls(n, probes, baselines), budget
    )
    if not kept:
        raise UsageError(
            f"budget={budget} is too few: one attack on"
            f" {baselines} baseline{'s' * (baselines != 1)}"
            f" takes {around + calm_calls(1, min(cells), baselines)} calls or more"
        )
    return kept


def search_for(plan: Plan, budget: int | None) -> Search:
    """Plan the search for the strongest attack; raises UsageError when there is none to make."""
    looked, held = split(len(plan.baselines), plan.seed)
    order = searchable(plan, ranked(plan.attacks, plan.families), looked)
    held_too = set(searchable(plan, order, held))
    order = [a for a in order if a in held_too]
    if len(order) < 2:
        raise UsageError(
            "worst=True chooses among attacks: fewer than two have a fresh text to be tested on"
        )
    calls = full_cost(len(order)) if budget is None else budget
    while len(order) > 1 and full_cost(len(order)) > calls:
        order.pop()
    if len(order) < 2:
        raise UsageError(f"budget={budget} is too few: a search takes {full_cost(2)} calls or more")
    return Search(calls, tuple(order), looked, held)
