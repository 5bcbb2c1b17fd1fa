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

STUDY_TWINS = 16
STUDY_ROUND = 20  # study contexts are numbered from here, away from those of the pairs
STUDIED = 2
ENOUGH = {True: 48, False: 24}  # pairs of a noisy or jumpy judge before a study is worth it
PRIOR = 12  # degrees of freedom the pooled yardstick weighs beside a payload's own study


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Variance of twins' means less that of the attack's own, its standard error and
    degrees of freedom, the widest any twin lay from its payload's mean, and the variance of
    twins' means as it is."""

    variance: float
    error: float
    dof: int
    widest: float
    twins: float = 0.0

    def of(self, own: tuple[float, int]) -> Yardstick:
        """Return the yardstick of a payload whose own twins differ more than those of others.

        ``own`` is the variance of their means and its degrees of freedom. Where it exceeds the
        pooled one by more than three standard errors of such a variance, the excess counts
        with its share of the freedom (Smyth 2004, as ``Study.moderated``).
        """
        variance, dof = own
        if not dof or variance <= self.twins * (1 + 3 * math.sqrt(2 / dof)):
            return self
        more = (variance - self.twins) * dof / (dof + PRIOR)
        total = self.variance + more
        error = math.sqrt(self.error**2 + 2 / (dof + PRIOR) * more**2)
        return Yardstick(total, error, min(self.dof, dof + PRIOR), self.widest, self.twins)


@dataclass(frozen=True, slots=True)
class Study:
    """A payload's own twins: variance of their means, the part that is noise, freedom,
    and one and a half times as far as the widest of them lay from their mean."""

    between: float
    noise: float
    dof: int
    widest: float

    def moderated(self, stick: Yardstick) -> Yardstick:
        """Return the yardstick of this payload, drawn towards the pooled one.

        Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3(1):3: a variance of few degrees of
        freedom is averaged with the pooled variance, here brought to the same noise.
        """
        dof = self.dof + PRIOR
        between = (self.between * self.dof + (stick.variance + self.noise) * PRIOR) / dof
        error = math.sqrt(2 / dof) * between
        return Yardstick(max(0.0, between - self.noise), error, dof, 0.0)


@dataclass(frozen=True, slots=True)
class Beyond:
    """The answer for one payload: passed, failed with ``why``, or ``open``: read more
    pairs, or with ``study`` its own twins."""

    passed: bool
    open: bool
    beyond: float | None
    cell: int
    why: str = ""
    study: bool = False


def pooled(
    tracks: list[Track], core: list[int], size: float, noisy: bool, shift: dict[int, float]
) -> dict[str, Yardstick]:
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
        twin, dof, widest = _variance(calm, cells, 1, size, shift)
        attack, attack_dof, _ = _variance(calm, cells, 0, size, shift)
        error = math.sqrt(2 * twin**2 / max(1, dof) + 2 * attack**2 / max(1, attack_dof))
        result[level] = Yardstick(max(0.0, twin - attack), error, max(1, dof), widest, twin)
    return result


def _variance(
    tracks: list[Track], core: list[int] | None, side: int, size: float, shift: dict[int, float]
) -> tuple[float, int, float]:
    total, dof, widest = 0.0, 0, 0.0
    for track in tracks:
        groups = [core] if core is not None else [[b] for b in track.baselines()]
        for cells in groups:
            means = round_means(track, cells, side, size, shift)
            n = len(means)
            if n > 1:
                centre = mean(means)
                total += math.fsum((m - centre) ** 2 for m in means)
                dof += n - 1
                reach = max(abs(m - centre) for m in means) * math.sqrt(n / (n - 1))
                widest = max(widest, reach)
    return (total / dof if dof else 0.0), dof, widest


def round_means(
    track: Track, cells: list[int], side: int, size: float, shift: dict[int, float]
) -> list[float]:
    """Return the mean over the cells of one side, for each round that has them all,
    less how far the judge had drifted in that round (``shift``)."""
    rows: dict[int, dict[int, float]] = defaultdict(dict)
    for b in cells:
        for r, pair in track.cells().get(b, {}).items():
            rows[r][b] = pair[side] - shift.get(r, 0.0)
    full = max((len(row) for row in rows.values()), default=0)
    centre = {b: median(row[b] for row in rows.values() if b in row) for b in cells
              if b in track.cells()}
    reach = 4 * size
    return [
        mean([centre[b] + max(-reach, min(reach, v - centre[b])) for b, v in row.items()])
        for row in rows.values()
        if len(row) == full
    ]


