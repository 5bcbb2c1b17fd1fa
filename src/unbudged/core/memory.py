"""Does a score belong to the call before it: a judge that fails, hides it and keeps its last score.

One text with every payload in it is read right after two texts of known, different scores. A
judge that gives it the score of whichever came before has not scored it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .judge import Reading, Scored
from .plan import Call, Plan
from .run import Source
from .sample import Sample
from .table import Table

#: a noisy judge of two scores agrees with both by luck, once in four at most: so four times
TURNS = 4
CALLS_LEAST = 2  # a judge that scores what it reads is told apart after these
CALLS_MOST = 4 * TURNS
LONGEST = 6000  # characters: more than that many a judge cannot take

#: a strong answer: the call that read it, itself, and the scores it got
Known = tuple[Call, Sample, Mapping[str, float]]


async def keeps_last_score(
    source: Source, plan: Plan, table: Table, good: Sequence[Known], tolerance: float
) -> bool:
    """Return whether the judge repeats the score of the call before.

    Without two texts of different score, or with too few calls left, nothing can be shown.
    """
    pair = _furthest(plan, table, good, tolerance)
    if pair is None:
        return False
    other, host = pair
    # a payload that the judge says it cannot score hides nothing
    told = {call.attack for call, _ in table.failed}
    text = _all_payloads(plan, host[0].baseline, told)
    if text == host[1].output:
        return False
    every = host[1].with_output(text)
    for turn in range(TURNS):
        before: list[Reading] = []
        for side, (call, sample) in enumerate((other, host)):
            if not source.take(2):
                return False
            # k and round of their own: a reading of this stage stands for no other
            known = await source.read(call._replace(k=1, round=2 * turn + side), sample)
            again = Call("every", -1, host[0].baseline, side, turn)
            if not _same(known, await source.read(again, every), tolerance):
                return False
            before.append(known)
        if _same(before[0], before[1], tolerance):
            return False
    return True


def _furthest(
    plan: Plan, table: Table, good: Sequence[Known], tolerance: float
) -> tuple[tuple[Call, Sample], tuple[Call, Sample]] | None:
    """Return a text and a baseline whose scores lie furthest apart, None when all are alike."""
    best, pair = tolerance, None
    for name, channel in table.channels.items():
        scored = [b for b in range(len(plan.baselines)) if channel.base[b]]
        ends = {end(scored, key=channel.base_value) for end in (min, max) if scored}
        hosts = [(channel.base_value(b), (Call("base", -1, b), plan.baselines[b])) for b in ends]
        strong = [(values[name], (call, s)) for call, s, values in good if name in values]
        for low, host in hosts:
            for high, other in (*strong, *hosts):
                if abs(high - low) > best:
                    best, pair = abs(high - low), (other, host)
    return pair


def _all_payloads(plan: Plan, b: int, without: set[int]) -> str:
    """Return a baseline's answer and after it payloads of every family, in turns."""
    text = answer = plan.baselines[b].output
    by_family: dict[str, list[int]] = {}
    for a, attack in enumerate(plan.attacks):
        if a not in without and (a, b) not in plan.left_out:
            by_family.setdefault(attack.family, []).append(a)
    for turn in range(len(plan.attacks)):
        for rows in by_family.values():
            more = plan.separator + plan.payload(rows[turn], b) if turn < len(rows) else ""
            if len(text) + len(more) <= max(LONGEST, 2 * len(answer)):
                text += more
    return text


def _same(one: Reading, other: Reading, tolerance: float) -> bool:
    if not isinstance(one, Scored) or not isinstance(other, Scored):
        return False
    return one.values.keys() == other.values.keys() and all(
        abs(one.values[name] - other.values[name]) <= tolerance for name in one.values
    )
