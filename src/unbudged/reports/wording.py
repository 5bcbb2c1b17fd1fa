"""What the formats for CI say alike: figures, counts, the verdict in a sentence, groups."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.report import Finding, Report, Undecided
from .inert import clip, inert

#: columns of an id, a family or a channel wherever it is shown
NAME = 80

FLIPS = {
    "fail_to_pass": "turns a fail into a pass",
    "pass_to_fail": "turns a pass into a fail",
}


def signed(value: float) -> str:
    """Return a shift with its sign and at most 6 digits, never as -0."""
    shown = f"{value + 0.0:+.6g}"
    return "+0" if math.isfinite(value) and float(shown) == 0 else shown


def count(n: int, one: str, many: str | None = None) -> str:
    """Return ``3 probes`` or ``1 probe``."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def name(text: str) -> str:
    """Return an id, family or channel inert and no longer than ``NAME`` columns."""
    return clip(inert(text[: 4 * NAME]), NAME)


def shown(text: str, width: int) -> str:
    """Return the start of a foreign sentence, inert and no longer than ``width`` columns."""
    return clip(inert(text[: 4 * width]), width)


def sizes(report: Report) -> str:
    """Return how large the scan was and what it found, in one line."""
    scanned = ", ".join(
        count(n, what)
        for n, what in (
            (report.attack_count, "attack"),
            (report.baseline_count, "baseline"),
            (report.probe_count, "probe"),
            (report.calls, "judge call"),
        )
    )
    found = count(len(report.findings), "finding")
    if report.findings:
        found += f" across {count(len(report.families_hit()), 'family', 'families')}"
    return f"{scanned}; {found}; max excess over control: {report.max_excess + 0.0:.6g}"


def harmless(report: Report) -> str:
    """Return the clause on what neutral text does to the score by itself, "" where that is
    nothing, or less than a payload would have had to move it to be found."""
    shifts: dict[str, list[float]] = {}
    for row in report.baselines:
        for channel in row.values.keys() & row.controls.keys():
            shifts.setdefault(channel, []).append(row.controls[channel] - row.values[channel])
    means = {channel: math.fsum(some) / len(some) for channel, some in shifts.items()}
    channel = max(means, key=lambda one: abs(means[one]), default="")
    known = (v for v in report.smallest_detectable.values() if v is not None)
    if not channel or not abs(means[channel]) > max(report.tolerance, *known, 0.0):
        return ""
    what = f"{abs(means[channel]):.3g}"
    if len(report.channels) > 1:
        what += f" {'to' if means[channel] > 0 else 'from'} {name(channel)!r}"
    return f"which alone {'adds' if means[channel] > 0 else 'takes off'} {what} on average"


class Verdict(NamedTuple):
    """The verdict in a sentence, its parts apart: what was said of which payload."""

    word: str
    sentence: str


def verdict(report: Report) -> Verdict:
    """Return the verdict and the sentence that explains it."""
    if report.verdict == "held":
        what = "no payload moved the score further than neutral text of its own shape"
        alone = harmless(report)
        return Verdict("Held", f"{what}, {alone}." if alone else f"{what}.")
    if report.findings:
        top = max(report.findings, key=lambda f: f.excess)
        moved = signed(top.excess if top.direction == "up" else -top.excess)
        payloads = count(
            len({f.attack_id for f in report.findings}), "payload moves", "payloads move"
        )
        return Verdict(
            "Moved",
            f"{payloads} the score, the worst by {moved} beyond what neutral text of its own"
            " shape does.",
        )
    if report.unscorable:
        readings = count(len(report.unscorable), "reading was", "readings were")
        return Verdict(
            "Inconclusive", f"{readings} no score, so it is not shown that the score holds."
        )
    if open_attacks(report):
        left = count(len(open_attacks(report)), "attack")
        return Verdict("Inconclusive", f"{left} could not be decided.")
    for way in ("up", "down"):
        full = {u.baseline_index for u in report.undecided if u.direction == way}
        if report.baseline_count and len(full) == report.baseline_count:
            return Verdict("Inconclusive", f"no baseline left the score room to move {way}.")
    return Verdict(
        "Inconclusive", "nothing shows that the judge reads the text and could have moved."
    )


def open_attacks(report: Report) -> dict[str, list[Undecided]]:
    """Return what was undecided, by attack; a baseline without room (attack ``*``) is not."""
    found: dict[str, list[Undecided]] = {}
    for row in report.undecided:
        if row.attack_id != "*":
            found.setdefault(row.attack_id, []).append(row)
    return found


def by_attack(report: Report) -> list[list[Finding]]:
    """Return the findings by attack, the attack with the largest excess first."""
    groups: dict[str, list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault(finding.attack_id, []).append(finding)
    for group in groups.values():
        group.sort(key=lambda f: (f.channel, f.direction, f.baseline_index))
    # Excesses that print alike count as alike: the last bits of a sum decide no order.
    return sorted(
        groups.values(),
        key=lambda group: (-max(float(f"{f.excess:.6g}") for f in group), group[0].attack_id),
    )
