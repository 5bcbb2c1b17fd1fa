"""A set of cells of the grid, one byte a cell: a large grid holds a million of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

Cell = tuple[int, int]  # attack, baseline


class CellSet(AbstractSet[Cell]):
    """Some cells of ``attacks`` times ``width`` baselines; equal to a plain set of pairs."""

    __slots__ = ("_count", "_marks", "_width")

    def __init__(self, attacks: int, width: int) -> None:
        self._marks = bytearray(attacks * width)
        self._width = width
        self._count = 0

    def add(self, cell: Cell) -> None:
        code = cell[0] * self._width + cell[1]
        self._count += not self._marks[code]
        self._marks[code] = 1

    def __contains__(self, cell: object) -> bool:
        if not isinstance(cell, tuple):
            return False
        a, b = cell
        code = a * self._width + b
        return 0 <= b < self._width and 0 <= code < len(self._marks) and bool(self._marks[code])

    def __iter__(self) -> Iterator[Cell]:
        return (divmod(code, self._width) for code, mark in enumerate(self._marks) if mark)

    def __len__(self) -> int:
        return self._count

    @classmethod
    def _from_iterable(cls, it: Iterable[Cell]) -> frozenset[Cell]:  # type: ignore[override]
        return frozenset(it)
