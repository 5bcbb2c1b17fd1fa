"""The pairs of a scan in rounds: attack and fresh twin, read next to each other."""

from __future__ import annotations

import math
import random
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from statistics import median

from ..plan import Call, Plan
from ..stats import log_mean, log_wealth
from .lanes import Lane
from .rules import SIGN, Way

Groups = tuple[tuple[Call, ...], ...]


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


@dataclass(slots=True)
class Track:
    """The pairs of one payload: by (round, baseline) the attack's and the twin's score."""

    attack: int
    pairs: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict)
    _cells: dict[int, dict[int, tuple[float, float]]] = field(default_factory=dict)

    def cells(self) -> dict[int, dict[int, tuple[float, float]]]:
        """Return the same pairs by baseline, then by round."""
        if not self._cells:
            for (r, b), pair in self.pairs.items():
                self._cells.setdefault(b, {})[r] = pair
        return self._cells

    def differences(self, b: int | None = None) -> list[float]:
        """Return attack minus twin of every pair, of one baseline when given."""
        pairs = self.pairs if b is None else self.cells().get(b, {})
        return [x - t for x, t in pairs.values()]

    def baselines(self) -> list[int]:
        return sorted(self.cells())

    def best(self, way: Way) -> int:
        """Return the baseline with the largest mean difference in a direction."""
        return max(self.baselines(), key=lambda b: SIGN[way] * mean(self.differences(b)))


def read_tracks(plan: Plan, lane: Lane, start: int) -> list[Track]:
    """Collect the pairs of every payload of a lane from round ``start`` on."""
    tracks, channel = [], lane.channel
    for a in lane.attacks:
        pairs = {}
        for b in plan.cells(a):
            twins = channel.twins[a, b]
            for r, x in channel.attack_rounds(a, b):
                t = twins.get((r, r))
                if r >= start and t is not None:
                    pairs[r, b] = (x, t)
        tracks.append(Track(a, dict(sorted(pairs.items()))))
    return tracks


def drift(tracks: Sequence[Track]) -> dict[int, float]:
    """Return how far the judge stood from its usual level in each round.

    Rounds follow each other in time, so a judge that drifts is higher or lower in all
    of a round's pairs. Cells and rounds are fitted in turn (two-way means).
    """
    middles = {
        (t.attack, b, r): (x + y) / 2 for t in tracks for (r, b), (x, y) in t.pairs.items()
    }
    level = dict.fromkeys({r for *_, r in middles}, 0.0)
    for _ in range(4):
        cells: dict[tuple[int, int], list[float]] = {}
        for (a, b, r), value in middles.items():
            cells.setdefault((a, b), []).append(value - level[r])
        usual = {cell: mean(values) for cell, values in cells.items()}
        rows: dict[int, list[float]] = {r: [] for r in level}
        for (a, b, r), value in middles.items():
            if len(cells[a, b]) > 1:
                rows[r].append(value - usual[a, b])
        level = {r: median(row) if row else 0.0 for r, row in rows.items()}
    return level


def evidence(track: Track, way: Way, size: float) -> tuple[float, bool]:
    """Return the log e-value of a payload in one direction, and whether one baseline
    alone carries more of it than all together: half is bet on all pairs, half spread
    over the baselines one by one."""
    sign = SIGN[way]
    everything = log_wealth([sign * d for d in track.differences()], size)
    cells = track.baselines()
    if len(cells) < 2:
        return everything, False
    single = [log_wealth([sign * d for d in track.differences(b)], size) for b in cells]
    apart = log_mean(single)
    return log_mean([everything, apart]), apart > everything


def round_calls(a: int, cells: Sequence[int], r: int, seen: Container[Call]) -> list[list[Call]]:
    """Return the pairs of one round, less the calls already made."""
    groups = []
    for b in cells:
        pair = [c for c in (Call("attack", a, b, 0, r), Call("twin", a, b, r, r)) if c not in seen]
        if pair:
            groups.append(pair)
    return groups


def next_pairs(
    plan: Plan, track: Track, cells: Sequence[int], seen: Container[Call], start: int
) -> list[list[Call]]:
    """Return one more pair for each of these baselines."""
    groups: list[list[Call]] = []
    allowed = set(plan.cells(track.attack))
    for b in cells:
        if b in allowed:
            r = start
            while not (pair := round_calls(track.attack, [b], r, seen)):
                r += 1
            groups += pair
    return groups


def shuffled(plan: Plan, groups: Sequence[Sequence[Call]], salt: str) -> Groups:
    """Return the groups in a seeded order, each pair in a random order of its own."""
    rng = random.Random(f"{plan.seed}:{salt}")
    order = list(dict.fromkeys(tuple(g) for g in groups))
    rng.shuffle(order)
    return tuple(g if rng.random() < 0.5 else g[::-1] for g in order)
