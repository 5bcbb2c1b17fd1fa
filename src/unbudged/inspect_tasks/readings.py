"""The readings of one run of verdict_injection, shared by its samples and its report."""

# anyio comes with the framework.
# mypy: disable-error-code="import-not-found"
from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

import anyio

from ..core.judge import Judge, JudgeInfo, Reading
from ..core.plan import Call
from ..core.sample import Sample

Key = tuple[str | None, str | None, str]
Mark = tuple[str, int]


class Readings:
    """Every reading so far, by judged text. No text is judged twice without a reason:
    what one sample read, another takes over."""

    def __init__(self, judge: Any, baselines: Sequence[Sample]) -> None:
        self.judge = judge
        self._baselines = baselines
        self._clear()

    def _clear(self) -> None:
        self.made: list[tuple[Call, Reading]] = []
        self.calls = 0
        self._entered: set[Mark] = set()
        self._read: dict[Key, list[Reading]] = defaultdict(list)
        self._unclaimed: dict[Key, deque[Reading]] = defaultdict(deque)
        self._pending: dict[Key, anyio.Event] = {}
        self._checked: int | None = None
        self._checking = anyio.Lock()

    def enter(self, mark: Mark) -> None:
        """Note that a sample is scored; one scored a second time starts another run."""
        if mark in self._entered:
            self._clear()
        self._entered.add(mark)

    async def preflight(self) -> int:
        """Check once that the judge is there and sees the text; raises TargetError."""
        async with self._checking:
            if self._checked is None:
                self._checked = await self.judge.preflight(self._baselines)
                self.calls += self._checked
        return self._checked

    async def own(self, mark: Mark, call: Call, sample: Sample) -> Reading:
        """Return the reading of a sample of the task."""
        await self.preflight()
        key = key_of(sample)
        waiting = self._unclaimed[key]
        reading = waiting.popleft() if waiting else await self._judge(key, sample)
        self.made.append((call, reading))
        return reading

    async def nth(self, sample: Sample, n: int) -> Reading:
        """Return reading number ``n`` of a text, judging it when nobody has or does."""
        key = key_of(sample)
        while len(self._read[key]) <= n and key in self._pending:
            await self._pending[key].wait()
        if len(self._read[key]) <= n:
            reading = await self._judge(key, sample)
            self._unclaimed[key].append(reading)
            return reading
        return self._read[key][n]

    async def _judge(self, key: Key, sample: Sample) -> Reading:
        while key in self._pending:
            await self._pending[key].wait()
        done = self._pending[key] = anyio.Event()
        try:
            reading: Reading = await self.judge.read(sample)
            self.calls += 1
            self._read[key].append(reading)
            return reading
        finally:
            self._pending.pop(key, None)
            done.set()


class SharedJudge:
    """The judge of a report: what was read already is not asked again."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings
        self._next: dict[Key, int] = defaultdict(int)

    @property
    def info(self) -> JudgeInfo:
        judge: Judge = self._readings.judge
        return judge.info

    @property
    def versions(self) -> dict[str, str]:
        return dict(self._readings.judge.versions)

    async def preflight(self, samples: Sequence[Sample]) -> int:
        return await self._readings.preflight()

    async def read(self, sample: Sample) -> Reading:
        key = key_of(sample)
        n = self._next[key]
        self._next[key] = n + 1
        return await self._readings.nth(sample, n)


def key_of(sample: Sample) -> Key:
    """Return what tells two judged texts apart."""
    return sample.id, sample.input, sample.output