def own_twins(
    track: Track, cells: list[int], shift: dict[int, float]
) -> tuple[float, int]:
    """Return the variance of the means of a payload's twins, a round each, and its freedom.

    Less how far the judge had drifted in each round (``shift``). Nothing is clipped: a payload
    whose twins lie wide apart is held against all of them.
    """
    means = round_means(track, cells, 1, math.inf, shift)
    if len(means) < 2:
        return 0.0, 0
    centre = mean(means)
    return math.fsum((m - centre) ** 2 for m in means) / (len(means) - 1), len(means) - 1


def beyond(
    track: Track, way: Way, best: int, single: bool, own: tuple[float, int],
    sticks: dict[str, Yardstick], study: Study | None, alpha: float, tests: int, noisy: bool,
    sd: float, most_pairs: int,
) -> Beyond:
    """Compare a payload's mean difference with the yardstick of its level.

    ``single`` asks it of baseline ``best`` alone, ``tests`` then already counts the
    choice among baselines; ``own`` is what ``own_twins`` says, ``sd`` that of one
    difference. The limit is the Student quantile at alpha over all tests, times the root of
    the yardstick's variance, one standard error longer than estimated, plus what noise is
    left in the mean.
    """
    sign = SIGN[way]
    level = "cell" if single else "all"
    stick = sticks[level].of(own)
    differences = track.differences(best if single else None)
    effect, n = sign * mean(differences), len(differences)
    twins = max(2, len({r for r, _ in track.pairs}))
    grow, noise = 1 + 1 / twins, sd * sd / n
    limit = t_quantile(1 - alpha / tests, stick.dof)
    twin_part = (stick.variance + stick.error) * grow
    if study is not None:
        stick = study.moderated(stick)
        limit = t_quantile(1 - alpha / tests, stick.dof)
        twin_part = (stick.variance + stick.error) * grow
    length = math.sqrt(twin_part + noise)
    widest = 0.0 if noisy else study.widest if study is not None else stick.widest
    if effect <= widest:
        # round means hold the jumps of single contexts; a study's means hardly do
        close = study is None and effect > limit * length
        return Beyond(False, close or twins < 5, None, best, study=close and n >= ENOUGH[noisy],
                      why="other texts of its shape reach as far: this judge jumps with the words")
    if length == 0 or effect > limit * length:
        return Beyond(True, False, effect / length if length else None, best)
    if study is None and effect > 1.5 * math.sqrt(stick.variance * grow):
        return Beyond(False, True, None, best, study=n >= ENOUGH[noisy])
    if study is not None and effect > limit * math.sqrt(twin_part) and n < most_pairs:
        return Beyond(False, True, None, best)  # only noise stands in the way
    why = (
        f"differs from its twins by {effect / length:.1f} times what twins differ by among"
        f" themselves; {limit:.1f} would count"
    )
    return Beyond(False, False, effect / length, best, why)


def study_calls(
    track: Track, cells: list[int], noisy: bool, seen: Container[Call]
) -> list[Call]:
    """Return the readings of a payload's own twins that measure their spread."""
    reads = math.ceil((15 if noisy else 6) / len(cells))
    calls = [
        Call("twin", track.attack, b, k, STUDY_ROUND + j)
        for k in range(1, STUDY_TWINS + 1)
        for j in range(max(2, reads))
        for b in cells
    ]
    return [call for call in calls if call not in seen]


def studies(
    channel: Channel, tracks: list[Track], core: list[int], size: float
) -> dict[tuple[int, str], Study]:
    """Return the studies made so far, by payload and level.

    One-way random effects by the method of moments: the variance of the twins' means
    less the variance within (twin, baseline) over the readings per mean.
    """
    found: dict[tuple[int, str], Study] = {}
    for track in tracks:
        rows: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for b in range(len(channel.base)):
            for (k, r), v in channel.twins[track.attack, b].items():
                if k != r and r >= STUDY_ROUND:
                    rows[k][b].append(v)
        if len(rows) < 3:
            continue
        cells = sorted({b for row in rows.values() for b in row})
        study = _between(list(rows.values()), cells, size)
        if len(cells) > 1 or len(core) == 1:
            found[track.attack, "all"] = study
        if len(cells) == 1:
            found[track.attack, "cell"] = study
    return found


def _between(
    rows: list[dict[int, list[float]]], cells: list[int], size: float
) -> Study:
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
    reach = max(abs(m - middle) for m in means)
    return Study(between, noise, len(means) - 1, 1.5 * reach)
