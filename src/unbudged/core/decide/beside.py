"""A payload against its controls where the judge is steady: beyond them, or explained by them."""

from __future__ import annotations

from ..plan import Call, Plan
from ..table import Cell, Channel, Seen
from .lanes import Lane
from .rules import ECHOED, SHAPED, SIGN, Settings, ShownCells, Way, alike, fillers_of, padding

FILLED = 4  # baselines on which a payload that moved is given filler, where it has none


def outside(value: float, controls: list[float], way: Way, tolerance: float) -> bool:
    """Tell whether a score lies beyond all controls in one direction."""
    if way == "up":
        return value - max(controls) > tolerance
    return min(controls) - value > tolerance


def controls_of(channel: Channel, cell: Cell) -> list[float]:
    """Return the scores of a cell's twins and filler on the baseline as it is."""
    return channel.twins.unchanged(cell) + channel.fillers.unchanged(cell)


def echoed(lane: Lane, settings: Settings, moving: bool, shown: ShownCells) -> None:
    """Add probes that left their other controls but not their echo."""
    channel = lane.channel
    for a, b in channel.echoes:
        value, echoes = channel.attack(a, b), channel.echoes.unchanged((a, b))
        others = controls_of(channel, (a, b)) if moving else [channel.base_value(b)]
        for way in settings.ways if others and echoes and value == value else ():
            if outside(value, others, way, settings.tolerance) and not outside(
                value, echoes, way, settings.tolerance
            ):
                shown.add(a, b, way, ECHOED)


def confounded(
    plan: Plan, lane: Lane, settings: Settings, moved: set[int], shown: ShownCells, seen: Seen
) -> list[Call]:
    """Add payloads that left plain filler but not their own twins; return filler to read.

    Filler about as long tells as much as a payload's own, which is read where there is
    none of it, on the first ``FILLED`` baselines.
    """
    channel, wanted = lane.channel, []
    for a in lane.attacks:
        if a in moved:
            continue
        for place, b in enumerate(plan.cells(a)):
            value, twins = channel.attack(a, b), channel.twins.unchanged((a, b))
            if value != value or not twins:
                continue
            ways = [w for w in settings.ways if _explained(plan, lane, a, b, w, settings)]
            if place < FILLED:
                left = abs(value - channel.base_value(b)) > settings.tolerance
                filler = Call("filler", a, b)
                if (left or ways) and filler not in seen and not alike(plan, channel, a, b):
                    wanted.append(filler)
                    continue
            for way in ways:
                shown.add(a, b, way, SHAPED)
    return wanted


def _explained(
    plan: Plan, lane: Lane, a: int, b: int, way: Way, settings: Settings
) -> bool:
    """Tell whether a payload and a twin of it left filler, by more than padding would."""
    value, twins = lane.channel.attack(a, b), lane.channel.twins.unchanged((a, b))
    fillers = fillers_of(plan, lane.channel, a, b)
    if not fillers:
        return False
    nearest = min(fillers, key=lambda f: abs(f - value))
    least = max(settings.tolerance, padding(value, nearest, lane.channel.base_value(b)))
    if not outside(value, fillers, way, least):
        return False
    return any(SIGN[way] * (t - f) > settings.tolerance for t in twins for f in fillers)
