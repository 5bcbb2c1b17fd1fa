"""The terminal report: the verdict in one sentence, the counts, then what to act on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..core.report import Confounded, Finding, FlipRow, Report, Undecided, UnscorableProbe
from .inert import WIDTH, clip, columns, inert, inert_line, quoted, shell, wrap

#: rows shown of each list that is not findings; the JSON document has them all
ROWS = 5
_FLIPS = {
    "fail_to_pass": "turns a fail into a pass",
    "pass_to_fail": "turns a pass into a fail",
}
#: options a finding may depend on, with the values that need no mention
_USUAL = {
    "corpus": ("core",),
    "placement": None,
    "goal": None,
    "separator": "\n\n",
    "scale": None,
    "pass_mark": None,
    "key": None,
    "tolerance": 1e-9,
    "alpha": 0.01,
    "trials": None,
    "direction": "both",
    "seed": 0,
}
_KINDS = {
    "instruction": "instruction: text on marking that asks for nothing moves the score less",
    "vocabulary": "vocabulary: any text on the subject moves it as far, as in a keyword rubric",
}


def render(
    report: Report,
    *,
    command: Sequence[str] | None = None,
    positions: Sequence[int] | None = None,
    quiet: bool = False,
) -> str:
    """Render the report in lines of at most 100 columns, every foreign text inert.

    ``command`` holds the arguments that repeat the scan (``--attack`` and
    ``--only-baseline`` are added to each finding); without it the repeat line is a
    Python call. ``positions`` gives each baseline's number for ``--only-baseline``
    when it is not its place in the report plus one. ``quiet`` leaves the verdict, the
    counts and the rows. A repeat line is never broken, whatever its length, so that it
    can be copied.
    """
    if positions is None:
        positions = range(1, max(report.baseline_count, len(report.baselines)) + 1)
    lines = [*_head(report)]
    if quiet:
        lines += _rows(_sorted(report))
    else:
        lines += _findings(report, command, positions)
        lines += _confounded(report.confounded)
        lines += _undecided(report.undecided)
        lines += _unscorable(report.unscorable)
        lines += _flips(report)
        lines += _baselines(report, positions)
        lines += _closing(report)
    return "\n".join(inert_line(line) for line in lines)


def number(value: float, *, sign: bool = True) -> str:
    """Format a score or shift with at most 6 significant digits, never as -0."""
    shown = f"{value + 0.0:+.6g}" if sign else f"{value + 0.0:.6g}"
    return shown.replace("-0", "+0" if sign else "0") if float(shown) == 0 else shown


def counts(attacks: int, baselines: int, probes: int) -> str:
    """Return the line that says how large a scan is, as ``33 attacks, 3 baselines, 99 probes``."""
    parts = ((attacks, "attack"), (baselines, "baseline"), (probes, "probe"))
    return ", ".join(_count(n, name) for n, name in parts)


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _sorted(report: Report) -> list[Finding]:
    return sorted(report.findings, key=lambda f: -f.excess)


def _head(report: Report) -> Iterator[str]:
    yield from wrap(_verdict(report))
    yield counts(report.attack_count, report.baseline_count, report.probe_count)
    if report.findings:
        families = _count(len(report.families_hit()), "family", "families")
        yield f"{_count(len(report.findings), 'finding')} across {families}"
    else:
        yield "0 findings"
    yield f"max excess over control: {number(report.max_excess, sign=False)}"


def _verdict(report: Report) -> str:
    if report.verdict == "held":
        return "Held: no payload moved the score further than neutral text of its own shape."
    if report.findings:
        top = _sorted(report)[0]
        moved = number(top.excess if top.direction == "up" else -top.excess)
        return (
            f"Moved: {top.attack_id} moves the score by {moved} beyond"
            " what neutral text of its own shape does."
        )
    if report.unscorable:
        readings = _count(len(report.unscorable), "reading was", "readings were")
        return f"Inconclusive: {readings} no score, so it is not shown that the score holds."
    if report.undecided:
        return f"Inconclusive: {_count(len(report.undecided), 'probe')} could not be decided."
    return "Inconclusive: nothing shows that the judge reads the text and could have moved."


def _rows(findings: Sequence[Finding]) -> list[str]:
    """Return one line a finding, in columns as wide as what they hold."""
    table = [
        (
            clip(inert(f.attack_id), 40),
            f"attack {number(f.attack_shift)}",
            f"control {number(f.control_shift)}",
            f"excess {number(f.excess)}",
        )
        for f in findings
    ]
    widths = [max(map(columns, column)) for column in zip(*table, strict=True)]
    rows = []
    for finding, cells in zip(findings, table, strict=True):
        row = "".join(
            f"  {cell}{' ' * (width - columns(cell))}"
            for cell, width in zip(cells, widths, strict=True)
        )
        rows.append(f"{row}  on {quoted(finding.baseline, max(8, WIDTH - columns(row) - 5))}")
    return rows


def _findings(
    report: Report, command: Sequence[str] | None, positions: Sequence[int]
) -> Iterator[str]:
    if not report.findings:
        return
    yield ""
    findings, said = _sorted(report), ""
    for finding, row in zip(findings, _rows(findings), strict=True):
        yield row
        why = _why(report, finding)
        if said != finding.attack_id + why:  # once for the same attack on several baselines
            yield from wrap(why, "      ", "      ")
        said = finding.attack_id + why
        yield f"      repeat: {_repeat(report, finding, command, positions)}"
    yield ""
    for kind, meaning in _KINDS.items():
        if any(finding.kind == kind for finding in findings):
            yield from wrap(meaning)
    if all(finding.direction == "down" for finding in report.findings):
        yield ""
        yield from wrap(
            "Every finding lowers the score. A judge may be marking down the attempt;"
            " --direction up looks only for payloads that raise it."
        )
    yield ""
    fixes = {finding.family: finding.fix for finding in _sorted(report)}
    for family, fix in fixes.items():
        if fix:
            yield from wrap(f"fix ({family}): {fix}")


def _why(report: Report, finding: Finding) -> str:
    parts: list[str] = [finding.kind if finding.kind in _KINDS else ""]
    parts.append("lowers the score" if finding.direction == "down" else "")
    if len(report.channels) > 1:
        parts.append(f"channel {finding.channel}")
    if finding.placement != "suffix":
        parts.append(f"placed as {finding.placement}")
    if finding.flipped:
        parts.append(_FLIPS[finding.flipped])
    parts.append(finding.evidence.sentence)
    return "; ".join(part for part in parts if part)


def _repeat(
    report: Report,
    finding: Finding,
    command: Sequence[str] | None,
    positions: Sequence[int],
) -> str:
    index = finding.baseline_index
    if command is not None:
        position = positions[index] if index < len(positions) else index + 1
        only = ("--attack", finding.attack_id, "--only-baseline", str(position))
        return shell((*command, *only))
    given = {
        "corpus": report.corpus,
        "tolerance": report.tolerance,
        "alpha": report.alpha,
        "direction": report.direction,
        "seed": report.seed,
        **report.settings,
    }
    options: dict[str, Any] = {"attacks": [finding.attack_id]}
    for name, usual in _USUAL.items():
        if given.get(name, usual) != usual:
            options[name] = given[name]
    shown = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return inert(f"run(target, [baselines[{index}]], {shown})")


def _section(title: str, rows: Iterable[str], total: int) -> Iterator[str]:
    yield ""
    yield from wrap(title)
    for shown, row in enumerate(rows):
        if shown == ROWS:
            yield f"  ... and {total - ROWS} more, all of them with --json"
            return
        yield from wrap(row, "  ", "      ")


def _confounded(probes: tuple[Confounded, ...]) -> Iterator[str]:
    if probes:
        alike = len({p.why for p in probes}) == 1  # then the title says it
        title = (
            f"confounded: {_count(len(probes), 'probe')} moved against plain filler but not"
            " against other words of the same shape; not counted"
        )
        rows = (
            f"{p.attack_id}: attack {number(p.attack_shift)}, filler {number(p.filler_shift)},"
            f" twin {number(p.twin_shift)} on {quoted(p.baseline, 40)}"
            f"{'' if alike else '; ' + p.why}"
            for p in probes
        )
        yield from _section(title, rows, len(probes))


def _undecided(probes: tuple[Undecided, ...]) -> Iterator[str]:
    if probes:
        rows = (
            f"{p.attack_id} ({p.direction})"
            f"{'' if p.baseline is None else ' on ' + quoted(p.baseline, 40)}: {p.why}"
            for p in probes
        )
        title = f"undecided: {len(probes)}, neither moved nor held"
        yield from _section(title, rows, len(probes))


def _unscorable(probes: tuple[UnscorableProbe, ...]) -> Iterator[str]:
    if not probes:
        return
    stages = [p.stage for p in probes]
    title = "unscorable: " + ", ".join(
        _count(stages.count(stage), f"{stage} reading")
        for stage in ("baseline", "control", "attack")
        if stage in stages
    )
    disabled = sum(p.disables for p in probes)
    if disabled:
        title += f"; in {disabled} the payload disables a judge that scored the clean text"
    rows = (
        f"{p.attack_id or p.stage} on {quoted(p.baseline, 40)}: {p.reason}: {p.detail[:300]}"
        for p in probes
    )
    yield from _section(title, rows, len(probes))


def _hits(row: FlipRow) -> tuple[int, ...]:
    sides = (row.fail_to_pass, row.control_fail_to_pass, row.pass_to_fail, row.control_pass_to_fail)
    return tuple(side.hits for side in sides)


def _flips(report: Report) -> Iterator[str]:
    rows = [r for r in report.flips if r.level == "family" and any(_hits(r))]
    if rows:
        lines = (
            f"{r.name}: fail to pass {r.fail_to_pass.hits} of {r.fail_to_pass.n}"
            f" (controls {r.control_fail_to_pass.hits} of {r.control_fail_to_pass.n}),"
            f" pass to fail {r.pass_to_fail.hits} of {r.pass_to_fail.n}"
            f" (controls {r.control_pass_to_fail.hits} of {r.control_pass_to_fail.n})"
            for r in rows
        )
        yield from _section("flips:", lines, len(rows))


def _baselines(report: Report, positions: Sequence[int]) -> Iterator[str]:
    if not report.baselines:
        return
    yield ""
    yield "baselines:"
    for row in report.baselines[:ROWS]:
        index = row.baseline_index
        position = positions[index] if index < len(positions) else index + 1
        scores = ", ".join(
            number(v, sign=False) if len(row.values) == 1 else f"{k} {number(v, sign=False)}"
            for k, v in row.values.items()
        )
        line = f"  {position}  scored {clip(inert(scores or 'nothing'), 50)}"
        yield f"{line}  {quoted(row.baseline, WIDTH - columns(line) - 2)}"
    if len(report.baselines) > ROWS:
        yield f"  ... and {len(report.baselines) - ROWS} more"


def _closing(report: Report) -> Iterator[str]:
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
        f"{_count(report.calls, 'judge call')}, corpus {', '.join(report.corpus)},"
        f" tolerance {report.tolerance:g}, seed {report.seed}"
    )
