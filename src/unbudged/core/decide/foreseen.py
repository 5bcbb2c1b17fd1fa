"""How many judge calls a scan will make, said before it makes any."""

from __future__ import annotations

import math

from ..plan import Plan
from .controls import EXTRA_TWINS
from .field import CORE_BASELINES, JUMPY, NOISY
from .matched import FILLERS as MATCHED_FILLERS
from .opening import AGAIN, least_calls, repeated_baselines
from .rounds import ECHOES, FILLERS, LEAST_TWINS
from .rules import Settings


def most_calls(plan: Plan, settings: Settings) -> int:
    """Return a number of judge calls no scan of this plan exceeds."""
    pairs = 0
    for a in range(len(plan.attacks)):
        cells = len(plan.cells(a))
        least = settings.trials or 1
        opening = least * cells + LEAST_TWINS * CORE_BASELINES
        pairs += max(NOISY.most_pairs, opening) + CORE_BASELINES
    studies_ = len(plan.attacks) * 16 * 16
    checks = (2 * (FILLERS + ECHOES) + 3) * len(plan.attacks)
    cells_ = (4 + MATCHED_FILLERS[True]) * plan.probe_count
    return 2 * pairs + checks + cells_ + studies_ + 99


def noisy_calls(plan: Plan) -> int:
    """Return about how many judge calls a noisy judge takes that no payload moves.

    Every cell gets a pair, and a payload a look at the pairs it has and one round more.
    """
    looked = NOISY.first_look + CORE_BASELINES
    pairs = sum(
        max(len(plan.cells(a)) + _first_twins(plan, a), looked) for a in range(len(plan.attacks))
    )
    return len(plan.baselines) + 2 * repeated_baselines(plan) + 2 * pairs


def hard_calls(plan: Plan, settings: Settings, noisy: bool) -> int:
    """Return what scans of judges that are ``noisy``, or else jump with the words, stay below.

    Every cell gets a pair, and each payload is given as many calls as if half of them went on
    to the most pairs there are: single ones take more, hardly any scan does (simulated in
    tests/test_rules_calls.py). A fixed design takes what it takes, whatever the judge.
    """
    again = 2 * repeated_baselines(plan)
    if settings.trials:
        return len(plan.baselines) + again + 2 * settings.trials * plan.probe_count
    pairs = 2 * plan.probe_count if noisy else plan.probe_count + EXTRA_TWINS + AGAIN
    pairs += 2 * sum(_first_twins(plan, a) for a in range(len(plan.attacks)))
    followed = (NOISY if noisy else JUMPY).most_pairs + FILLERS + 3
    return least_calls(plan) + pairs + followed * len(plan.attacks)


def _first_twins(plan: Plan, a: int) -> int:
    """Return the pairs a payload gets beyond one a cell before anything is decided."""
    rounds = math.ceil(LEAST_TWINS / len(plan.attacks))
    return (rounds - 1) * min(len(plan.cells(a)), CORE_BASELINES)
