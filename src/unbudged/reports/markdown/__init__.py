"""The report as a Markdown summary for the page of a CI job: bounded in bytes, and inert."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.report import Finding, Report
from ..place import place_of
from ..wording import COUNTS_WORDS, FLIPS, count, grouped, news, number, signed, sizes, verdict
from .inline import cell, code, prose, quote
from .sections import ROWS, SENTENCE, left_open, notes

__all__ = ["LIMIT", "render"]

#: GitHub refuses a job summary of more than 1 MiB; some is left for the job's other steps
LIMIT = 1_000_000
#: columns of a foreign text
_NAME, _ANSWER, _PAYLOAD = 80, 60, 300


def render(report: Report, *, path: str | None = None, most: int = 50) -> str:
    """Render the summary: verdict, families, the worst findings, what to change, what is open.

    ``path`` is the target as the command takes it and stands in the title. At most ``most``
    attacks with findings are listed, those of the largest excess, fewer where the whole
    would be more than a million bytes of UTF-8; how many are not shown is said. Every
    foreign text is inert. The text ends with a line break and suits appending to a file.
    """
    groups = grouped(report)
    if any(f.new for f in report.findings):  # what a reviewer looks for comes first
        groups.sort(key=lambda group: not any(f.new for f in group))
    listed = min(most, len(groups))
    while True:
        blocks = (
            _head(report, path),
            _families(groups),
            _worst(report, groups, listed),
            _fixes(groups),
            _sent(groups[:listed]),
            left_open(report),
            notes(report),
        )
        text = "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block))) + "\n"
        if not listed or len(text.encode("utf-8")) <= LIMIT:
            return text
        listed //= 2


def _head(report: Report, path: str | None) -> Iterator[str]:
    what = report.target if path is None else place_of(path).file
    word, sentence = verdict(report)
    yield f"## unbudged: {code(what, _NAME)}"
    yield ""
    yield f"**{word}:** {sentence}"
    yield ""
    yield sizes(report)
    if (fresh := news(report)) is not None:
        yield ""
        yield fresh


def _families(groups: Sequence[Sequence[Finding]]) -> Iterator[str]:
    """Yield the table of families, the one with the largest excess first."""
    families: dict[str, list[Sequence[Finding]]] = {}
    for group in groups:
        families.setdefault(group[0].family, []).append(group)
    if not families:
        return
    yield "| Family | Payloads that move the score | Worst excess | Worst payload |"
    yield "|---|--:|--:|---|"
    for family, own in list(families.items())[:ROWS]:
        worst = _strongest(own[0])
        yield (
            f"| {cell(family, _NAME)} | {len(own)} | {signed(worst)} |"
            f" {cell(worst.attack_id, _NAME)} |"
        )
    if len(families) > ROWS:
        yield ""
        yield f"and {count(len(families) - ROWS, 'family', 'families')} more."


def _strongest(group: Sequence[Finding]) -> Finding:
    return max(group, key=lambda f: f.excess)


def _worst(report: Report, groups: Sequence[Sequence[Finding]], listed: int) -> Iterator[str]:
    """Yield a row for each of the first ``listed`` attacks, and how many are left out."""
    if not groups:
        return
    yield "### Worst payloads"
    yield ""
    if listed:
        yield "| Payload | Attack | Control | Excess | Baselines | What moves it |"
        yield "|---|--:|--:|--:|--:|---|"
    for group in groups[:listed]:
        worst = _strongest(group)
        moved = len({f.baseline_index for f in group})
        why = f"{worst.kind}; {FLIPS[worst.flipped]}" if worst.flipped else worst.kind
        fresh = len({f.baseline_index for f in group if f.new})
        if fresh:
            why = f"**new**{'' if fresh == moved else f' on {fresh}'}; {why}"
        yield (
            f"| {cell(worst.attack_id, _NAME)} | {number(worst.attack_shift)} |"
            f" {number(worst.control_shift)} | {signed(worst)} |"
            f" {moved} of {report.baseline_count} | {why} |"
        )
    if left := len(groups) - listed:
        rows = sum(len(group) for group in groups[listed:])
        yield ""
        yield (
            f"Not shown: {count(left, 'payload')} with a smaller excess"
            f" ({count(rows, 'finding')}); the JSON report has them all."
        )


def _fixes(groups: Sequence[Sequence[Finding]]) -> Iterator[str]:
    fixes = {f.family: f.fix for group in groups for f in group if f.fix}
    if not fixes:
        return
    yield "### What to change"
    yield ""
    if any(f.kind == "vocabulary" for group in groups for f in group):
        yield f"- All vocabulary findings: {COUNTS_WORDS}"
    for family, fix in list(fixes.items())[:ROWS]:
        yield f"- {code(family, _NAME)}: {prose(fix, SENTENCE)}"
    if len(fixes) > ROWS:
        yield f"- and {count(len(fixes) - ROWS, 'family', 'families')} more"


def _sent(groups: Sequence[Sequence[Finding]]) -> Iterator[str]:
    """Yield the payloads of the table, folded away."""
    if not groups:
        return
    yield "<details><summary>The payloads of the table</summary>"
    yield ""
    for group in groups:
        worst = _strongest(group)
        says = quote(worst.plain, _PAYLOAD) if worst.plain else ""
        yield (
            f"- {code(worst.attack_id, _NAME)} on baseline {worst.baseline_index + 1}"
            f" {quote(worst.baseline, _ANSWER)}: {quote(worst.payload, _PAYLOAD)}"
            + (f", which encodes {says} ({prose(worst.encoding or '', _NAME)})" if says else "")
        )
    yield ""
    yield "</details>"
