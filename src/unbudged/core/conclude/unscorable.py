"""What could not be scored: baselines, attacks, controls, answers of the contrast."""

from __future__ import annotations

from collections.abc import Sequence

from ..judge import Unscorable
from ..plan import Plan
from ..redact import redact
from ..report import Stage, UnscorableProbe
from ..sample import Sample
from ..table import Table


def unscorable_of(plan: Plan, table: Table) -> tuple[UnscorableProbe, ...]:
    rows = []
    scored = {b for c in table.channels.values() for b, row in enumerate(c.base) if row}
    for call, reading in table.failed:
        attack = plan.attacks[call.attack] if call.attack >= 0 else None
        stage: Stage = (
            "baseline" if attack is None else "attack" if call.arm == "attack" else "control"
        )
        rows.append(
            UnscorableProbe(
                attack.id if attack else None, attack.family if attack else None,
                plan.baselines[call.baseline].output, plan.given(call.baseline), stage,
                reading.reason, reading.detail,
                disables=stage == "attack" and call.baseline in scored,
            )
        )
    return tuple(rows)


def unranked(failed: Sequence[tuple[Sample, Unscorable]]) -> list[UnscorableProbe]:
    return [
        UnscorableProbe(
            None, None, sample.output, None, "contrast", reading.reason, redact(reading.detail)
        )
        for sample, reading in failed
    ]
