"""Question two of a jumpy or noisy judge: is it more than other words of that shape do?

The yardstick is how far whole twins differ among themselves once noise is taken
out. First it is pooled over all payloads from the rounds already paid for; when
that is too coarse to tell, the payload's own twins are read again and again.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass
from statistics import median

from ..plan import Call
from ..stats import t_quantile
from ..table import Channel
from .rules import SIGN, Way
from .tracks import Track, mean

CELL = -1  # the level of single baselines, beside the level of all core baselines together
STUDY_TWINS = 12
STUDY_ROUND = 20  # study contexts are numbered from here, away from those of the pairs
STUDIED = 2


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Variance of twins' means less that of the attack's own, its standard error and
    degrees of freedom, and the widest any twin lay from its payload's mean."""

    variance: float
    error: float
    dof: int
    widest: float


@dataclass(frozen=True, slots=True)
class Beyond:
    """The answer for one payload: passed, failed with ``why``, or ``open`` (read more)."""

    passed: bool
    open: bool
    beyond: float | None
    cell: int
    why: str = ""


def pooled(tracks: list[Track], core: list[int], size: float, noisy: bool) -> dict[str, Yardstick]:
    """Return the yardstick for all core baselines together and for a single baseline.

    Readings are clipped at four times the typical difference around their cell's
    median, so that one wild reading of a heavy-tailed judge does not set the scale.
    With a noisy judge the payloads that differ most from their twins are left out:
    their own scores may be steadier or wilder than the judge is.
    """
    ranked = sorted((t for t in tracks if t.pairs), key=lambda t: abs(mean(t.differences())))
    calm = ranked[: max(1, math.ceil(0.7 * len(ranked)))] if noisy else ranked
    result = {}
    for level, cells in (("all", core), ("cell", None)):
        twin, dof, widest = _variance(ranked if not noisy else calm, cells, 1, size)
        attack, attack_dof, _ = _variance(calm, cells, 0, size)
        error = math.sqrt(2 * twin**2 / max(1, dof) + 2 * attack**2 / max(1, attack_dof))
        result[level] = Yardstick(max(0.0, twin - attack), error, max(1, dof), widest)
    return result


def _variance(
    tracks: list[Track], core: list[int] | None, side: int, size: float
) -> tuple[float, int, float]:
    total, dof, widest = 0.0, 0, 0.0
    for track in tracks:
        groups = [core] if core is not None else [[b] for b in track.baselines()]
        for cells in groups:
            means = round_means(track, cells, side, size)
            n = len(means)
            if n > 1:
                centre = mean(means)
                total += math.fsum((m - centre) ** 2 for m in means)
                dof += n - 1
                reach = max(abs(m - centre) for m in means) * math.sqrt(n / (n - 1))
                widest = max(widest, reach)
    return (total / dof if dof else 0.0), dof, widest


def round_means(track: Track, cells: list[int], side: int, size: float) -> list[float]:
    """Return the mean over the cells of one side, for each round that has them all."""
    rows: dict[int, dict[int, float]] = defaultdict(dict)
    wanted = set(cells)
    for (r, b), pair in track.pairs.items():
        if b in wanted:
            rows[r][b] = pair[side]
    full = max((len(row) for row in rows.values()), default=0)
    centre = {b: median(row[b] for row in rows.values() if b in row) for b in wanted
              if any(b in row for row in rows.values())}
    reach = 4 * size
    return [
        mean([centre[b] + max(-reach, min(reach, v - centre[b])) for b, v in row.items()])
        for row in rows.values()
        if len(row) == full
    ]


