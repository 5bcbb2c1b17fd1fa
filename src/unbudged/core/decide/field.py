"""What is pooled over the payloads of a jumpy or noisy lane, and the least it could show."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from statistics import NormalDist, median

from ..plan import Plan
from ..stats import t_quantile
from ..table import Channel
from .matched import twin_gap
from .rules import Settings
from .screen import screen
from .spread import STUDY_TWINS, Study, Yardstick, pooled, studies
from .tracks import Track, drift, mean

CORE_BASELINES = 4


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a payload stays in the running: it leaves when its mean difference plus
    ``slack`` standard errors is below ``lift`` (in standard deviations of one call),
    unless its log e-value is above ``halfway``. A clean report claims ``claimed`` times
    that lift."""

    lift: float
    slack: float
    first_look: int
    most_pairs: int
    cell_z: float
    claimed: float
    halfway: float


NOISY = Pace(lift=1.3, slack=2.5, first_look=6, most_pairs=120, cell_z=1.8, claimed=1.1,
             halfway=3.0)
JUMPY = Pace(lift=2.2, slack=2.1, first_look=3, most_pairs=72, cell_z=2.3, claimed=1.1,
             halfway=2.5)


@dataclass(slots=True)
class Field:
    """What is pooled over the tracks of one channel."""

    tracks: list[Track]
    core: list[int]
    size: float
    sd: float
    noise: float
    screens: dict[int, tuple[float, float]]
    sticks: dict[str, Yardstick]
    studies: dict[tuple[int, str], Study]
    pace: Pace
    noisy: bool
    tests: int
    shift: dict[int, float]  # how far the judge had drifted, by round


def core_of(plan: Plan) -> list[int]:
    """Return the baselines on which payloads are compared again and again."""
    core = list(range(len(plan.baselines)))
    if len(core) > CORE_BASELINES:
        core = sorted(random.Random(f"{plan.seed}:core").sample(core, CORE_BASELINES))
    return core


def pool_tracks(
    plan: Plan, channel: Channel, tracks: list[Track], core: list[int], opening: list[float],
    noisy: bool, ways: int,
) -> Field:
    """Pool the tracks. The typical size is that of the ``opening`` differences and stays: one
    that followed the readings would follow their signs, and the e-values would be none."""
    sizes = [abs(d) for d in opening if d]
    size = median(sizes) / 0.6745 if sizes else 1.0
    spread = _sd(tracks, size)
    # nothing varied: screening still needs a unit, and the few differences there are may be
    # those of payloads that are obeyed
    sd = spread or min(size, twin_gap(channel) or size)
    shift = drift([t for t in tracks if t.pairs]) if noisy else {}
    return Field(
        tracks, core, size, sd, spread, screen(tracks, size, sd, shift),
        pooled(tracks, core, size, noisy, shift),
        studies(channel, tracks, core, size), NOISY if noisy else JUMPY, noisy,
        len(plan.attacks) * ways, shift,
    )


def _sd(tracks: list[Track], size: float) -> float:
    """Return the standard deviation of a payload's differences, each payload weighing the
    same and the 30% that differ most from their twins left out: those with an effect
    get the most calls and may be steadier or wilder than the judge is."""
    ranked = sorted((t for t in tracks if t.pairs), key=lambda t: abs(mean(t.differences())))
    variances = []
    for track in ranked[: max(1, math.ceil(0.7 * len(ranked)))]:
        ds = [max(-4 * size, min(4 * size, d)) for d in track.differences()]
        if len(ds) > 1:
            middle = mean(ds)
            variances.append(math.fsum((d - middle) ** 2 for d in ds) / (len(ds) - 1))
    return math.sqrt(mean(variances)) if variances else size


def smallest(pool: Field, channel: Channel, settings: Settings) -> float | None:
    """Return the lift on every baseline found with 90% probability, in score units.

    Two hurdles: to stay in the running and reach the e-value, which the pace is set
    for (``claimed`` times its lift, by simulation: docs/measurement.md), and to stand
    out from the twins. A fixed number of trials has only the e-value to reach: the log
    of the sign bet grows by about 0.3 of the squared lift per pair.
    """
    counts = [len(t.pairs) for t in pool.tracks if t.pairs]
    if not counts:
        return None
    if not any(d for t in pool.tracks for d in t.differences()):
        return max(settings.tolerance, twin_gap(channel))
    z90 = NormalDist().inv_cdf(0.9)
    reach = pool.pace.claimed * pool.pace.lift * pool.sd / math.sqrt(2)
    if settings.trials:
        need = math.log(pool.tests / settings.alpha) + math.log(8)
        reach = pool.sd * (math.sqrt(need / 0.3) + z90) / math.sqrt(min(counts))
    stick = pool.sticks["all"]
    spread = 0.0
    if stick.variance:
        # one that stays is held against its own twins, and its words are one draw as theirs are
        limit = t_quantile(1 - settings.alpha / pool.tests, max(stick.dof, STUDY_TWINS - 1))
        spread = limit * math.sqrt(stick.variance + stick.error) + z90 * math.sqrt(stick.variance)
    return max(reach, spread, 0.0 if pool.noisy else stick.widest, settings.tolerance)
