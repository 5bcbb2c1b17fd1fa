"""The observations of a scan, folded into what the rules look at."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..errors import TargetError
from .cells import Cell
from .judge import Reading, Scored, Unscorable
from .plan import Arm, Call, Plan
from .readings import NAN, Readings
from .redact import redact

__all__ = ["Cell", "Channel", "Seen", "Table"]


class Channel:
    """The numbers of one channel, by arm, cell and round."""

    __slots__ = ("_first", "_later", "_means", "_width", "again", "base", "echoes", "filled",
                 "fillers", "marking", "twins")

    def __init__(self, plan: Plan) -> None:
        attacks, self._width = len(plan.attacks), len(plan.baselines)
        self._first = array("d", [NAN]) * (attacks * self._width)
        self._later: dict[Cell, dict[int, float]] = {}
        self.base: list[dict[int, float]] = [{} for _ in plan.baselines]
        self._means = array("d", [NAN]) * self._width
        # (first, second) reading of attack texts that were sent twice, byte for byte
        self.again: list[tuple[float, float]] = []
        self.twins = Readings(attacks, self._width)
        self.fillers = Readings(attacks, self._width)
        self.echoes = Readings(attacks, self._width)
        self.marking = Readings(attacks, self._width)
        # by baseline, the attacks whose filler was read on the baseline as it is
        self.filled: dict[int, set[int]] = {}

    def add(self, call: Call, value: float) -> None:
        arm, a, b, k, r = call
        if arm == "attack":
            if k:
                self.again.append((self.attack(a, b, r), value))
            elif r == 0:
                self._first[a * self._width + b] = value
            else:
                self._later.setdefault((a, b), {})[r] = value
        elif arm == "base":
            row = self.base[b]
            row[r] = value
            self._means[b] = math.fsum(row.values()) / len(row)
        elif arm == "twin":
            self.twins.add(a, b, k, r, value)
        elif arm == "filler":
            self.fillers.add(a, b, k, r, value)
            if r == 0:
                self.filled.setdefault(b, set()).add(a)
        elif arm == "echo":
            self.echoes.add(a, b, k, r, value)
        else:
            self.marking.add(a, b, k, r, value)

    def attack(self, a: int, b: int, r: int = 0) -> float:
        """Return the attack's reading in one context, NaN when there is none."""
        if r == 0:
            return self._first[a * self._width + b]
        return self._later.get((a, b), {}).get(r, NAN)

    def attack_rounds(self, a: int, b: int) -> Iterator[tuple[int, float]]:
        """Yield (round, reading) of every attack reading of a cell."""
        first = self.attack(a, b)
        if first == first:
            yield 0, first
        if (a, b) in self._later:
            yield from sorted(self._later[a, b].items())

    def attacks_read(self, a: int, b: int) -> list[float]:
        """Return the readings alone, in the same order."""
        if (a, b) in self._later:
            return [value for _, value in self.attack_rounds(a, b)]
        first = self._first[a * self._width + b]
        return [first] if first == first else []

    def attack_mean(self, a: int, b: int) -> float:
        """Return the mean attack reading of a cell over its contexts, NaN when there is none."""
        if (a, b) not in self._later:
            return self._first[a * self._width + b]
        read = self.attacks_read(a, b)
        return math.fsum(read) / len(read)

    def repeated(self) -> set[int]:
        """Return the attacks that were read in more than the first context."""
        return {a for a, _ in self._later}

    def attacks_move(self, tolerance: float) -> bool:
        """Tell whether any attack scored otherwise than its baseline, or has no such score."""
        bases = self._means
        for start in range(0, len(self._first), self._width):
            row = self._first[start : start + self._width]
            # a large grid is compared in one step; NaN, where nothing was read, is never equal
            if row != bases and any(
                v == v and not abs(v - base) <= tolerance
                for v, base in zip(row, bases, strict=True)
            ):
                return True
        return any(
            not abs(v - bases[b]) <= tolerance
            for (_, b), later in self._later.items()
            for v in later.values()
        )

    def base_value(self, b: int) -> float:
        """Return the mean clean score of a baseline, NaN when it was never scored."""
        return self._means[b]

    def base_values(self) -> array[float]:
        """Return the mean clean scores, one a baseline, NaN where there is none."""
        return self._means[:]

    def attack_row(self, a: int) -> array[float]:
        """Return the first readings of an attack, one a baseline, NaN where there is none."""
        return self._first[a * self._width : (a + 1) * self._width]

    def values(self) -> Iterator[float]:
        """Yield every number read on this channel."""
        for row in self.base:
            yield from row.values()
        for value in self._first:
            if value == value:
                yield value
        for later in self._later.values():
            yield from later.values()
        for pair in self.again:
            yield from pair
        for arms in (self.twins, self.fillers, self.echoes, self.marking):
            yield from arms.numbers()


