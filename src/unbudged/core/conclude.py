"""From the last decision to the report: findings in words, the verdict, the notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal

from .contrast import Alive
from .decide import Decision, Moved, Outcome, Settings, Shown
from .decide.rules import SIGN, CellMove, Way, fillers_of
from .detail import Details, excess_maps
from .flips import flip_rows
from .judge import JudgeInfo, Unscorable
from .notes import KEEPS_LAST_SCORE, as_typed, blind, nowhere_up, one_value, scale_of, write_notes
from .plan import Plan
from .redact import redact
from .report import (
    BaselineScore,
    Confounded,
    Evidence,
    Finding,
    Kind,
    Report,
    Stage,
    Undecided,
    UnscorableProbe,
    Verdict,
)
from .sample import Sample
from .table import Channel, Table


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
) -> Report:
    """Build the report.

    ``stopped`` says why calls that were wanted were not made; ``remarks`` on how the calls
    went are added to the notes; ``contrast`` are the strong and weak answers that could not
    be scored. Findings about a judge that ``keeps_last_score``
    are undecided: the score may be another text's.
    """
    outcomes = decision.outcomes
    shared = _Shared(len(plan.baselines))
    findings = _findings(plan, table, outcomes, info, shared)
    undecided = [_undecided(plan, s) for o in outcomes.values() for s in o.undecided]
    if stopped:
        undecided += _left_open(plan, table, decision, stopped)
    full = _no_room(plan, table, settings, info)
    unscorable = (*_contrast(contrast), *_unscorable(plan, table))
    smallest: dict[str, float | None] = {
        way: max((o.smallest for o in outcomes.values() if o.smallest is not None), default=None)
        for way in settings.ways
    }
    notes = write_notes(plan, table, outcomes, settings, info, alive, findings, full, smallest)
    if keeps_last_score:
        notes.insert(0, KEEPS_LAST_SCORE)
        undecided, findings = _doubted(plan, table, findings), []
    said = (*notes, *remarks)
    verdict: Verdict = "held"
    if findings:
        verdict = "moved"
    elif (
        unscorable
        or undecided
        or keeps_last_score
        or alive not in (None, "able")
        or (alive is None and one_value(table))
        or nowhere_up(plan, full, settings, info)
        or blind(smallest, table, info)
    ):
        verdict = "inconclusive"
    return Report(
        verdict=verdict,
        findings=tuple(findings),
        confounded=tuple(
            _confounded(plan, table, s, shared) for o in outcomes.values() for s in o.confounded
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
        baselines=_baselines(plan, table),
        flips=_flips(plan, table, info),
        attacks={attack.id: attack.family for attack in plan.attacks},
        smallest_detectable=smallest,
        settings=dict(options or {}),
        versions=dict(versions or {}),
        costs=dict(costs or {}),
        maps=excess_maps(plan, table, settings.tolerance, findings),
    )


def _findings(
    plan: Plan, table: Table, outcomes: Mapping[str, Outcome], info: JudgeInfo, shared: _Shared
) -> list[Finding]:
    rows = []
    for name, outcome in outcomes.items():
        channel = table.channels[name]
        mark = pass_mark_of(table, info)
        details = Details(plan, channel)
        for moved in outcome.moved:
            attack = plan.attacks[moved.attack]
            family = plan.families.get(attack.family)
            kind = _kind(channel, moved)
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
                        baseline_index=shared.indices[cell.baseline],
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
                    )
                )
    # stable sorts, last key first: a tuple of four for each row would outweigh the rows
    rows.sort(key=attrgetter("channel"))
    rows.sort(key=attrgetter("baseline_index"))
    rows.sort(key=attrgetter("attack_id"))
    rows.sort(key=attrgetter("excess"), reverse=True)
    return rows


class _Shared(dict[float, float]):
    """Gives equal numbers as one object: the report of a large grid holds a million rows, and
    most judges give few scores."""

    def __init__(self, baselines: int) -> None:
        super().__init__()
        self.indices = list(range(baselines))

    def __missing__(self, number: float) -> float:
        return self.setdefault(number, number) if len(self) < 4096 else number


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


def _kind(channel: Channel, moved: Moved) -> Kind:
    """Return "vocabulary" when text that asks for nothing moves it as far: text about
    marking, or the payload's own words in another order."""
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


