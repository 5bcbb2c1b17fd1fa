"""Is the judge alive: does it rank answers, does it score each text for itself."""

from __future__ import annotations

from ..core.contrast import Alive, tell
from ..core.judge import JudgeInfo, Reading, Scored
from ..core.memory import keeps_last_score
from ..core.plan import Call
from ..core.run import Source, read_all
from ..core.sample import Sample
from ..core.table import Table
from ..prepare import Prepared

Contrast = tuple[tuple[Sample, ...], tuple[Sample, ...]]
#: a reading of the contrast
Ranked = tuple[Call, Sample, Reading]


async def rank(
    source: Source, contrast: Contrast, info: JudgeInfo, ranked: list[Ranked]
) -> Alive:
    """Return whether the judge ranks the contrast; add each of its readings to ``ranked``.

    A noisy judge may rank one reading wrongly: "inverted" is said after three only.
    """
    good, bad = contrast
    asked = [("good", good), ("bad", bad)]
    sides: dict[str, list[Reading]] = {"good": [], "bad": []}
    alive: Alive = "inverted"
    for turn in range(3):
        calls = [
            (Call(arm, -1, i, 0, turn), sample)  # type: ignore[arg-type]
            for arm, samples in asked
            for i, sample in enumerate(samples)
        ]
        if not source.take(len(calls)):
            break
        readings = await read_all(source, calls)
        for (call, sample), reading in zip(calls, readings, strict=True):
            sides[call.arm].append(reading)
            ranked.append((call, sample, reading))
        alive = tell(sides["good"], sides["bad"], info)
        if alive != "inverted":
            break
    return alive


async def remembers(
    source: Source, scan: Prepared, table: Table, ranked: list[Ranked]
) -> bool:
    """Return whether the judge gave a text the score of the call before."""
    good = [(call, sample, reading.values) for call, sample, reading in ranked
            if call.arm == "good" and isinstance(reading, Scored)]
    return await keeps_last_score(source, scan.plan, table, good, scan.settings.tolerance)
