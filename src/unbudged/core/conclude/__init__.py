"""From the last decision to the report: findings in words, the verdict, the notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..contrast import Alive
from ..decide import Decision, Settings
from ..judge import JudgeInfo, Unscorable
from ..plan import Plan
from ..report import Report
from ..sample import Sample
from ..table import Table
from .baselines import baselines_of
from .confounded import confounded_of
from .detail import excess_maps
from .findings import findings_of
from .flips import flips_of
from .notes import KEEPS_LAST_SCORE, as_typed, write_notes
from .shared import Shared
from .undecided import doubted, left_open, no_room, undecided_of
from .unscorable import unranked, unscorable_of
from .verdict import verdict_of

__all__ = ["conclude"]


def conclude(
    plan: Plan,
    table: Table,
    decision: Decision,
    settings: Settings,
    info: JudgeInfo,
    *,
    alive: Alive | None = None,
    stopped: str | None = None,
    contrast: Sequence[tuple[Sample, Unscorable]] = (),
    keeps_last_score: bool = False,
    options: Mapping[str, Any] | None = None,
    versions: Mapping[str, str] | None = None,
    costs: Mapping[str, float] | None = None,
    remarks: Sequence[str] = (),
    searched: Table | None = None,
) -> Report:
    """Build the report.

    ``stopped`` says why calls that were wanted were not made; ``remarks`` on how the calls
    went are added to the notes; ``contrast`` are the strong and weak answers that could not
    be scored. Findings about a judge that ``keeps_last_score``
    are undecided: the score may be another text's. ``searched`` is what a search read: no
    evidence of any attack, but of a judge that reads the text.
    """
    outcomes = decision.outcomes
    shared = Shared(plan)
    findings = findings_of(plan, table, outcomes, info, shared)
    undecided = [undecided_of(plan, s) for o in outcomes.values() for s in o.undecided]
    if stopped:
        undecided += left_open(plan, table, decision, stopped)
    full = no_room(plan, table, settings, info)
    unscorable = (*unranked(contrast), *unscorable_of(plan, table))
    smallest: dict[str, float | None] = {
        way: max((o.smallest for o in outcomes.values() if o.smallest is not None), default=None)
        for way in settings.ways
    }
    read = (table,) if searched is None else (table, searched)
    notes = write_notes(plan, read, outcomes, settings, info, alive, findings, full, smallest)
    if keeps_last_score:
        notes.insert(0, KEEPS_LAST_SCORE)
        undecided, findings = doubted(plan, table, findings), []
    said = (*notes, *remarks)
    return Report(
        verdict=verdict_of(
            plan, read, settings, info, alive, findings,
            unsure=bool(unscorable or undecided or keeps_last_score), full=full, smallest=smallest,
        ),
        findings=tuple(findings),
        confounded=tuple(
            confounded_of(plan, table, s, shared) for o in outcomes.values() for s in o.confounded
        ),
        undecided=(*undecided, *full),
        unscorable=unscorable,
        notes=as_typed(said) if "command" in (options or {}) else said,
        attack_count=len(plan.attacks),
        baseline_count=len(plan.baselines),
        probe_count=plan.probe_count,
        calls=table.calls,
        target=info.name,
        tolerance=settings.tolerance,
        alpha=settings.alpha,
        seed=plan.seed,
        direction=settings.direction,
        corpus=plan.corpus,
        channels=tuple(table.channels),
        baselines=baselines_of(plan, table),
        flips=flips_of(plan, table, info),
        attacks={attack.id: attack.family for attack in plan.attacks},
        smallest_detectable=smallest,
        settings=dict(options or {}),
        versions=dict(versions or {}),
        costs=dict(costs or {}),
        maps=excess_maps(plan, table, settings.tolerance, findings),
    )
