"""The first calls of every scan: baselines, then each attack once with a few controls."""

from __future__ import annotations

from ..plan import Arm, Call, Plan
from ..table import Table
from .lanes import Lane

# Judge calls per probe a scan may make of a judge that no control moves, its
# baselines and their repeats included.
CALLS_PER_PROBE = 1.28
REPEATED = 2
AGAIN = 4


def calm_calls(attacks: int, probes: int, baselines: int) -> int:
    """Return the most judge calls of a scan of this size in which nothing moves."""
    again = min(REPEATED, baselines)
    return baselines + 2 * again + probes + _sampled(attacks, probes, baselines)


def _sampled(attacks: int, probes: int, baselines: int) -> int:
    """Return how many controls the survey reads."""
    spent = baselines + 2 * min(REPEATED, baselines)
    room = int(probes * (CALLS_PER_PROBE - 1)) - spent
    return min(max(room, 2), max(3 * attacks, 2), 150)


def repeated_baselines(plan: Plan) -> int:
    """Return how many baselines are read again to see whether the judge repeats itself."""
    return min(REPEATED, len(plan.baselines))


def opening(plan: Plan) -> tuple[tuple[Call, ...], ...]:
    """Return the clean baselines, some of them twice."""
    bases = plan.shuffled([Call("base", -1, b) for b in range(len(plan.baselines))], "open")
    again = [call._replace(round=1) for call in bases[: repeated_baselines(plan)]]
    return tuple((call,) for call in bases + again)


def base_again(plan: Plan, round: int) -> tuple[tuple[Call, ...], ...]:
    """Return another clean reading of some baselines, for the end of a stage."""
    first = opening(plan)[: repeated_baselines(plan)]
    return tuple((call._replace(round=round),) for (call,) in first)


def survey(plan: Plan) -> tuple[tuple[Call, ...], ...]:
    """Return every attack once per cell, a sample of controls, and the baselines again.

    The sample costs what is left of ``CALLS_PER_PROBE``; two controls of three are
    twins, one is filler, spread over attacks and baselines. If any of them moves the
    score the next stage gives every cell its own.
    """
    attacks = [Call("attack", a, b) for a in range(len(plan.attacks)) for b in plan.cells(a)]
    count = _sampled(len(plan.attacks), len(attacks), len(plan.baselines))
    rows = [plan.cells(a) for a in range(len(plan.attacks))]
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
    controls = list(dict.fromkeys(controls))[:count]
    body = plan.shuffled(attacks + controls, "survey")
    return tuple((call,) for call in body) + base_again(plan, 2)


def read_again(plan: Plan, lane: Lane) -> tuple[tuple[Call, ...], ...]:
    """Return second readings of the attack texts that scored furthest from their baseline.

    A judge that jumps may be one that is noisy on some texts only: those it jumped on.
    """
    moved, channel = [], lane.channel
    for a in lane.attacks:
        row = channel.attack_row(a)
        for b in plan.cells(a):
            shift = abs(row[b] - channel.base_value(b))
            if shift == shift:
                moved.append((-shift, a, b))
    return tuple((Call("attack", a, b, 1),) for _, a, b in sorted(moved)[:AGAIN])


def all_silent(plan: Plan, table: Table) -> bool:
    """Tell whether no baseline could be scored even once."""
    return bool(table.seen) and not table.channels
