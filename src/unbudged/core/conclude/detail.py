"""What stands behind a finding, its readings and its controls' texts, and the map of a scan."""

from __future__ import annotations

from collections.abc import Iterable

from ..plan import Plan
from ..report import ExcessMap, Finding, Readings
from ..table import Cell, Channel, Table

#: probes, over all channels, up to which a report holds a map: some 300 KiB of JSON
MAP_PROBES = 20_000
#: findings' readings that are looked up among those before: most judges give few scores
SHARED = 4096


class Details:
    """The readings and control texts of the cells of one channel."""

    def __init__(self, plan: Plan, channel: Channel) -> None:
        self._plan, self._channel = plan, channel
        self._bases = [tuple(row.values()) for row in channel.base]
        # for a cell without one: the first twin of the attack, the filler nearest in length
        self._twins = dict.fromkeys((a for (a, _), _ in channel.twins.firsts()), 0)
        for a, b in channel.twins.more():
            least = min(k for k, _ in channel.twins[a, b])
            self._twins[a] = min(least, self._twins.get(a, least))
        self._shared: dict[tuple[tuple[float, ...], ...], Readings] = {}
        self._near: dict[int, tuple[int, int] | None] = {}

    def readings(self, a: int, b: int) -> Readings:
        """Return every reading of a cell, each arm in the order of its contexts."""
        channel = self._channel
        read = (
            self._bases[b],
            channel.twins.in_order((a, b)),
            channel.fillers.in_order((a, b)),
            channel.marking.in_order((a, b)),
            tuple(channel.attacks_read(a, b)),
        )
        known = self._shared.get(read)
        if known is None:
            known = Readings(*read)
            if len(self._shared) < SHARED:
                self._shared[read] = known
        return known

    def twin(self, a: int, b: int, score: float) -> str | None:
        """Return the twin that came closest to ``score`` in a cell, or one read elsewhere."""
        cell = self._channel.twins[a, b]
        k = _closest(cell, score) if cell else self._twins.get(a)
        return None if k is None else self._plan.control("twin", a, k, b)

    def filler(self, a: int, b: int, score: float) -> str | None:
        """Return the filler that came closest to ``score`` in a cell, or the nearest in length."""
        cell = self._channel.fillers[a, b]
        if cell:
            return self._plan.control("filler", a, _closest(cell, score), b)
        if a not in self._near:
            self._near[a] = self._nearest(a)
        near = self._near[a]
        return None if near is None else self._plan.control("filler", *near, b)

    def _nearest(self, a: int) -> tuple[int, int] | None:
        size = len(self._plan.attacks[a].text)
        lengths = [
            (abs(len(self._plan.attacks[other].text) - size), other, min(k for k, _ in cell))
            for (other, _), cell in self._channel.fillers.items()
        ]
        return min(lengths)[1:] if lengths else None


def _closest(cell: dict[tuple[int, int], float], score: float) -> int:
    return min((abs(value - score), k) for (k, _), value in cell.items())[1]


def excess_maps(
    plan: Plan, table: Table, tolerance: float, findings: Iterable[Finding]
) -> tuple[ExcessMap, ...]:
    """Return the map of each channel, or none when they would be larger than ``MAP_PROBES``."""
    size = len(plan.attacks) * len(plan.baselines) * len(table.channels)
    if size > MAP_PROBES:
        return ()
    index = {attack.id: a for a, attack in enumerate(plan.attacks)}
    columns = {plan.given(b): b for b in range(len(plan.baselines))}
    found: dict[str, dict[Cell, float]] = {name: {} for name in table.channels}
    for f in findings:
        signed = f.excess if f.direction == "up" else -f.excess
        found[f.channel][index[f.attack_id], columns[f.baseline_index]] = signed
    families = tuple(attack.family for attack in plan.attacks)
    return tuple(
        ExcessMap(name, tuple(index), families, _rows(channel, len(index), tolerance, found[name]))
        for name, channel in table.channels.items()
    )


def _rows(
    channel: Channel, attacks: int, tolerance: float, found: dict[Cell, float]
) -> tuple[tuple[float | None, ...], ...]:
    """Return the signed distance of each mean attack reading from baseline and controls."""
    clean = [(min(row.values()), max(row.values())) if row else None for row in channel.base]
    controls = {*channel.twins, *channel.fillers}
    unmoved = channel.base_values()
    zeros: tuple[float | None, ...] = (0.0,) * len(clean)
    repeated = channel.repeated()
    rows = []
    for a in range(attacks):
        if a not in repeated and channel.attack_row(a) == unmoved:
            rows.append(zeros)
            continue
        row: list[float | None] = []
        for b, ends in enumerate(clean):
            cell = (a, b)
            mean = channel.attack_mean(a, b)
            if ends is None or mean != mean:
                row.append(None)
            elif cell in found:
                row.append(found[cell])
            else:
                low, high = _reach(channel, cell, ends) if cell in controls else ends
                shift = max(mean - high, 0.0) or min(mean - low, 0.0)
                row.append(shift if abs(shift) > tolerance else 0.0)
        rows.append(tuple(row))
    return tuple(rows)


def _reach(channel: Channel, cell: Cell, ends: tuple[float, float]) -> tuple[float, float]:
    """Return the least and the largest of a cell's clean and control readings."""
    values = list(ends)
    for arms in (channel.twins, channel.fillers):
        values += arms.all(cell)
    return min(values), max(values)
