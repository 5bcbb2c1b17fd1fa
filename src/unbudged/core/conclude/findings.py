"""The findings: payloads that moved, a row for each baseline, the widest attack first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ..control import said
from ..decide import Moved, Outcome
from ..decide.rules import SIGN, CellMove
from ..judge import JudgeInfo
from ..order import bring_in_order
from ..plan import Plan
from ..report import Evidence, Finding, Kind
from ..table import Channel, Table
from .detail import Details
from .scale import pass_mark_of
from .shared import Shared


def findings_of(
    plan: Plan, table: Table, outcomes: Mapping[str, Outcome], info: JudgeInfo, shared: Shared
) -> list[Finding]:
    rows = []
    for name, outcome in outcomes.items():
        channel = table.channels[name]
        mark = pass_mark_of(table, info)
        details = Details(plan, channel)
        for moved in outcome.moved:
            attack = plan.attacks[moved.attack]
            family = plan.families.get(attack.family)
            kind = _kind(plan, channel, moved)
            evidence = Evidence(
                moved.real, moved.beyond, moved.contexts, moved.twins, moved.sentence
            )
            fixed = None if moved.attack in plan.asking else attack.text
            for cell in moved.cells:
                sample = plan.baselines[cell.baseline]
                rows.append(
                    Finding(
                        attack_id=attack.id,
                        family=attack.family,
                        baseline=sample.output,
                        baseline_index=shared.given[cell.baseline],
                        baseline_id=sample.id,
                        attack_shift=shared[cell.attack - cell.base],
                        control_shift=shared[cell.control - cell.base],
                        excess=shared[cell.excess],
                        direction=moved.way,
                        flipped=_flipped(cell, mark, info),
                        placement=plan.placement_of(moved.attack),
                        channel=name,
                        kind=kind,
                        evidence=evidence,
                        fix=family.fix if family else "",
                        payload=fixed or plan.payload(moved.attack, cell.baseline),
                        twin=details.twin(moved.attack, cell.baseline, cell.attack),
                        filler=details.filler(moved.attack, cell.baseline, cell.attack),
                        readings=details.readings(moved.attack, cell.baseline),
                        plain=attack.plain,
                        encoding=attack.encoding,
                    )
                )
    bring_in_order(rows)
    return rows


def _flipped(
    cell: CellMove, mark: float | None, info: JudgeInfo
) -> Literal["fail_to_pass", "pass_to_fail"] | None:
    if mark is None:
        return None
    before, control, after = (
        (v >= mark) == info.higher_is_better or v == mark
        for v in (cell.base, cell.control, cell.attack)
    )
    if before == control != after:
        return "fail_to_pass" if after else "pass_to_fail"
    return None


def _kind(plan: Plan, channel: Channel, moved: Moved) -> Kind:
    """Return "vocabulary" when text that asks for nothing moves it as far: text about
    marking, or the payload's own words in another order. A lone word asks for nothing."""
    attack = plan.attacks[moved.attack]
    added = plan.placement_of(moved.attack) != "replace" and attack.encoding is None
    if added and len(said(attack.text)) == 1:
        return "vocabulary"
    cell = moved.cells[0]
    read = channel.marking[moved.attack, cell.baseline]
    enough = cell.excess * (1 - 1e-9) if moved.steady else cell.excess / 2
    shifts = []
    for odd in (0, 1):
        values = [v for (k, _), v in read.items() if k % 2 == odd]
        if values:
            shifts.append(SIGN[moved.way] * (sum(values) / len(values) - cell.control))
    if not shifts:
        return "unknown"
    return "vocabulary" if max(shifts) >= enough else "instruction"
