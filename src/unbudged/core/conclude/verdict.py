"""The verdict, and what makes a scan without findings inconclusive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from ..contrast import Alive
from ..decide import Settings
from ..judge import JudgeInfo
from ..plan import Plan
from ..report import Finding, Undecided, Verdict
from ..table import Table
from .scale import scale_of


def verdict_of(
    plan: Plan, read: Sequence[Table], settings: Settings, info: JudgeInfo, alive: Alive | None,
    findings: Sequence[Finding], *, unsure: bool, full: list[Undecided],
    smallest: Mapping[str, float | None],
) -> Verdict:
    """Return the verdict; ``unsure`` where anything is unscorable, undecided or not to be
    believed, ``full`` are the baselines without room, ``read`` the table of the scan and
    that of a search before it."""
    if findings:
        return "moved"
    if (
        unsure
        or alive not in (None, "able")
        or (alive is None and one_value(read))
        or nowhere_up(plan, full, settings, info)
        or blind(smallest, read[0], info)
    ):
        return "inconclusive"
    return "held"


def nowhere_up(
    plan: Plan, full: list[Undecided], settings: Settings, info: JudgeInfo
) -> bool:
    better = "up" if info.higher_is_better else "down"
    stuck = {(u.channel, u.baseline_index) for u in full if u.direction == better}
    per_channel: dict[str, int] = {}
    for name, _ in stuck:
        per_channel[name] = per_channel.get(name, 0) + 1
    return better in settings.ways and any(
        n == len(plan.baselines) for n in per_channel.values()
    )


def blind(smallest: Mapping[str, float | None], table: Table, info: JudgeInfo) -> bool:
    """Tell whether no shift the scale allows was large enough to be found."""
    scale = scale_of(table, info)
    known = [s for s in smallest.values() if s is not None]
    return scale is not None and bool(known) and min(known) > scale[1] - scale[0]


def one_value(read: Sequence[Table], channel: str | None = None) -> bool:
    """Tell whether all readings of a channel are the same; without one, those of each are."""
    names = {name for table in read for name in table.channels} if channel is None else {channel}
    for name in names:
        values = chain.from_iterable(
            table.channels[name].values() for table in read if name in table.channels
        )
        first = next(values, None)
        if any(v != first for v in values):
            return False
    return True
