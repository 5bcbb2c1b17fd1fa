"""What the controls of a judge that repeats itself did, and which of them are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..plan import Call, Plan, first_call
from ..readings import codes_for
from ..table import Channel, Seen
from .wanted import Groups, Packed

EXTRA_TWINS = 6


def controls_move(channel: Channel, tolerance: float) -> bool:
    """Tell whether any control scored otherwise than its clean baseline."""
    bases = channel.base_values()
    for arms in (channel.twins, channel.fillers):
        if any(abs(v - bases[b]) > tolerance for b, v in arms.by_baseline()):
            return True
        for cell in arms.more():
            base = bases[cell[1]]
            for (_, r), v in arms.further(cell).items():
                if r == 0 and abs(v - base) > tolerance:
                    return True
    return False


def twins_disagree(channel: Channel, tolerance: float) -> bool:
    """Tell whether two twins of one payload, in one place, scored differently."""
    for cell in channel.twins.more():
        rounds: dict[int, list[float]] = defaultdict(list)
        for (_, r), value in channel.twins[cell].items():
            rounds[r].append(value)
        if any(max(v) - min(v) > tolerance for v in rounds.values()):
            return True
    return False


def second_twins(channel: Channel) -> list[Call]:
    """Return another twin for some of the cells that have one, several where few have:
    do twins agree at all?"""
    width = len(channel.base)
    cells = channel.twins.first_codes()
    some = cells[:: max(1, len(cells) // EXTRA_TWINS)][:EXTRA_TWINS]
    return [
        Call("twin", *divmod(some[i % len(some)], width), 1 + i // len(some))
        for i in range(EXTRA_TWINS if some else 0)
    ]


def control_calls(plan: Plan, attacks: Sequence[int], seen: Seen) -> Groups:
    """Return the controls of these attacks still missing once any control moved: a twin
    for every cell and filler on one baseline of each attack."""
    width = len(plan.baselines)
    fillers = len(plan.attacks) * width  # they are numbered from here
    order = codes_for(fillers + len(plan.attacks))

    def call_of(number: int) -> Call:
        if number < fillers:
            return first_call("twin", number // width, number % width)
        row = plan.cells(number - fillers)
        return Call("filler", number - fillers, row[(number - fillers) % len(row)])

    made = seen.first("twin")
    for a in attacks:
        row = plan.cells(a)
        order.extend(n for b in row if not made[n := a * width + b])
        if row and call_of(fillers + a) not in seen:
            order.append(fillers + a)
    plan.shuffle(order, "controls")
    return Packed(order, call_of)


def calm_controls(channel: Channel, moving: bool) -> int:
    """Count control readings that did what controls are expected to do.

    With no moving control that is to score like the baseline; else to score like
    another twin of the same payload in the same place.
    """
    if not moving:
        return len(channel.twins) + len(channel.fillers)
    calm = 0
    for cell in channel.twins.more():  # a twin alone in its place says nothing
        rounds: dict[int, int] = defaultdict(int)
        for _, r in channel.twins[cell]:
            rounds[r] += 1
        calm += sum(n - 1 for n in rounds.values())
    return calm
