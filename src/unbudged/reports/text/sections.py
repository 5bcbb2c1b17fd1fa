"""What the terminal report lists besides findings: a section for each list, cut when long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...core.report import Confounded, FlipRow, Report, Undecided, UnscorableProbe
from ..inert import WIDTH, clip, columns, inert, quoted, wrap
from ..wording import count, left_open, number
from .findings import numbered

#: rows shown of each list that is not findings, unless all of them are asked for
ROWS = 5


class Fold(NamedTuple):
    """How many rows of a list are shown, None for all, and what shows the others."""

    most: int | None
    more: str


def _section(title: str, rows: Iterable[str], total: int, fold: Fold) -> Iterator[str]:
    yield ""
    yield from wrap(title)
    for shown, row in enumerate(rows):
        if shown == fold.most:
            yield f"  ... and {total - shown} more: {fold.more}"
            return
        yield from wrap(row, "  ", "      ")


def confounded(probes: tuple[Confounded, ...], fold: Fold) -> Iterator[str]:
    """Yield the probes that words of the same shape move as far."""
    if probes:
        alike = len({p.why for p in probes}) == 1  # then the title says it
        title = (
            f"confounded: {count(len(probes), 'probe')} moved against plain filler but not"
            " against other words of the same shape; not counted"
        )
        rows = (
            f"{p.attack_id}: attack {number(p.attack_shift)}, filler {number(p.filler_shift)},"
            f" twin {number(p.twin_shift)} on {quoted(p.baseline, 40)}"
            f"{'' if alike else '; ' + p.why}"
            for p in probes
        )
        yield from _section(title, rows, len(probes), fold)


def _open_rows(report: Report) -> list[str]:
    """Return a row for what was undecided of each attack, baseline and channel."""
    merged: dict[tuple[str, int | None, str, str], list[Undecided]] = {}
    for u in report.undecided:
        if u.attack_id != "*":
            merged.setdefault((u.attack_id, u.baseline_index, u.channel, u.why), []).append(u)
    rows = []
    for (attack, _, channel, why), same in merged.items():
        ways = {u.direction for u in same}
        one_way = f" ({min(ways)})" if len(ways) == 1 and "both" not in ways else ""
        of = f" on channel {channel}" if len(report.channels) > 1 else ""
        baseline = same[0].baseline
        on = "" if baseline is None else f" on {quoted(baseline, 40)}"
        rows.append(f"{attack}{one_way}{of}{on}: {why}")
    return rows


def undecided(report: Report, fold: Fold) -> Iterator[str]:
    """Yield what was undecided, then the baselines whose scores could not move any further."""
    left = _open_rows(report)
    if left:
        title = f"undecided: {left_open(report).said}, neither moved nor held"
        yield from _section(title, left, len(left), fold)
    full = [u for u in report.undecided if u.attack_id == "*"]
    if full:
        held = count(len({u.baseline_index for u in full}), "baseline")
        title = f"no room to move: {held} already at an end of the scale"
        rows = (f"{u.direction} on {quoted(u.baseline or '', 40)}: {u.why}" for u in full)
        yield from _section(title, rows, len(full), fold)


def unscorable(probes: tuple[UnscorableProbe, ...], fold: Fold) -> Iterator[str]:
    """Yield the readings that were no score, by stage."""
    if not probes:
        return
    stages = [p.stage for p in probes]
    title = "unscorable: " + ", ".join(
        count(stages.count(stage), f"{stage} reading")
        for stage in ("contrast", "baseline", "control", "attack")
        if stage in stages
    )
    disabled = sum(p.disables for p in probes)
    if disabled:
        title += f"; in {disabled} the payload disables a judge that scored the clean text"
    rows = (
        f"{p.attack_id or p.stage} on {quoted(p.baseline, 40)}: {p.reason}: {p.detail[:300]}"
        for p in probes
    )
    yield from _section(title, rows, len(probes), fold)


def _hits(row: FlipRow) -> tuple[int, ...]:
    sides = (row.fail_to_pass, row.control_fail_to_pass, row.pass_to_fail, row.control_pass_to_fail)
    return tuple(side.hits for side in sides)


def flips(report: Report, fold: Fold) -> Iterator[str]:
    """Yield the verdict flips of the families that have any."""
    rows = [r for r in report.flips if r.level == "family" and any(_hits(r))]
    if rows:
        several = len(report.channels) > 1
        lines = (
            f"{r.name}{f' on channel {r.channel}' if several else ''}:"
            f" fail to pass {r.fail_to_pass.hits} of {r.fail_to_pass.n}"
            f" (controls {r.control_fail_to_pass.hits} of {r.control_fail_to_pass.n}),"
            f" pass to fail {r.pass_to_fail.hits} of {r.pass_to_fail.n}"
            f" (controls {r.control_pass_to_fail.hits} of {r.control_pass_to_fail.n})"
            for r in rows
        )
        title = (
            "flips: trials (not probes) whose verdict differs from the clean answer's, controls"
            " beside"
        )
        yield from _section(title, lines, len(rows), fold)


def baselines(
    report: Report, positions: Sequence[int] | None, fold: Fold
) -> Iterator[str]:
    """Yield the clean score of each baseline, with its number."""
    if not report.baselines:
        return
    yield ""
    yield "baselines:"
    for row in report.baselines[: fold.most]:
        place = numbered(row.baseline_index, positions)
        scores = ", ".join(
            number(v, sign=False) if len(row.values) == 1 else f"{k} {number(v, sign=False)}"
            for k, v in row.values.items()
        )
        line = f"  {place}  scored {clip(inert(scores or 'nothing'), 50)}"
        yield f"{line}  {quoted(row.baseline, WIDTH - columns(line) - 2)}"
    left = len(report.baselines) - (fold.most or len(report.baselines))
    if left > 0:
        yield f"  ... and {left} more: {fold.more}"


def closing(report: Report) -> Iterator[str]:
    """Yield the notes, the smallest shift that would have been found, and the calls made."""
    yield ""
    for note in report.notes:
        yield from wrap(f"note: {note}")
    least = ", ".join(
        f"{side} {number(value, sign=False)}"
        for side, value in report.smallest_detectable.items()
        if value is not None
    )
    if least:
        yield from wrap(f"smallest shift this scan would have found: {least}")
    yield from wrap(
        f"{count(report.calls, 'judge call')}, corpus {', '.join(report.corpus)},"
        f" tolerance {report.tolerance:g}, seed {report.seed}"
    )