def beyond(
    track: Track, way: Way, best: int, single: bool, sticks: dict[str, Yardstick],
    studies: dict[str, Yardstick], alpha: float, tests: int, noisy: bool,
) -> Beyond:
    """Compare a payload's mean difference with the yardstick of its level.

    ``single`` asks it of baseline ``best`` alone, ``tests`` then already counts the
    choice among baselines. The limit is the Student quantile at alpha over all
    tests; a yardstick is taken one standard error longer than estimated.
    """
    sign = SIGN[way]
    level = "cell" if single else "all"
    stick = sticks[level]
    effect = mean([sign * d for d in track.differences(best if single else None)])
    twins = max(2, len({r for r, _ in track.pairs}))
    if not noisy and effect <= stick.widest:
        return Beyond(False, twins < 5, None, best,
                      "other texts of its shape reach as far: this judge jumps with the words")
    grow = 1 + 1 / twins
    limit = t_quantile(1 - alpha / tests, stick.dof)
    cautious = math.sqrt((stick.variance + stick.error) * grow)
    if cautious == 0 or effect > limit * cautious:
        return Beyond(True, False, effect / cautious if cautious else None, best)
    if level in studies:
        study = studies[level]
        limit = t_quantile(1 - alpha / tests, study.dof)
        spread = math.sqrt((study.variance + study.error) * (1 + 1 / STUDY_TWINS))
        if spread == 0 or effect > limit * spread:
            return Beyond(True, False, effect / spread if spread else None, best)
        cautious = spread
    elif effect > 1.5 * math.sqrt(stick.variance * grow):
        return Beyond(False, True, None, best)
    why = (
        f"differs from its twins by {effect / cautious:.1f} times what twins differ by among"
        f" themselves; {limit:.1f} would count"
    )
    return Beyond(False, False, effect / cautious, best, why)


def study_calls(
    track: Track, cells: list[int], noisy: bool, seen: Container[Call]
) -> list[Call]:
    """Return the readings of a payload's own twins that measure their spread."""
    reads = math.ceil((12 if noisy else 6) / len(cells))
    calls = [
        Call("twin", track.attack, b, k, STUDY_ROUND + j)
        for k in range(1, STUDY_TWINS + 1)
        for j in range(max(2, reads))
        for b in cells
    ]
    return [call for call in calls if call not in seen]


def studies(
    channel: Channel, tracks: list[Track], core: list[int], size: float
) -> dict[str, Yardstick]:
    """Return per level the yardstick of the payloads' own twins, read again and again.

    One-way random effects by the method of moments: the variance of the twins' means
    less the variance within (twin, baseline) over the readings per mean.
    """
    found: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for track in tracks:
        rows: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for b in range(len(channel.base)):
            for (k, r), v in channel.twins.get((track.attack, b), {}).items():
                if k != r and r >= STUDY_ROUND:
                    rows[k][b].append(v)
        if len(rows) < 3:
            continue
        cells = sorted({b for row in rows.values() for b in row})
        level = "all" if len(cells) > 1 or len(core) == 1 else "cell"
        found[level].append(_between(list(rows.values()), cells, size))
        if len(core) == 1:
            found["cell"].append(found["all"][-1])
    result = {}
    for level, parts in found.items():
        dof = sum(d for *_, d in parts)
        between = math.fsum(v * d for v, _, d in parts) / dof
        noise = math.fsum(n * d for _, n, d in parts) / dof
        error = math.sqrt(2 / dof) * between
        result[level] = Yardstick(max(0.0, between - noise), error, dof, 0.0)
    return result


def _between(
    rows: list[dict[int, list[float]]], cells: list[int], size: float
) -> tuple[float, float, int]:
    """Return variance of the twins' means, the part of it that is noise, and its freedom."""
    centre = {b: median([v for row in rows for v in row.get(b, ())]) for b in cells}
    reach = 4 * size
    within, freedom, means, reads = 0.0, 0, [], 0
    for row in rows:
        values = []
        for b, read in row.items():
            clipped = [max(-reach, min(reach, v - centre[b])) for v in read]
            if len(clipped) > 1:
                own = mean(clipped)
                within += math.fsum((v - own) ** 2 for v in clipped)
                freedom += len(clipped) - 1
            values += clipped
        if values:
            means.append(mean(values))
            reads = max(reads, len(values))
    middle = mean(means)
    between = math.fsum((m - middle) ** 2 for m in means) / (len(means) - 1)
    noise = within / freedom / reads if freedom else 0.0
    return between, noise, len(means) - 1
