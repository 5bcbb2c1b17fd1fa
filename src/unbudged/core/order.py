"""The order of findings, one for every format: the rows that ``show N`` counts."""

from __future__ import annotations

from operator import attrgetter

from .report import Finding


def bring_in_order(rows: list[Finding]) -> None:
    """Sort findings by attack, the one with the largest excess first, then by baseline.

    Excesses that print the same count as the same: the last bits of a sum decide no order.
    """
    widest: dict[str, float] = {}
    for row in rows:
        widest[row.attack_id] = max(widest.get(row.attack_id, 0.0), float(f"{row.excess:.6g}"))
    order = sorted(widest, key=lambda attack: (-widest[attack], attack))
    places = {attack: place for place, attack in enumerate(order)}
    # stable sorts, last key first: a tuple of five for each row would outweigh the rows
    for name in ("baseline_index", "placement", "direction", "channel"):
        rows.sort(key=attrgetter(name))
    rows.sort(key=lambda row: places[row.attack_id])
