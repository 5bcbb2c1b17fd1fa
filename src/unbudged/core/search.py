"""The search for the strongest attack: halving over the corpus, on baselines set aside for it.

Nothing here is evidence: the winner of a search always looks strong. It is tested afterwards
by the ordinary rules, on texts the search never read.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from .decide import Settings
from .decide.rules import SIGN
from .plan import SEARCH_ROUND, Call, Plan
from .table import Channel, Table


@dataclass(frozen=True, slots=True)
class Search:
    """What a search may spend, which attacks it looks at (first the likeliest), on which
    baselines, and which baselines are kept for the test of its winner.

    ``cost`` are the judge calls it makes, whatever the judge: at most ``calls``.
    """

    calls: int
    attacks: tuple[int, ...]
    looked: tuple[int, ...]
    held: tuple[int, ...]

    @property
    def cost(self) -> int:
        return sum(2 * alive * pairs for alive, pairs in schedule(len(self.attacks), self.calls))


def stages(count: int) -> int:
    """Return how often so many attacks are halved until one is left."""
    return max(1, math.ceil(math.log2(max(2, count))))


def full_cost(count: int) -> int:
    """Return the judge calls of a search whose every stage can spend what the first one does."""
    return 2 * count * stages(count)


def least_cost(count: int) -> int:
    """Return the judge calls of a search that gives each attack still in one pair a stage."""
    return 2 * sum(_halved(count))


def schedule(count: int, calls: int) -> tuple[tuple[int, int], ...]:
    """Return (attacks still in, pairs for each) of every stage of a search among ``count``.

    What is left is shared out evenly over the stages to come; each has a pair for every
    attack. With ``least_cost(count)`` calls or more it takes no more than ``calls``: a stage
    given one pair leaves the least cost of the others, one given more leaves half of what
    there was, and that is above it.
    """
    rows, left = _halved(count), calls
    made = []
    for place, alive in enumerate(rows):
        pairs = max(1, left // (2 * alive * (len(rows) - place)))
        made.append((alive, pairs))
        left -= 2 * alive * pairs
    return tuple(made)


def _halved(count: int) -> list[int]:
    rows = []
    while count > 1:
        rows.append(count)
        count = math.ceil(count / 2)
    return rows


def split(baselines: int, seed: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return baselines to search on and baselines kept for the test.

    A single one serves for both, in contexts (one more neutral sentence) of its own each.
    """
    if baselines == 1:
        return (0,), (0,)
    order = list(range(baselines))
    random.Random(f"{seed}:search").shuffle(order)
    cut = baselines // 2
    return tuple(sorted(order[:cut])), tuple(sorted(order[cut:]))


def fresh(
    plan: Plan, order: Sequence[int], looked: Sequence[int], held: Sequence[int]
) -> list[int]:
    """Return the attacks that have other texts to be tested on than those of the search.

    One that replaces the answer is the same text on every baseline where nothing but
    that text reaches the judge.
    """
    alone = {a for a in order if plan.text_only and plan.placement_of(a) == "replace"}
    sides = set(looked), set(held)
    return [a for a in order if a not in alone and all(side & set(plan.cells(a)) for side in sides)]


def search_step(
    plan: Plan, table: Table, search: Search, settings: Settings
) -> tuple[tuple[tuple[Call, ...], ...], int | None]:
    """Return the pairs the search wants next, or none and the attack it ends with.

    Sequential halving (Karnin, Koren and Somekh 2013, ICML): the calls are shared out
    evenly over the stages, within a stage over the attacks still in; the better half
    stays. Pure: the same table, the same answer.
    """
    alive, done = list(search.attacks), 0
    for _, pairs in schedule(len(alive), search.calls):
        asked = [
            _pair(plan, a, i, search.looked) for a in alive for i in range(done, done + pairs)
        ]
        wanted = [pair for pair in asked if any(call not in table.seen for call in pair)]
        if wanted:
            return _mixed(plan, wanted, done), None
        done += pairs
        scores = _scores(table, alive, settings)
        ranked = sorted(alive, key=lambda a: (-scores[a], search.attacks.index(a)))
        alive = ranked[: math.ceil(len(alive) / 2)]
    return (), alive[0]


def any_moved(table: Table, search: Search, settings: Settings) -> bool:
    """Tell whether any attack of a search ever scored otherwise than its twin beside it."""
    return any(
        SIGN[way] * difference > settings.tolerance
        for channel in table.channels.values()
        for a in search.attacks
        for difference in _differences(channel, a)
        for way in settings.ways
    )


def _pair(plan: Plan, a: int, i: int, looked: Sequence[int]) -> tuple[Call, Call]:
    cells = [b for b in plan.cells(a) if b in looked]
    b, r = cells[i % len(cells)], SEARCH_ROUND + i
    return Call("attack", a, b, 0, r), Call("twin", a, b, r, r)


def _mixed(
    plan: Plan, pairs: list[tuple[Call, Call]], done: int
) -> tuple[tuple[Call, ...], ...]:
    rng = random.Random(f"{plan.seed}:search:{done}")
    rng.shuffle(pairs)
    return tuple(pair if rng.random() < 0.5 else pair[::-1] for pair in pairs)


def _scores(table: Table, alive: Sequence[int], settings: Settings) -> dict[int, float]:
    """Return how far each attack lies from its twins on average, in units of its channel."""
    scores = dict.fromkeys(alive, -math.inf)
    for channel in table.channels.values():
        rows = {a: _differences(channel, a) for a in alive}
        sizes = [d * d for row in rows.values() for d in row]
        unit = math.sqrt(math.fsum(sizes) / len(sizes)) if sizes else 0.0
        for a, row in rows.items():
            if row:
                lift = math.fsum(row) / len(row) / (unit or 1.0)
                scores[a] = max(scores[a], *(SIGN[way] * lift for way in settings.ways))
    return scores


def _differences(channel: Channel, a: int) -> list[float]:
    return [
        value - twins[r, r]
        for (attack, b), twins in channel.twins.items()
        if attack == a
        for r, value in channel.attack_rounds(a, b)
        if r >= SEARCH_ROUND and (r, r) in twins
    ]
