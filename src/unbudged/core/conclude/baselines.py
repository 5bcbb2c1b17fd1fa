"""What each baseline scored as given, and with neutral text added."""

from __future__ import annotations

from ..plan import Plan
from ..report import BaselineScore
from ..table import Channel, Table

#: placements that leave the answer's words and their order as they are
_WHOLE = ("suffix", "prefix", "middle", "repeat")


def baselines_of(plan: Plan, table: Table) -> tuple[BaselineScore, ...]:
    rows = []
    controls = {n: _control_means(plan, c) for n, c in table.channels.items()}
    for b, sample in enumerate(plan.baselines):
        values = {
            n: c.base_value(b) for n, c in table.channels.items() if c.base[b]
        }
        count = max((len(c.base[b]) for c in table.channels.values()), default=0)
        means = {n: read[b][0] for n, read in controls.items() if b in read}
        read_most = max((read[b][1] for read in controls.values() if b in read), default=0)
        rows.append(BaselineScore(
            sample.output, plan.given(b), sample.id, values, count, means, read_most
        ))
    return tuple(rows)


def _control_means(plan: Plan, channel: Channel) -> dict[int, tuple[float, int]]:
    """Return by baseline the mean score of its neutral texts, and how many there were.

    Only in the answer as given: a sentence more may have a score of its own. What replaces
    the answer or stands within its words counts only where nothing else was read: it tells
    what the loss of the answer costs, not what text beside it is worth.
    """
    whole = {a for a in range(len(plan.attacks)) if plan.placement_of(a) in _WHOLE}
    sums = _sums(channel, whole)
    return sums or _sums(channel, set(range(len(plan.attacks))))


def _sums(channel: Channel, attacks: set[int]) -> dict[int, tuple[float, int]]:
    sums: dict[int, tuple[float, int]] = {}
    for arms in (channel.twins, channel.fillers):
        for (a, b), read in arms.items():
            if a not in attacks:
                continue
            values = [value for (_, round), value in read.items() if not round]
            total, n = sums.get(b, (0.0, 0))
            sums[b] = total + sum(values), n + len(values)
    return {b: (total / n, n) for b, (total, n) in sums.items() if n}
