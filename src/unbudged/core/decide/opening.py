"""The first calls of every scan: baselines, then each attack once with a few controls."""

from __future__ import annotations

import heapq
from array import array
from itertools import chain

from ..plan import Arm, Call, Plan, first_call
from ..readings import codes_for
from ..table import Seen, Table
from .lanes import Lane
from .wanted import Group, Groups, Packed

# Judge calls per probe a scan may make of a judge that no control moves, its
# baselines and their repeats included.
CALLS_PER_PROBE = 1.28
REPEATED = 2
AGAIN = 4


def repeated_baselines(plan: Plan) -> int:
    """Return how many baselines are read again to see whether the judge repeats itself."""
    return min(REPEATED, len(plan.baselines))


def opening(plan: Plan, seen: Seen) -> Groups:
    """Return the clean baselines, some of them twice, less those read already."""
    order = plan.baseline_order()
    again = base_again(plan, 1, seen)
    if seen:
        made = seen.row("base", -1)
        order = array(order.typecode, [b for b in order if not made[b]])
    return Packed(order, lambda b: Call("base", -1, b), again)


def base_again(plan: Plan, round: int, seen: Seen) -> list[Group]:
    """Return another clean reading of some baselines, for the end of a stage, less those
    made already."""
    first = plan.baseline_order()[: repeated_baselines(plan)]
    again = (Call("base", -1, b, 0, round) for b in first)
    return [(call,) for call in again if call not in seen]


def survey(plan: Plan, seen: Seen) -> Groups:
    """Return every attack once per cell, a sample of controls, and the baselines again;
    less what was read already."""
    width = len(plan.baselines)
    controls = _sample(plan)
    cells = len(plan.attacks) * width
    order = codes_for(cells + len(controls))
    for a in range(len(plan.attacks)):
        order.extend(a * width + b for b in plan.cells(a))
    order.extend(range(cells, cells + len(controls)))
    plan.shuffle(order, "survey")

    def call_of(number: int) -> Call:
        if number < cells:
            return first_call("attack", number // width, number % width)
        return controls[number - cells]

    made = seen.first("attack")
    made.extend(call in seen for call in controls)
    if any(made):
        order = array(order.typecode, (n for n in order if not made[n]))
    return Packed(order, call_of, base_again(plan, 2, seen))


def surveyed(plan: Plan, seen: Seen) -> bool:
    """Tell whether nothing of the survey is left to read."""
    if base_again(plan, 2, seen) or seen.first("attack").count(1) < _cells(plan):
        return False
    return all(call in seen for call in _sample(plan))


def least_calls(plan: Plan) -> int:
    """Return the judge calls of a scan in which nothing moves."""
    again = 2 * repeated_baselines(plan)
    return len(plan.baselines) + again + _cells(plan) + len(_sample(plan))


def calm_calls(attacks: int, probes: int, baselines: int, trials: int | None = None) -> int:
    """Return the most judge calls of a scan of this size in which nothing moves.

    ``trials`` are the pairs a probe of a fixed design, whatever moves.
    """
    again = min(REPEATED, baselines)
    if trials:
        return baselines + 2 * again + 2 * trials * probes
    return baselines + 2 * again + probes + _sampled(attacks, probes, baselines)


def _sampled(attacks: int, probes: int, baselines: int) -> int:
    """Return how many controls the survey reads."""
    spent = baselines + 2 * min(REPEATED, baselines)
    room = int(probes * (CALLS_PER_PROBE - 1)) - spent
    return min(max(room, 2), max(3 * attacks, 2), 150)


def _cells(plan: Plan) -> int:
    return sum(len(plan.cells(a)) for a in range(len(plan.attacks)))


def _sample(plan: Plan) -> list[Call]:
    """Return the controls of the survey: what is left of ``CALLS_PER_PROBE`` buys them.

    Two of three are twins, one is filler, spread over attacks and baselines. If any of
    them moves the score the next stage gives every cell its own.
    """
    if plan.survey_controls:
        return plan.survey_controls
    rows = [plan.cells(a) for a in range(len(plan.attacks))]
    count = _sampled(len(plan.attacks), _cells(plan), len(plan.baselines))
    order = plan.shuffled(
        [Call("twin", a, cells[a % len(cells)]) for a, cells in enumerate(rows) if cells], "rows"
    )
    controls: list[Call] = []
    for turn in range(4):
        for place, call in enumerate(order):
            cells = rows[call.attack]
            b = cells[(call.attack + turn) % len(cells)]
            arm: Arm = "filler" if (place + turn) % 3 == 2 else "twin"
            controls.append(Call(arm, call.attack, b))
    plan.survey_controls = list(dict.fromkeys(controls))[:count]
    return plan.survey_controls


def read_again(plan: Plan, lane: Lane) -> tuple[tuple[Call, ...], ...]:
    """Return second readings of the attack texts that scored furthest from their baseline.

    A judge that jumps may be one that is noisy on some texts only: those it jumped on.
    """
    channel = lane.channel
    bases = channel.base_values()
    moved: list[tuple[float, int, int]] = []
    for a in lane.attacks:
        row = channel.attack_row(a)
        shifts = ((-abs(row[b] - bases[b]), a, b) for b in plan.cells(a))
        moved = heapq.nsmallest(AGAIN, chain(moved, (s for s in shifts if s[0] == s[0])))
    return tuple((Call("attack", a, b, 1),) for _, a, b in moved)


def all_silent(plan: Plan, table: Table) -> bool:
    """Tell whether no baseline could be scored even once."""
    return bool(table.seen) and not table.channels
