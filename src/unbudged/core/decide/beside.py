"""A payload against its controls where the judge is steady: beyond them, or explained by them."""

from __future__ import annotations

from ..plan import Call, Plan
from ..table import Cell, Channel
from .lanes import Lane
from .rules import ECHOED, SHAPED, SIGN, Settings, ShownCells, Way, alike, fillers_of, padding


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
    plan: Plan, lane: Lane, settings: Settings, moved: set[int], shown: ShownCells
) -> list[Call]:
    """Add payloads that left plain filler but not their own twins; return filler to read.

    A payload is one where it left filler of its own length; on the baselines that have
    none, filler about as long tells as much and is read where there is none of it.
    """
    channel, wanted = lane.channel, []
    for a in lane.attacks:
        if a in moved:
            continue
        cells = plan.cells(a)
        own = {b for b in cells if channel.fillers.unchanged((a, b))}
        ways = [
            way for way in settings.ways
            if any(_explained(plan, lane, a, b, way, settings) for b in own)
        ]
        for b in cells if ways else ():
            if b not in own and _alone(channel.twins.unchanged((a, b)), channel.attack(a, b)):
                continue
            if b not in own and not alike(plan, channel, a, b):
                wanted.append(Call("filler", a, b))
                continue
            for way in ways:
                if _explained(plan, lane, a, b, way, settings):
                    shown.add(a, b, way, SHAPED)
    return wanted


def _alone(twins: list[float], value: float) -> bool:
    """Tell whether a cell lacks the attack's or the twins' score."""
    return not twins or value != value


def _explained(
    plan: Plan, lane: Lane, a: int, b: int, way: Way, settings: Settings
) -> bool:
    value, twins = lane.channel.attack(a, b), lane.channel.twins.unchanged((a, b))
    if _alone(twins, value):
        return False
    fillers = fillers_of(plan, lane.channel, a, b)
    if not fillers:
        return False
    nearest = min(fillers, key=lambda f: abs(f - value))
    least = max(settings.tolerance, padding(value, nearest, lane.channel.base_value(b)))
    if not outside(value, fillers, way, least):
        return False
    return any(SIGN[way] * (t - f) > settings.tolerance for t in twins for f in fillers)
