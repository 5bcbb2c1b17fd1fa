"""A payload against its controls where the judge is steady: beyond them, or explained by them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from operator import sub

from ..plan import Call, Plan
from ..readings import codes_for
from ..table import Cell, Channel, Seen
from .lanes import Lane
from .rules import ECHOED, SHAPED, SIGN, Settings, ShownCells, Way, alike, fillers_of, padding

FILLED = 4  # baselines on which a payload that moved is given filler, where it has none

#: by payload, the baselines on which its echo was read
Heard = dict[int, "array[int]"]
_WAYS: tuple[Way, Way] = ("up", "down")


def outside(value: float, controls: list[float], way: Way, tolerance: float) -> bool:
    """Tell whether a score lies beyond all controls in one direction."""
    if way == "up":
        return value - max(controls) > tolerance
    return min(controls) - value > tolerance


def controls_of(channel: Channel, cell: Cell) -> list[float]:
    """Return the scores of a cell's twins and filler on the baseline as it is."""
    return channel.twins.unchanged(cell) + channel.fillers.unchanged(cell)


def candidates(
    plan: Plan, lane: Lane, settings: Settings, moving: bool, heard: Heard
) -> dict[tuple[int, Way], array[int]]:
    """Return, per payload and direction, the baselines on which it lies outside its controls.

    While no control moved, every control stands at its baseline's score, read or not.
    """
    found: dict[tuple[int, Way], array[int]] = {}
    tolerance, ways, channel = settings.tolerance, settings.ways, lane.channel
    bases = channel.base_values()
    unmoved, code = bases.tobytes(), codes_for(len(bases)).typecode
    for a in lane.attacks:
        row = channel.attack_row(a)
        if not moving and row.tobytes() == unmoved:  # a large grid is compared in one step
            continue
        cells = plan.cells(a)
        lows, highs = _ends(channel, a, cells) if moving else (bases, bases)
        ups: Sequence[int] = ()
        downs: Sequence[int] = ()
        if "up" in ways:
            ups = _above(row, highs, cells, tolerance)
        if "down" in ways:
            downs = _above(lows, row, cells, tolerance)
        if a in heard and (ups or downs):
            least, most = _echo_ends(channel, a, heard[a])
            # NaN where there is no echo: that is no less
            ups = [b for b in ups if not row[b] - most[b] <= tolerance]
            downs = [b for b in downs if not least[b] - row[b] <= tolerance]
        if ups and not (downs and downs[0] < ups[0]):
            found[a, "up"] = array(code, ups)
        if downs:
            found[a, "down"] = array(code, downs)
        if ups:
            found[a, "up"] = array(code, ups)
    return found


def _above(
    these: array[float], those: array[float], cells: Sequence[int], tolerance: float
) -> list[int]:
    """Return the cells where these are larger; no comparison with NaN, nothing read, holds."""
    if len(cells) < len(these):
        return [b for b in cells if these[b] - those[b] > tolerance]
    return [b for b, by in enumerate(map(sub, these, those)) if by > tolerance]


def _ends(
    channel: Channel, a: int, cells: Sequence[int]
) -> tuple[array[float], array[float]]:
    """Return a payload's least and largest twin or filler by baseline, NaN where there is none."""
    lows, fillers = channel.twins.row(a), channel.fillers.row(a)
    highs = lows[:]
    more, further = channel.twins.more(), channel.fillers.more()
    for b in cells:
        if (a, b) in more or (a, b) in further:
            controls = controls_of(channel, (a, b))
            if controls:
                lows[b], highs[b] = min(controls), max(controls)
        elif fillers[b] == fillers[b]:
            # min and max keep a first argument that is NaN
            lows[b], highs[b] = min(fillers[b], lows[b]), max(fillers[b], highs[b])
    return lows, highs


def _echo_ends(
    channel: Channel, a: int, heard: Sequence[int]
) -> tuple[array[float], array[float]]:
    """Return a payload's least and largest echo by baseline, NaN where none was read."""
    lows = highs = channel.echoes.row(a)
    if channel.echoes.more():
        highs = lows[:]
        for b in heard:
            said = channel.echoes.unchanged((a, b))
            if said:
                lows[b], highs[b] = min(said), max(said)
    return lows, highs


def echoed(
    plan: Plan, lane: Lane, settings: Settings, moving: bool, heard: Heard, shown: ShownCells
) -> None:
    """Add probes that left their other controls but not their echo."""
    channel, tolerance, width = lane.channel, settings.tolerance, len(plan.baselines)
    bases = channel.base_values()
    held = bytearray(len(plan.attacks) * width)
    for a, cells in heard.items():
        row = channel.attack_row(a)
        lows, highs = _ends(channel, a, cells) if moving else (bases, bases)
        least, most = _echo_ends(channel, a, cells)
        for b in cells:
            if row[b] - highs[b] > tolerance and row[b] - most[b] <= tolerance:
                held[a * width + b] = 1 + _WAYS.index("up")
            elif lows[b] - row[b] > tolerance and least[b] - row[b] <= tolerance:
                held[a * width + b] = 1 + _WAYS.index("down")
    for a, b in channel.echoes:  # in the order they were read
        if held[a * width + b] and (way := _WAYS[held[a * width + b] - 1]) in settings.ways:
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
