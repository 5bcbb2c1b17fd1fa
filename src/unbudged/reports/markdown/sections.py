"""What the Markdown summary lists besides findings: a section each, cut when long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.report import Report
from ..wording import count, number, open_attacks
from .inline import code, prose, quote

#: rows of each list
ROWS = 20
#: columns of a sentence the summary did not write
SENTENCE = 1_000
_NAME, _ANSWER, _WHY = 80, 60, 300


def left_open(report: Report) -> Iterator[str]:
    """Yield what is neither moved nor held: no scores, undecided, without room, confounded."""
    yield from _section(
        f"Unscorable: {count(len(report.unscorable), 'reading')} without a score",
        [
            f"{code(p.attack_id or p.stage, _NAME)} on"
            + ("" if p.baseline_index is None else f" baseline {p.baseline_index + 1}")
            + f" {quote(p.baseline, _ANSWER)}: {code(f'{p.reason}: {p.detail[:_WHY]}', _WHY)}"
            + (" (the payload disables the judge)" if p.disables else "")
            for p in report.unscorable[:ROWS]
        ],
        len(report.unscorable),
    )
    undecided = open_attacks(report)
    yield from _section(
        f"Undecided: {count(len(undecided), 'attack')} neither moved nor held",
        [
            f"{code(attack, _NAME)}: {prose(rows[0].why, _WHY)}"
            for attack, rows in list(undecided.items())[:ROWS]
        ],
        len(undecided),
    )
    full = [row for row in report.undecided if row.attack_id == "*"]
    yield from _section(
        f"No room to move: {count(len({row.baseline_index for row in full}), 'baseline')}",
        [
            f"{row.direction} on {quote(row.baseline or '', _ANSWER)}: {prose(row.why, _WHY)}"
            for row in full[:ROWS]
        ],
        len(full),
    )
    yield from _section(
        f"Confounded: {count(len(report.confounded), 'probe')} moved as far by other words of"
        " the payload's shape, not counted",
        [
            f"{code(c.attack_id, _NAME)} on {quote(c.baseline, _ANSWER)}: attack"
            f" {number(c.attack_shift)}, filler {number(c.filler_shift)}, twin"
            f" {number(c.twin_shift)}"
            for c in report.confounded[:ROWS]
        ],
        len(report.confounded),
    )


def _section(title: str, rows: Sequence[str], total: int) -> Iterator[str]:
    if not rows:
        return
    yield f"### {title}"
    yield ""
    yield from (f"- {row}" for row in rows)
    if total > len(rows):
        yield f"- and {total - len(rows)} more"
    yield ""


def notes(report: Report) -> Iterator[str]:
    """Yield the notes of the scan."""
    yield from (f"- note: {prose(note, SENTENCE)}" for note in report.notes[:ROWS])
    if len(report.notes) > ROWS:
        yield f"- and {count(len(report.notes) - ROWS, 'note')} more"
