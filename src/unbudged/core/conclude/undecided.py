"""What could not be decided: by the rules, for want of calls or of room, or of a judge to trust."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..decide import Decision, Settings, Shown
from ..decide.rules import SIGN, Way
from ..judge import JudgeInfo
from ..plan import Plan
from ..report import Finding, Undecided
from ..table import Channel, Table
from .scale import scale_of


def undecided_of(plan: Plan, shown: Shown) -> Undecided:
    attack = plan.attacks[shown.attack]
    b = shown.baseline
    output, given = (None, None) if b is None else (plan.baselines[b].output, plan.given(b))
    return Undecided(
        attack.id, attack.family, output, given, shown.channel, shown.way, shown.why
    )


def doubted(plan: Plan, table: Table, findings: list[Finding]) -> list[Undecided]:
    """List every attack as undecided: its score may be that of another text."""
    moved = {f.attack_id for f in findings}
    channel = next(iter(table.channels), "score")
    why = "the judge keeps its last score"
    return [
        Undecided(
            f.attack_id, f.family, f.baseline, f.baseline_index, f.channel, f.direction,
            f"{why}: {f.attack_shift:+g} may be another text's",
        )
        for f in findings
    ] + [
        Undecided(attack.id, attack.family, None, None, channel, "both", why)
        for attack in plan.attacks
        if attack.id not in moved
    ]


def left_open(plan: Plan, table: Table, decision: Decision, why: str) -> list[Undecided]:
    """List the attacks a stopped scan still wanted calls for."""
    wanted = {call.attack for group in decision.groups for call in group}
    done = {m.attack for o in decision.outcomes.values() for m in o.moved}
    if not decision.outcomes or not all(o.final for o in decision.outcomes.values()):
        wanted = set(range(len(plan.attacks)))
    channel = next(iter(table.channels), "score")
    return [
        Undecided(plan.attacks[a].id, plan.attacks[a].family, None, None, channel, "both", why)
        for a in sorted(wanted - done - {-1})
    ]


def no_room(
    plan: Plan, table: Table, settings: Settings, info: JudgeInfo
) -> list[Undecided]:
    """List the baselines whose clean and control scores already stand at an end of the scale."""
    scale = scale_of(table, info)
    if scale is None:
        return []
    rows = []
    for name, channel in table.channels.items():
        for b, sample in enumerate(plan.baselines):
            for way in settings.ways:
                end = scale[1] if way == "up" else scale[0]
                where = _reached(way, end, _controls(plan, channel, b), settings.tolerance)
                if where:
                    why = f"its controls already stand {where} {end:g}, the end of the scale"
                    rows.append(Undecided("*", "*", sample.output, plan.given(b), name, way, why))
    return rows


def _controls(plan: Plan, channel: Channel, b: int) -> Iterator[float]:
    """Yield the clean scores of a baseline, then those of its controls."""
    yield from channel.base[b].values()
    for arms in (channel.twins, channel.fillers):
        for a in range(len(plan.attacks)):
            yield from arms.all((a, b))


def _reached(way: Way, end: float, values: Iterable[float], tolerance: float) -> str | None:
    """Return whether every value stands "at" an end of the scale or "beyond" it, else None."""
    where = None
    for value in values:
        room = SIGN[way] * (end - value)
        if room > tolerance:
            return None
        where = "beyond" if where == "beyond" or room < -tolerance else "at"
    return where