class Seen:
    """The calls made: a byte for each first reading of a cell, an entry for the rest."""

    __slots__ = ("_first", "_rest", "_size", "_width", "last")

    def __init__(self, plan: Plan) -> None:
        self._width = len(plan.baselines)
        # a row for each attack and, last, where index -1 finds it, one for the baselines
        self._size = (len(plan.attacks) + 1) * self._width
        self._first: dict[str, bytearray] = {"attack": bytearray(self._size)}
        self._first["base"] = self._first["attack"]
        self._rest: set[Call] = set()
        self.last: Call | None = None

    def add(self, call: Call) -> None:
        arm, a, b, k, r = call
        self.last = call
        if k or r:
            self._rest.add(call)
            return
        if arm not in self._first:
            self._first[arm] = bytearray(self._size)
        self._first[arm][a * self._width + b] = 1

    def __contains__(self, call: Any) -> bool:
        arm, a, b, k, r = call
        if k or r:
            return call in self._rest
        return arm in self._first and bool(self._first[arm][a * self._width + b])

    def first(self, arm: Arm) -> bytearray:
        """Return a byte a cell, 1 where the attack, or control 0 of an arm, was made on the
        baseline as it is."""
        cells = self._size - self._width
        return self._first[arm][:cells] if arm in self._first else bytearray(cells)

    def row(self, arm: Arm, a: int) -> bytearray:
        """Return the same for one attack, -1 for the clean baselines."""
        start = (a * self._width) % self._size
        made = self._first.get(arm)
        return made[start : start + self._width] if made else bytearray(self._width)

    def __bool__(self) -> bool:
        return self.last is not None


class Table:
    """Everything read so far. ``calls`` counts judge calls really made."""

    __slots__ = ("all_bool", "calls", "channels", "failed", "plan", "seen")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.seen = Seen(plan)
        self.channels: dict[str, Channel] = {}
        self.failed: list[tuple[Call, Unscorable]] = []
        self.all_bool = True
        self.calls = 0

    def add(self, call: Call, reading: Reading) -> None:
        """Fold one reading in; raises TargetError when the channels change."""
        self.seen.add(call)
        if isinstance(reading, Unscorable):
            self.failed.append((call, replace(reading, detail=redact(reading.detail))))
            return
        if self.all_bool and (
            reading.passed is None or any(v not in (0.0, 1.0) for v in reading.values.values())
        ):
            self.all_bool = False
        channels = self.channels
        if not channels:
            for name in reading.values:
                channels[name] = Channel(self.plan)
        if len(reading.values) != len(channels):
            self._changed(reading)
        for name, value in reading.values.items():
            channel = channels.get(name)
            if channel is None:
                self._changed(reading)
            else:
                channel.add(call, value)

    def _changed(self, reading: Scored) -> None:
        raise TargetError(
            f"the target changes its channels between calls: first {sorted(self.channels)},"
            f" now {sorted(reading.values)}"
        )
