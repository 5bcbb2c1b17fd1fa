"""The families of a scan, the one with the worst effect first, each with an interval."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ...core.report import Finding, FlipRow, Rate, Report
from .figures import known


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval and a mark within it on an axis of 0 to 100."""

    low: float
    high: float
    mark: float


@dataclass(frozen=True, slots=True)
class Flip:
    """One kind of verdict flip of a family: attack and controls with their Wilson intervals."""

    name: str
    attack: Rate
    control: Rate
    bar: Bar
    control_bar: Bar


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """What a family did on one channel; ``worst`` is None when it has no finding.

    ``least`` and ``most`` are the range of its ``probes``' signed excess (of its findings
    where no map was kept), None without any; ``zero`` is where no excess stands on the axis
    of ``bar``, which all families share.
    """

    name: str
    channel: str
    worst: Finding | None
    findings: int
    probes: int
    least: float | None
    most: float | None
    bar: Bar | None
    zero: float
    flips: tuple[Flip, ...]
    fix: str
    vocabulary: bool


def ranked(report: Report) -> list[FamilyRow]:
    """Return a row per family and channel, the largest excess of a finding first."""
    findings: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for f in report.findings:
        findings[f.family, f.channel].append(f)
    excess: dict[tuple[str, str], list[float]] = {}
    for map_ in report.maps:
        for family, row in zip(map_.families, map_.excess, strict=True):
            read = excess.setdefault((family, map_.channel), [])
            read += [value for value in row if value is not None]
    flips = {(r.name, r.channel): r for r in report.flips if r.level == "family"}
    for key, found in findings.items():
        excess.setdefault(key, [_signed(f) for f in found])
    seen = [value for read in excess.values() for value in read]
    ends = (min([0.0, *seen]), max([0.0, *seen]))
    rows = [
        _row(key, findings.get(key, []), excess.get(key, []), flips.get(key), ends)
        for key in dict.fromkeys([*excess, *flips])
    ]
    rows.sort(key=_place)
    return rows


def _signed(finding: Finding) -> float:
    return known(finding.excess) * (1 if finding.direction == "up" else -1)


def _place(row: FamilyRow) -> tuple[float, float, str, str]:
    worst = -known(row.worst.excess) if row.worst else 0.0
    reach = -max(abs(row.least or 0.0), abs(row.most or 0.0))
    return (worst if row.worst else 1.0, reach, row.name, row.channel)


def _row(
    key: tuple[str, str], found: list[Finding], read: list[float], flips: FlipRow | None,
    ends: tuple[float, float],
) -> FamilyRow:
    family, channel = key
    worst = max(found, key=lambda f: known(f.excess), default=None)
    bar, span = None, ends[1] - ends[0]
    if read and span:
        mark = _signed(worst) if worst else max(read, key=abs)
        bar = Bar(*(100 * (v - ends[0]) / span for v in (min(read), max(read), mark)))
    return FamilyRow(
        family, channel, worst, len(found), len(read),
        min(read, default=None), max(read, default=None),
        bar, -100 * ends[0] / span if span else 0.0, _flips(flips),
        next((f.fix for f in found if f.fix), ""),
        bool(found) and all(f.kind == "vocabulary" for f in found),
    )


def _flips(row: FlipRow | None) -> tuple[Flip, ...]:
    if row is None:
        return ()
    sides = (
        ("fail to pass", row.fail_to_pass, row.control_fail_to_pass),
        ("pass to fail", row.pass_to_fail, row.control_pass_to_fail),
    )
    return tuple(
        Flip(name, attack, control, _bar(attack), _bar(control))
        for name, attack, control in sides
        if attack.n
    )


def _bar(rate: Rate) -> Bar:
    share = rate.hits / rate.n if rate.n else 0.0
    return Bar(100 * (rate.low or 0.0), 100 * (rate.high or 0.0), 100 * share)
