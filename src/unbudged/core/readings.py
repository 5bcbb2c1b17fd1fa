"""Numbers by cell, packed: most cells of a large grid hold one number and nothing else."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, KeysView, Set

from .cells import Cell

NAN = math.nan
Numbered = dict[tuple[int, int], float]  # by (control number, round)


def codes_for(count: int) -> array[int]:
    """Return an empty array for numbers below ``count``, as narrow as they allow."""
    return array("I" if count <= 1 << 8 * array("I").itemsize else "Q")


class Readings:
    """The readings of one kind of control: by cell, then by (control number, round).

    A mapping of cells to what was read there, ``{}`` for none. Control 0 in round 0 takes
    eight bytes a cell once many cells have it; what else a cell has is in a dict.
    """

    __slots__ = ("_few", "_many", "_more", "_order", "_size", "_width")

    def __init__(self, attacks: int, width: int) -> None:
        self._width, self._size = width, attacks * width
        # control 0 in round 0, by attack times width plus baseline: in a dict while few
        self._few: dict[int, float] = {}
        self._many: array[float] | None = None
        self._order = codes_for(self._size)  # of those in the array, as they were read
        self._more: dict[Cell, Numbered] = {}

    def add(self, a: int, b: int, k: int, r: int, value: float) -> None:
        if k or r:
            self._more.setdefault((a, b), {})[k, r] = value
            return
        code = a * self._width + b
        if self._many is None:
            self._few[code] = value
            if len(self._few) > self._size // 16:
                self._unfold()
            return
        if self._many[code] != self._many[code]:
            self._order.append(code)
        self._many[code] = value

    def only(self, attacks: Set[int]) -> Readings:
        """Return what was read of these attacks, in the order it was read."""
        part = Readings(self._size // self._width, self._width)
        for (a, b), value in self.firsts():
            if a in attacks:
                part.add(a, b, 0, 0, value)
        part._more = {cell: read for cell, read in self._more.items() if cell[0] in attacks}
        return part

    def _unfold(self) -> None:
        self._many = array("d", [NAN]) * self._size
        for code, value in self._few.items():
            self._order.append(code)
            self._many[code] = value
        self._few.clear()

    def _codes(self) -> Iterable[int]:
        return self._few if self._many is None else self._order

    def first(self, a: int, b: int) -> float:
        """Return what control 0 scored in round 0, NaN when it was not read."""
        code = a * self._width + b
        return self._few.get(code, NAN) if self._many is None else self._many[code]

    def row(self, a: int) -> array[float]:
        """Return what control 0 of an attack scored in round 0 on every baseline, NaN where it
        was not read."""
        start, end = a * self._width, (a + 1) * self._width
        if self._many is not None:
            return self._many[start:end]
        return array("d", [self._few.get(code, NAN) for code in range(start, end)])

    def further(self, cell: Cell) -> Numbered:
        """Return what was read in a cell but control 0 in round 0."""
        return self._more.get(cell, {})

    def unchanged(self, cell: Cell) -> list[float]:
        """Return what the controls of a cell scored in round 0, the baseline as it is."""
        found = self._zeroth(cell)
        if cell in self._more:
            found += [v for (_, r), v in self._more[cell].items() if r == 0]
        return found

    def all(self, cell: Cell) -> list[float]:
        """Return every number read in a cell."""
        found = self._zeroth(cell)
        if cell in self._more:
            found += self._more[cell].values()
        return found

    def _zeroth(self, cell: Cell) -> list[float]:
        # as ``first``, spelled out: asked for every cell, and often empty
        code = cell[0] * self._width + cell[1]
        if self._many is None:
            return [self._few[code]] if code in self._few else []
        value = self._many[code]
        return [value] if value == value else []

    def in_order(self, cell: Cell) -> tuple[float, ...]:
        """Return what was read in a cell by round, then by control."""
        if cell in self._more:
            return tuple([v for *_, v in sorted((r, k, v) for (k, r), v in self[cell].items())])
        return tuple(self._zeroth(cell))

    def __getitem__(self, cell: Cell) -> Numbered:
        more = self._more.get(cell, {})
        first = self._zeroth(cell)
        return {(0, 0): first[0], **more} if first else more

    def firsts(self) -> Iterator[tuple[Cell, float]]:
        """Yield (cell, score) of every control 0 in round 0, in the order they were read."""
        values = self._few if self._many is None else self._many
        for code in self._codes():
            yield divmod(code, self._width), values[code]

    def by_baseline(self) -> Iterator[tuple[int, float]]:
        """Yield the same with the baseline alone."""
        values = self._few if self._many is None else self._many
        width = self._width
        return ((code % width, values[code]) for code in self._codes())

    def first_codes(self) -> list[int]:
        """Return attack times width plus baseline of every such cell, in ascending order."""
        return sorted(self._codes())

    def by_attack(self) -> dict[int, array[int]]:
        """Return by attack the baselines on which anything was read."""
        width = self._width
        found: dict[int, array[int]] = {}
        more = [a * width + b for a, b in self._more if self.first(a, b) != self.first(a, b)]
        for codes in (self._codes(), more):
            for code in codes:
                row = found.get(code // width)
                if row is None:
                    row = found[code // width] = codes_for(width)
                row.append(code % width)
        return found

    def __len__(self) -> int:
        """Return how many numbers were read."""
        firsts = len(self._few) + len(self._order)
        return firsts + sum(map(len, self._more.values()))

    def __bool__(self) -> bool:
        return bool(self._few or self._order or self._more)

    def more(self) -> KeysView[Cell]:
        """Return the cells in which another control, or another round, was read."""
        return self._more.keys()

    def __iter__(self) -> Iterator[Cell]:
        for code in self._codes():
            yield divmod(code, self._width)
        for a, b in self._more:
            if self.first(a, b) != self.first(a, b):
                yield a, b

    def items(self) -> Iterator[tuple[Cell, Numbered]]:
        for cell in self:
            yield cell, self[cell]

    def values(self) -> Iterator[Numbered]:
        for cell in self:
            yield self[cell]

    def numbers(self) -> Iterator[float]:
        """Yield every number read."""
        for _, value in self.firsts():
            yield value
        for cell in self._more.values():
            yield from cell.values()
