"""Which attacks a scan can afford: families first, then the strongest payloads of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from .corpus import Attack, Family

#: (attacks, probes) -> judge calls of a scan of so many
Cost = Callable[[int, int], int]


def ranked(attacks: Sequence[Attack], families: Mapping[str, Family]) -> list[int]:
    """Return the attacks by index, first to try first.

    The first payload of every family, then the second of each, and so on; families with
    a published strength come first, the strongest leading, the others as they were read.
    Within a family the order of its file counts: it lists the strongest first.
    """
    rows: dict[str, list[int]] = {}
    for i, attack in enumerate(attacks):
        rows.setdefault(attack.family, []).append(i)
    names = sorted(rows, key=lambda name: -_strength(families.get(name)))
    depth = max(map(len, rows.values()), default=0)
    return [rows[name][turn] for turn in range(depth) for name in names if turn < len(rows[name])]


def _strength(family: Family | None) -> float:
    return family.strength or 0.0 if family is not None else 0.0


def affordable(
    attacks: Sequence[Attack], families: Mapping[str, Family], cells: Sequence[int],
    cost: Cost, budget: int,
) -> tuple[int, ...]:
    """Return by index, in their order, the attacks that ``budget`` judge calls pay for.

    ``cells`` says on how many baselines each attack is scored. Attacks are taken as
    ``ranked`` has them until the next one would cost too much; none when the first does.
    """
    taken: list[int] = []
    probes = 0
    for i in ranked(attacks, families):
        probes += cells[i]
        if cost(len(taken) + 1, probes) > budget:
            break
        taken.append(i)
    return tuple(sorted(taken))


def left_out(attacks: Sequence[Attack], kept: Sequence[int]) -> dict[str, int]:
    """Return how many attacks of each family were not taken, most first."""
    every = Counter(attack.family for attack in attacks)
    every.subtract(Counter(attacks[i].family for i in kept))
    return {name: count for name, count in every.most_common() if count}


def told(attacks: Sequence[Attack], kept: Sequence[int], budget: int) -> str:
    """Say what a budget left out, as a note of the report."""
    out = left_out(attacks, kept)
    whole = set(out) - {attacks[i].family for i in kept}
    note = (
        f"a budget of {budget} calls: {len(kept)} of {len(attacks)} attacks chosen,"
        f" {sum(out.values())} left out"
    )
    if whole:
        names = ", ".join(sorted(whole))
        return f"{note}; nothing was tried of {len(whole)} families: {names}"
    return f"{note}, none of them a whole family" if out else note
