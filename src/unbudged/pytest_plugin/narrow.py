"""The part of a report that speaks of some of its attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..core.report import Report, Verdict


def narrow(report: Report, name: str, attacks: Sequence[str]) -> Report:
    """Return the report of these attacks alone, with a verdict of its own.

    What hinders the whole scan (a judge that answers no baseline, one that never moves)
    leaves every part without findings inconclusive; what hinders one attack leaves the
    others alone. ``name`` is said in a note, with the size of the whole scan.
    """
    ours = set(attacks)
    whole = {None, "*"}  # rows of no attack: a baseline, or the end of the scale
    findings = tuple(row for row in report.findings if row.attack_id in ours)
    undecided = tuple(row for row in report.undecided if row.attack_id in ours)
    unscorable = tuple(row for row in report.unscorable if row.attack_id in ours)
    general = tuple(row for row in report.unscorable if row.attack_id in whole)
    verdict: Verdict = "held"
    if findings:
        verdict = "moved"
    elif undecided or unscorable or general or _hindered(report):
        verdict = "inconclusive"
    size = len(attacks)
    note = (
        f"{name} is a part of one scan of {report.attack_count} attacks and"
        f" {report.probe_count} probes"
    )
    return replace(
        report,
        verdict=verdict,
        findings=findings,
        confounded=tuple(row for row in report.confounded if row.attack_id in ours),
        undecided=(*undecided, *(row for row in report.undecided if row.attack_id == "*")),
        unscorable=(*unscorable, *general),
        notes=(note, *report.notes),
        attack_count=size,
        probe_count=min(size * report.baseline_count, report.probe_count),
        flips=tuple(row for row in report.flips if row.name in ours | {name}),
    )


def _hindered(report: Report) -> bool:
    """Tell whether the scan was inconclusive for a reason that is not a single attack's.

    The report does not say which reason it was, so where single attacks are open too,
    anything that may hinder the whole counts: a pass must not rest on a guess.
    """
    if report.verdict != "inconclusive":
        return False
    single = any(row.attack_id != "*" for row in report.undecided) or any(
        row.attack_id is not None for row in report.unscorable
    )
    if not single:
        return True
    for channel in report.channels:
        values = [row.values.get(channel) for row in report.baselines]
        if len({value for value in values if value is not None}) < 2 and not report.confounded:
            return True  # it may be dead or constant
        for way in ("up", "down"):
            full = {
                row.baseline_index
                for row in report.undecided
                if (row.attack_id, row.channel, row.direction) == ("*", channel, way)
            }
            if len(full) == report.baseline_count:
                return True
    return not report.channels
