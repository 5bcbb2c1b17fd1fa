"""What the formats say alike: figures, counts, the verdict in a sentence, groups."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.order import bring_in_order
from ..core.report import Finding, Report, Undecided
from .inert import clip, inert, quoted

#: columns of an id, a family or a channel wherever it is shown
NAME = 80

FLIPS = {
    "fail_to_pass": "turns a fail into a pass",
    "pass_to_fail": "turns a pass into a fail",
}
#: what to do about findings that are vocabulary
COUNTS_WORDS = (
    "The score counts words, whatever they say. Compare the answer with a reference, ask one"
    " yes/no question per criterion, and do not count words of the rubric anywhere in the text."
)


def number(value: float, *, sign: bool = True) -> str:
    """Format a score or shift with at most 6 significant digits, never as -0."""
    shown = f"{value + 0.0:+.6g}" if sign else f"{value + 0.0:.6g}"
    return shown.replace("-0", "+0" if sign else "0") if float(shown) == 0 else shown


def signed(finding: Finding) -> str:
    """Return a finding's excess with the sign of its side."""
    return number(finding.excess if finding.direction == "up" else -finding.excess)


def encodes(finding: Finding, width: int) -> str:
    """Return what an encoded payload says, quoted and no longer than ``width`` columns, and how
    it is hidden; "" for one that is plain itself."""
    if not finding.plain:
        return ""
    return f"{quoted(finding.plain, width)} ({name(finding.encoding or 'encoded')})"


def count(n: int, one: str, many: str | None = None) -> str:
    """Return ``3 probes`` or ``1 probe``."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def counts(attacks: int, baselines: int, probes: int) -> str:
    """Return the line that says how large a scan is, as ``33 attacks, 3 baselines, 99 probes``."""
    parts = ((attacks, "attack"), (baselines, "baseline"), (probes, "probe"))
    return ", ".join(count(n, what) for n, what in parts)


def scanned(report: Report) -> str:
    """Return how large the scan of a report was."""
    return counts(report.attack_count, report.baseline_count, report.probe_count)


def found(report: Report) -> str:
    """Return how much was found, as ``3 findings across 2 families`` or ``0 findings``."""
    if not report.findings:
        return "0 findings"
    families = count(len(report.families_hit()), "family", "families")
    return f"{count(len(report.findings), 'finding')} across {families}"


def largest(report: Report) -> str:
    """Return the line of the largest excess."""
    return f"max excess over control: {number(report.max_excess, sign=False)}"


def name(text: str) -> str:
    """Return an id, family or channel inert and no longer than ``NAME`` columns."""
    return clip(inert(text[: 4 * NAME]), NAME)


def shown(text: str, width: int) -> str:
    """Return the start of a foreign sentence, inert and no longer than ``width`` columns."""
    return clip(inert(text[: 4 * width]), width)


def sizes(report: Report) -> str:
    """Return how large the scan was and what it found, in one line."""
    calls = count(report.calls, "judge call")
    return f"{scanned(report)}, {calls}; {found(report)}; {largest(report)}"


def news(report: Report) -> str | None:
    """Return how many findings an earlier report lacks, None where it was held against none."""
    if all(f.new is None for f in report.findings):
        return None
    fresh = sum(bool(f.new) for f in report.findings)
    return f"new since the report before: {fresh} of {len(report.findings)}"


#: what a move is measured against
BEYOND = "beyond what neutral text of its own shape does"


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
        return Verdict("Held", held(report))
    if report.findings:
        top = max(report.findings, key=lambda f: f.excess)
        payloads = count(
            len({f.attack_id for f in report.findings}), "payload moves", "payloads move"
        )
        return Verdict("Moved", f"{payloads} the score, the worst by {signed(top)} {BEYOND}.")
    return Verdict("Inconclusive", inconclusive(report))


def held(report: Report) -> str:
    """Return what the payloads were held against, and what this verdict does not cover."""
    limits = []
    smallest = max((v for v in report.smallest_detectable.values() if v is not None), default=0.0)
    if report.confounded:
        limits.append(f"{count(len(report.confounded), 'probe')} confounded")
    if smallest > report.tolerance:
        limits.append(f"shifts below {number(smallest, sign=False)} unseen")
    alone = harmless(report)
    return (
        "no payload moved the score further than neutral text of its own shape"
        + (f", {alone}" if alone else "")
        + (f" ({'; '.join(limits)})" if limits else "")
        + "."
    )


def inconclusive(report: Report, cap: str | None = None) -> str:
    """Return why nothing is shown; ``cap`` is what the limit of calls is called, if it is named."""
    if report.unscorable:
        readings = count(len(report.unscorable), "reading was", "readings were")
        return f"{readings} no score, so it is not shown that the score holds."
    left = left_open(report)
    if left.said:
        if left.capped and cap:
            spent = count(report.settings["max_calls"], "call")
            return f"{left.said} could not be decided in {spent}: raise {cap}."
        return f"{left.said} could not be decided."
    for way in ("up", "down"):
        full = {u.baseline_index for u in report.undecided if u.direction == way}
        if report.baseline_count and len(full) == report.baseline_count:
            return f"no baseline left the score room to move {way}."
    return "nothing shows that the judge reads the text and could have moved."


class Open(NamedTuple):
    """What was left undecided: how many attacks and probes in words, and whether for calls."""

    said: str
    capped: bool


def left_open(report: Report) -> Open:
    """Count what was undecided; a baseline without room to move (attack ``*``) is none of it."""
    rows = [u for u in report.undecided if u.attack_id != "*"]
    attacks = {u.attack_id for u in rows if u.baseline_index is None}
    probes = {
        (u.attack_id, u.baseline_index)
        for u in rows
        if u.baseline_index is not None and u.attack_id not in attacks
    }
    parts = [count(len(attacks), "attack")] if attacks else []
    parts += [count(len(probes), "probe")] if probes else []
    capped = bool(report.settings.get("max_calls")) and any(
        u.why.endswith("used up") for u in rows
    )
    return Open(" and ".join(parts), capped)


def open_attacks(report: Report) -> dict[str, list[Undecided]]:
    """Return what was undecided, by attack; a baseline without room (attack ``*``) is not."""
    found: dict[str, list[Undecided]] = {}
    for row in report.undecided:
        if row.attack_id != "*":
            found.setdefault(row.attack_id, []).append(row)
    return found


def grouped(report: Report) -> list[list[Finding]]:
    """Return the findings by attack, in the order of every format."""
    rows = list(report.findings)
    bring_in_order(rows)  # an older report, saved, has them in another
    groups: dict[str, list[Finding]] = {}
    for finding in rows:
        groups.setdefault(finding.attack_id, []).append(finding)
    return list(groups.values())
