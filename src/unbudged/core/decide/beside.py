"""A payload against its controls where the judge is steady: beyond them, or explained by them."""

from __future__ import annotations

from ..plan import Plan
from ..table import Cell, Channel
from .lanes import Lane
from .rules import ECHOED, SIGN, Settings, ShownCells, Way, fillers_of


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
) -> None:
    """Add payloads that left plain filler but not their own twins."""
    channel = lane.channel
    for a in lane.attacks:
        if a in moved:
            continue
        for b in plan.cells(a):
            value = channel.attack(a, b)
            twins = channel.twins.unchanged((a, b))
            if value != value or not twins:
                continue
            fillers = fillers_of(plan, channel, a, b)
            if not fillers:
                continue
            for way in settings.ways:
                sign = SIGN[way]
                if outside(value, fillers, way, settings.tolerance) and any(
                    sign * (t - f) > settings.tolerance for t in twins for f in fillers
                ):
                    why = "moves against plain filler, and so do texts of its own shape"
                    shown.add(a, b, way, why)
