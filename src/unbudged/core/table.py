"""The observations of a scan, folded into what the rules look at."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import replace

from ..errors import TargetError
from .judge import Reading, Scored, Unscorable
from .plan import Call, Plan
from .redact import redact

NAN = math.nan
Cell = tuple[int, int]


class Channel:
    """The numbers of one channel, by arm, cell and round."""

    __slots__ = ("_first", "_later", "_means", "_width", "again", "base", "echoes", "fillers",
                 "marking", "twins")

    def __init__(self, plan: Plan) -> None:
        self._width = len(plan.baselines)
        self._first = array("d", [NAN]) * (len(plan.attacks) * self._width)
        self._later: dict[Cell, dict[int, float]] = {}
        self.base: list[dict[int, float]] = [{} for _ in plan.baselines]
        self._means = [NAN] * self._width
        # (first, second) reading of attack texts that were sent twice, byte for byte
        self.again: list[tuple[float, float]] = []
        # by cell, then by (k, round)
        self.twins: dict[Cell, dict[tuple[int, int], float]] = {}
        self.fillers: dict[Cell, dict[tuple[int, int], float]] = {}
        self.echoes: dict[Cell, dict[tuple[int, int], float]] = {}
        self.marking: dict[Cell, dict[tuple[int, int], float]] = {}

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
        else:
            by_arm = {"twin": self.twins, "filler": self.fillers, "echo": self.echoes}
            by_arm.get(arm, self.marking).setdefault((a, b), {})[k, r] = value

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

    def attack_mean(self, a: int, b: int) -> float:
        """Return the mean attack reading of a cell over its contexts, NaN when there is none."""
        if (a, b) not in self._later:
            return self._first[a * self._width + b]
        read = [value for _, value in self.attack_rounds(a, b)]
        return math.fsum(read) / len(read)

    def repeated(self) -> set[int]:
        """Return the attacks that were read in more than the first context."""
        return {a for a, _ in self._later}

    def base_value(self, b: int) -> float:
        """Return the mean clean score of a baseline, NaN when it was never scored."""
        return self._means[b]

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
            for cell in arms.values():
                yield from cell.values()


class Table:
    """Everything read so far. ``calls`` counts judge calls really made."""

    __slots__ = ("all_bool", "calls", "channels", "failed", "plan", "seen")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.seen: dict[Call, None] = {}  # in the order the calls were made
        self.channels: dict[str, Channel] = {}
        self.failed: list[tuple[Call, Unscorable]] = []
        self.all_bool = True
        self.calls = 0

    def add(self, call: Call, reading: Reading) -> None:
        """Fold one reading in; raises TargetError when the channels change."""
        self.seen[call] = None
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
