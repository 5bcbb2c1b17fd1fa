"""The findings of the terminal report: rows by attack, why each is believed, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.report import Finding, Report
from ..inert import WIDTH, clip, columns, inert, quoted, shell, wrap
from ..wording import COUNTS_WORDS, FLIPS, encodes, grouped, number
from .folding import Row, folded, left_line

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
#: words of the evidence lines and what they stand for
_LEGEND = {
    "instruction": "text on marking that asks for nothing, or the payload's own words in another"
    " order, moves the score less",
    "vocabulary": "text on marking that asks for nothing, or the payload's own words in another"
    " order, moves the score as far, as in a keyword rubric",
    "contexts": "the answer as given, or with one neutral sentence more",
    "twin": "the payload's shape in other words",
}


def rows(findings: Sequence[Finding]) -> list[str]:
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
    lines = []
    for finding, cells in zip(findings, table, strict=True):
        row = "".join(
            f"  {cell}{' ' * (width - columns(cell))}"
            for cell, width in zip(cells, widths, strict=True)
        )
        mark = "  new" if finding.new else ""
        room = max(8, WIDTH - columns(row) - 5 - len(mark))
        lines.append(f"{row}  on {quoted(finding.baseline, room)}{mark}")
    return lines


def findings(
    report: Report,
    command: Sequence[str] | None,
    positions: Sequence[int] | None,
    by_family: bool,
    full: bool,
    more: str,
) -> Iterator[str]:
    """Yield the rows by attack, each with evidence, payload and repeat line; legend and fixes.

    Where rows are left out, those shown say their numbers in the whole list.
    """
    if not report.findings:
        return
    parts, left = folded(grouped(report), by_family=by_family, full=full, more=more)
    shown = iter(rows([f for part in parts for _, f in part.rows]))
    whole = sum(len(part.rows) for part in parts) == len(report.findings)
    yield ""
    for part in parts:
        alike: list[Row] = []
        for row, following in zip(part.rows, [*part.rows[1:], None], strict=True):
            yield next(shown)
            alike.append(row)
            if following is None or _ground(following[1]) != _ground(row[1]):
                why = _why(report, [f for _, f in alike], positions)
                numbers = "" if whole else f"{_numbered([n for n, _ in alike])}; "
                yield from wrap(numbers + why, "      ", "      ")
                alike = []
        yield f"      payload: {quoted(part.attack[0].payload, WIDTH - 15)}"
        if says := encodes(part.attack[0], WIDTH - 32):
            yield f"      encodes: {says}"
        yield f"      repeat: {repeat_line(report, part.attack, command, positions)}"
        if part.left:
            yield from left_line(part.left, more)
    yield from left
    yield ""
    said = {f.kind for f in report.findings} | {
        word for f in report.findings for word in _LEGEND if word in f.evidence.sentence
    }
    legend = "; ".join(f"{word}: {meaning}" for word, meaning in _LEGEND.items() if word in said)
    if legend:
        yield from wrap(legend)
    yield ""
    if any(f.kind == "vocabulary" for f in report.findings):
        yield from wrap(f"fix (all vocabulary findings): {COUNTS_WORDS}")
    for family, fix in {f.family: f.fix for group in grouped(report) for f in group}.items():
        if fix:
            yield from wrap(f"fix ({family}): {fix}")


def _numbered(numbers: Sequence[int]) -> str:
    """Return ``row 4``, ``rows 4-6`` or ``rows 4, 6``, as ``unbudged show`` counts them."""
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"rows {numbers[0]}-{numbers[-1]}"
    return f"rows {', '.join(map(str, numbers))}"


def _ground(finding: Finding) -> tuple[object, ...]:
    """Return what findings on several baselines share when one line explains them all."""
    return (
        finding.kind,
        finding.direction,
        finding.channel,
        finding.placement,
        finding.evidence.sentence,
    )


def _why(report: Report, alike: Sequence[Finding], positions: Sequence[int] | None) -> str:
    finding = alike[0]
    parts: list[str] = [finding.kind if finding.kind in _LEGEND else ""]
    parts.append("lowers the score" if finding.direction == "down" else "")
    if len(report.channels) > 1:
        parts.append(f"channel {finding.channel}")
    if finding.placement != "suffix":
        parts.append(f"placed as {finding.placement}")
    for flip, meaning in FLIPS.items():
        where = [position(f, positions) for f in alike if f.flipped == flip]
        if where:
            some = "" if len(where) == len(alike) else f" on baseline {', '.join(map(str, where))}"
            parts.append(meaning + some)
    parts.append(finding.evidence.sentence)
    return "; ".join(part for part in parts if part)


def position(finding: Finding, positions: Sequence[int] | None) -> int:
    """Return the number of a finding's baseline, as ``--only-baseline`` takes it."""
    return numbered(finding.baseline_index, positions)


def numbered(index: int, positions: Sequence[int] | None) -> int:
    """Return the number of a baseline, as ``--only-baseline`` takes it, by its index."""
    return positions[index] if positions and index < len(positions) else index + 1


def repeat_line(
    report: Report,
    group: Sequence[Finding],
    command: Sequence[str] | None,
    positions: Sequence[int] | None,
) -> str:
    """Return the command, or without one the Python call, that repeats findings of one attack."""
    attack, indexes = group[0].attack_id, sorted({f.baseline_index for f in group})
    if command is not None:
        numbers = sorted({position(f, positions) for f in group})
        # several moved: all of the scan's baselines, named where it took some of them only
        if len(numbers) > 1:
            numbers = list(positions or ())
            if report.settings.get("worst"):
                numbers = [numbered(b, positions) for b in _tested(report)]
        only = (part for n in numbers for part in ("--only-baseline", str(n)))
        return shell((*command, "--attack", attack, *only))
    given = {
        "corpus": report.corpus,
        "tolerance": report.tolerance,
        "alpha": report.alpha,
        "direction": report.direction,
        "seed": report.seed,
        **report.settings,
    }
    options: dict[str, Any] = {"attacks": [attack]}
    for name, usual in _USUAL.items():
        if given.get(name, usual) != usual:
            value = given[name]  # a report that was saved has tuples where it had lists
            options[name] = tuple(value) if isinstance(value, list) else value
    shown = ", ".join(f"{name}={value!r}" for name, value in options.items())
    if len(indexes) > 1 and report.settings.get("worst"):
        indexes = _tested(report)
        answers = f"[{', '.join(f'baselines[{b}]' for b in indexes)}]"
    else:
        answers = "baselines" if len(indexes) > 1 else f"[baselines[{indexes[0]}]]"
    return inert(f"run(target, {answers}, {shown})")


def _tested(report: Report) -> list[int]:
    """Return the indexes of the baselines that payloads were tested on."""
    return [row.baseline_index for row in report.baselines]
