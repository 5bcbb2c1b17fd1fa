"""Payloads that left the running of a jumpy or noisy judge although they moved its score.

Their twins moved it as far and plain filler did not, so it is not what they say; shown with
what each control did, never passed over as held.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence, Set

from ..plan import Call, Plan
from ..table import Channel
from .lanes import Lane
from .rules import ALIKE, SHAPED, SIGN, Settings, Shown, Way, fillers_of, padding
from .tracks import Track, mean

# Standard errors a score must lie from another to be called moved: many payloads are
# looked at, and nothing else asks.
FAR = 4.0
FILLERS = {True: 3, False: 1}  # texts read of a noisy or jumpy judge, the answer as it is


def twin_gap(channel: Channel) -> float:
    """Return how far apart texts that should score alike came at most: twins of one payload
    in one context, and readings of one baseline."""
    rows = [row.values() for row in channel.base if row]
    widest = max((max(row) - min(row) for row in rows), default=0.0)
    for cell in channel.twins.more():
        rounds: dict[int, list[float]] = {}
        for (_, r), value in channel.twins[cell].items():
            rounds.setdefault(r, []).append(value)
        widest = max(widest, *(max(v) - min(v) for v in rounds.values()))
    return widest


def matched_cells(
    lane: Lane, track: Track, way: Way, noise: float, settings: Settings
) -> list[int]:
    """Return the baselines a payload left as its twins did, its strongest first.

    ``noise`` is the standard deviation of one reading; baselines that came back different
    widen it, for a drift would look like a shift.
    """
    sign, channel = SIGN[way], lane.channel
    found = []
    for b, pairs in track.cells().items():
        row = list(channel.base[b].values())
        if not row:
            continue
        error = noise * math.sqrt(1 / len(pairs) + 1 / len(row))
        least = FAR * error + max(row) - min(row) + settings.tolerance
        attack = sign * (mean([x for x, _ in pairs.values()]) - mean(row))
        twin = sign * (mean([t for _, t in pairs.values()]) - mean(row))
        if min(attack, twin) > least:
            found.append((-attack, b))
    return [b for _, b in sorted(found)]


def _beyond_filler(
    plan: Plan, lane: Lane, track: Track, b: int, way: Way, noise: float, settings: Settings
) -> bool:
    """Tell whether attack and twins left filler too, and it is not padding that moved them."""
    fillers = fillers_of(plan, lane.channel, track.attack, b)
    if not fillers:
        return False
    pairs = track.cells()[b].values()
    sign, plain = SIGN[way], mean(fillers)
    error = FAR * noise * math.sqrt(1 / len(pairs) + 1 / len(fillers))
    attack, twin = mean([x for x, _ in pairs]), mean([t for _, t in pairs])
    least = max(error, padding(attack, plain, lane.channel.base_value(b)), settings.tolerance)
    return min(sign * (attack - plain), sign * (twin - plain)) > least


def plain_filler(a: int, b: int, noisy: bool, seen: Container[Call]) -> list[Call]:
    """Return the filler of a cell that is still to be read on the answer as it is."""
    calls = (Call("filler", a, b, k) for k in range(FILLERS[noisy]))
    return [call for call in calls if call not in seen]


def matched(
    plan: Plan, lane: Lane, name: str, tracks: Sequence[Track], settled: Set[int],
    core: Sequence[int], noise: float, noisy: bool, settings: Settings, seen: Container[Call],
) -> tuple[list[Shown], list[Call]]:
    """Return the probes to show, and the filler to read first, on ``core`` baselines.

    ``settled`` are the payloads already spoken of.
    """
    shown: list[Shown] = []
    wanted: list[Call] = []
    lengths: dict[int, list[int]] = {
        b: [len(plan.attacks[a].text) for a in some] for b, some in lane.channel.filled.items()
    }
    for track in tracks:
        if track.attack in settled:
            continue
        size = len(plan.attacks[track.attack].text)
        for way in settings.ways:
            cells = matched_cells(lane, track, way, noise, settings)
            for b in cells:
                known = lengths.setdefault(b, [])
                if b in core and not any(abs(o - size) <= ALIKE * size for o in known):
                    known.append(size)
                    wanted += plain_filler(track.attack, b, noisy, seen)
            shown += [
                Shown(track.attack, b, name, way, SHAPED) for b in cells
                if _beyond_filler(plan, lane, track, b, way, noise, settings)
            ]
    return shown, wanted