def pass_mark_of(table: Table, info: JudgeInfo) -> float | None:
    """Return the pass mark: the judge's own, or a half where every reading was a bool."""
    if info.pass_mark is not None:
        return info.pass_mark
    return 0.5 if table.all_bool and table.channels else None


def _undecided(plan: Plan, shown: Shown) -> Undecided:
    attack = plan.attacks[shown.attack]
    b = shown.baseline
    return Undecided(
        attack.id, attack.family, None if b is None else plan.baselines[b].output, b,
        shown.channel, shown.way, shown.why,
    )


def _doubted(plan: Plan, table: Table, findings: list[Finding]) -> list[Undecided]:
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


def _left_open(plan: Plan, table: Table, decision: Decision, why: str) -> list[Undecided]:
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


def _no_room(
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
                    rows.append(Undecided("*", "*", sample.output, b, name, way, why))
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


def _confounded(plan: Plan, table: Table, shown: Shown, shared: _Shared) -> Confounded:
    a, b = shown.attack, shared.indices[shown.baseline or 0]
    attack, channel = plan.attacks[a], table.channels[shown.channel]
    base = channel.base_value(b)

    def shift(values: list[float]) -> float:
        return shared[sum(values) / len(values) - base] if values else 0.0

    return Confounded(
        attack.id, attack.family, plan.baselines[b].output, b, shown.channel,
        shift(channel.attacks_read(a, b)),
        shift(channel.fillers.all((a, b)) or fillers_of(plan, channel, a, b)),
        shift(channel.twins.all((a, b))),
        shown.why,
    )


def _contrast(failed: Sequence[tuple[Sample, Unscorable]]) -> list[UnscorableProbe]:
    return [
        UnscorableProbe(
            None, None, sample.output, None, "contrast", reading.reason, redact(reading.detail)
        )
        for sample, reading in failed
    ]


def _unscorable(plan: Plan, table: Table) -> tuple[UnscorableProbe, ...]:
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
                plan.baselines[call.baseline].output, call.baseline, stage,
                reading.reason, reading.detail,
                disables=stage == "attack" and call.baseline in scored,
            )
        )
    return tuple(rows)


def _baselines(plan: Plan, table: Table) -> tuple[BaselineScore, ...]:
    rows = []
    controls = {n: _control_means(c) for n, c in table.channels.items()}
    for b, sample in enumerate(plan.baselines):
        values = {
            n: c.base_value(b) for n, c in table.channels.items() if c.base[b]
        }
        count = max((len(c.base[b]) for c in table.channels.values()), default=0)
        means = {n: read[b][0] for n, read in controls.items() if b in read}
        read_most = max((read[b][1] for read in controls.values() if b in read), default=0)
        rows.append(BaselineScore(sample.output, b, sample.id, values, count, means, read_most))
    return tuple(rows)


def _control_means(channel: Channel) -> dict[int, tuple[float, int]]:
    """Return by baseline the mean score of its neutral texts, and how many there were.

    Only in the answer as given: a sentence more may have a score of its own.
    """
    sums: dict[int, tuple[float, int]] = {}
    for arms in (channel.twins, channel.fillers):
        for (_, b), read in arms.items():
            values = [value for (_, round), value in read.items() if not round]
            total, n = sums.get(b, (0.0, 0))
            sums[b] = total + sum(values), n + len(values)
    return {b: (total / n, n) for b, (total, n) in sums.items() if n}


def _flips(plan: Plan, table: Table, info: JudgeInfo) -> tuple[Any, ...]:
    mark = pass_mark_of(table, info)
    if mark is None:
        return ()
    return tuple(
        row
        for name, channel in table.channels.items()
        for row in flip_rows(plan, name, channel, mark, info.higher_is_better)
    )
