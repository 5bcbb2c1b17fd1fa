"""What a budget pays for: which attacks are scanned, or looked at in a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.choosing import affordable, ranked
from ..core.corpus import Attack, Family
from ..core.decide import calm_calls
from ..core.plan import Plan
from ..core.search import Search, fresh, full_cost, least_cost, split
from ..errors import UsageError


def within(
    budget: int, picked: Sequence[Attack], known: Mapping[str, Family], cells: Sequence[int],
    around: int, baselines: int, trials: int | None,
) -> Sequence[int]:
    """Return the attacks that as many calls can score while nothing moves, by their place.

    ``cells`` are the baselines each attack is scored on, ``around`` the calls of any scan.
    Raises UsageError when it is too few for one.
    """

    def cost(attacks: int, probes: int) -> int:
        return around + calm_calls(attacks, probes, baselines, trials)

    kept = affordable(picked, known, cells, cost, budget)
    if not any(cells[i] for i in kept):
        order = ranked(picked, known)
        first = next((n for n, i in enumerate(order) if cells[i]), 0)
        raise UsageError(
            f"budget={budget} is too few: one attack on"
            f" {baselines} baseline{'s' * (baselines != 1)}"
            f" takes {cost(first + 1, cells[order[first]])} calls or more"
        )
    return kept


def search_for(
    plan: Plan, budget: int | None, around: int, trials: int | None
) -> Search:
    """Plan the search for the strongest attack; raises UsageError when there is none to make.

    ``budget`` pays for the search, for the test of its winner while nothing moves and for
    ``around``, the calls of any scan. Without one it is at most what the scan of all
    attacks takes, and no more than a search needs whose stages all weigh the same.
    """
    looked, held = split(len(plan.baselines), plan.seed)
    order = fresh(plan, ranked(plan.attacks, plan.families), looked, held)
    if len(order) < 2:
        raise UsageError(
            "worst=True chooses among attacks: fewer than two have a fresh text to be tested on"
        )
    test = _test(held, around, trials)
    probes = sum(len(plan.cells(a)) for a in range(len(plan.attacks)))
    whole = around + calm_calls(len(plan.attacks), probes, len(plan.baselines), trials)
    calls = min(whole - test, full_cost(len(order))) if budget is None else budget - test
    while len(order) > 1 and least_cost(len(order)) > calls:
        order.pop()
    if len(order) < 2:
        least = test + least_cost(2)
        if budget is None:
            raise UsageError(
                f"worst=True takes {least} calls or more, the scan of all attacks {whole} while"
                f" nothing moves: leave worst away, or give budget={least} or more"
            )
        raise UsageError(
            f"budget={budget} is too few: a search and the test of its winner take {least} calls"
            " or more"
        )
    return Search(calls, tuple(order), looked, held)


def _test(held: Sequence[int], around: int, trials: int | None) -> int:
    """Return the calls of the test of a search's winner, and of any scan, while nothing moves."""
    return around + calm_calls(1, len(held), len(held), trials)


def unlooked(plan: Plan, search: Search, around: int, trials: int | None) -> str:
    """Say why a search did not look at every attack, "" where it did."""
    order = fresh(plan, ranked(plan.attacks, plan.families), search.looked, search.held)
    short, stale = len(order) - len(search.attacks), len(plan.attacks) - len(order)
    said = []
    if short:
        enough = _test(search.held, around, trials) + least_cost(len(order))
        said.append(
            f"{short} attacks were not looked at, for want of calls: a budget of {enough} looks at"
            " all"
        )
    if stale:
        said.append(
            f"{stale} were left out: they are the same text on every baseline, or state a"
            " reference answer, so that no fresh one is left to test them on"
        )
    return "; ".join(said)
