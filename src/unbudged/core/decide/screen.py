"""Who stays in the running: a payload against the best guess of what its twins score.

Screening only: nothing here is evidence. Own twins are few at first; where payloads
of other shapes hardly differ, the twins of all payloads tell better what is usual.
"""

from __future__ import annotations

import math
from statistics import median

from .tracks import Track, mean


def screen(
    tracks: list[Track], size: float, sd: float, shift: dict[int, float]
) -> dict[int, tuple[float, float]]:
    """Return per attack how far it lies above its expected control, and the standard error.

    The expected control is the payload's own twins drawn towards the twins of all
    payloads on the same baseline, by as much as payloads differ less than noise
    (James and Stein 1961, in the form of Efron and Morris 1973, J. Am. Stat. Assoc. 68).
    ``shift`` is how far the judge had drifted, by round.
    """
    live = [t for t in tracks if t.pairs]
    levels: dict[int, list[float]] = {}
    for track in live:
        for (r, b), (_, t) in track.pairs.items():
            levels.setdefault(b, []).append(t - shift.get(r, 0.0))
    usual = {b: median(values) for b, values in levels.items()}
    reach = 4 * size
    rows: dict[int, tuple[float, float, int]] = {}
    for track in live:
        above: list[float] = []
        own: list[float] = []
        for (r, b), (x, t) in track.pairs.items():
            twin = t - shift.get(r, 0.0) - usual[b]
            own.append(max(-reach, min(reach, twin)))
            above.append(own[-1] + max(-reach, min(reach, x - t)))
        rows[track.attack] = (mean(above), mean(own), len(own))
    noise = sd * sd / 2
    twins = [own for _, own, _ in rows.values()]
    centre = mean(twins) if twins else 0.0
    between = 0.0
    if len(twins) > 2:
        total = math.fsum((own - centre) ** 2 for own in twins) / (len(twins) - 1)
        between = max(0.0, total - mean([noise / n for _, _, n in rows.values()]))
    result = {}
    for attack, (high, low, n) in rows.items():
        keep = between / (between + noise / n) if between else 0.0
        expected = centre + keep * (low - centre)
        result[attack] = (high - expected, math.sqrt(noise / n * (1 + keep)))
    return result
