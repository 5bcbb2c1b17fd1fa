"""The calls a decision wants, in order: packed where there may be a million of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator

from ..plan import Call

Group = tuple[Call, ...]


class Packed:
    """Groups of one call each, a number a call; ``call_of`` makes the call when it is its turn.

    Reads like a tuple of groups: has a length, is false when empty, can be gone through
    more than once, also while its calls are being made.
    """

    __slots__ = ("_call_of", "_numbers", "_rest")

    def __init__(
        self, numbers: array[int], call_of: Callable[[int], Call], rest: Iterable[Group] = ()
    ) -> None:
        self._numbers, self._call_of, self._rest = numbers, call_of, tuple(rest)

    def __iter__(self) -> Iterator[Group]:
        call_of = self._call_of
        for number in self._numbers:
            yield (call_of(number),)
        yield from self._rest

    def __len__(self) -> int:
        return len(self._numbers) + len(self._rest)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Packed, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == its for mine, its in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]


Groups = tuple[Group, ...] | Packed
