"""The terminal report: the verdict in one sentence, the counts, then what to act on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.report import Report
from ..inert import inert_line, shown_in, wrap
from ..wording import (
    BEYOND,
    found,
    grouped,
    held,
    inconclusive,
    largest,
    news,
    scanned,
    signed,
)
from .findings import findings, position, repeat_line, rows
from .folding import folded
from .sections import (
    ROWS,
    Fold,
    baselines,
    closing,
    confounded,
    flips,
    undecided,
    unscorable,
)

__all__ = ["position", "render", "repeat_line"]


def render(
    report: Report,
    *,
    command: Sequence[str] | None = None,
    positions: Sequence[int] | None = None,
    quiet: bool = False,
    by_family: bool = False,
    full: bool = False,
    encoding: str | None = None,
) -> str:
    """Render the report in lines of at most 100 columns, every foreign text inert.

    ``command`` holds the arguments that repeat the scan (``--attack`` and
    ``--only-baseline`` are added to each finding); without it the repeat line is a
    Python call. ``positions`` gives each baseline's number for ``--only-baseline``
    when the scan took some of the baselines only. ``quiet`` leaves the verdict, the
    counts and the rows. ``by_family`` shows of a family with many findings those of its
    strongest attack and new ones, and counts the rest. ``full`` shows every list to its end.
    Characters that ``encoding`` lacks are shown as escapes. A repeat line is never broken,
    whatever its length, so that it can be copied.
    """
    with shown_in(encoding):
        lines = _lines(report, command, positions, quiet, by_family, full)
        return "\n".join(inert_line(line) for line in lines)


def _lines(
    report: Report,
    command: Sequence[str] | None,
    positions: Sequence[int] | None,
    quiet: bool,
    by_family: bool,
    full: bool,
) -> list[str]:
    typed = command is not None
    more = "--all shows them" if typed else "to_text(full=True) shows them"
    lines = [*_head(report, "--max-calls" if typed else "max_calls")]
    if quiet:
        parts, left = folded(grouped(report), by_family=False, full=full, more=more)
        return [*lines, *rows([f for part in parts for _, f in part.rows]), *left]
    fold = Fold(None if full else ROWS, more)
    lines += findings(report, command, positions, by_family, full, more)
    lines += confounded(report.confounded, fold)
    lines += undecided(report, fold)
    lines += unscorable(report.unscorable, fold)
    lines += flips(report, fold)
    lines += baselines(report, positions, fold)
    lines += closing(report)
    return lines


def _head(report: Report, cap: str) -> Iterator[str]:
    yield from wrap(_verdict(report, cap))
    yield scanned(report)
    yield found(report)
    yield largest(report)
    if (fresh := news(report)) is not None:
        yield fresh


def _verdict(report: Report, cap: str) -> str:
    if report.verdict == "held":
        return f"Held: {held(report)}"
    if not report.findings:
        return f"Inconclusive: {inconclusive(report, cap)}"
    top = max(grouped(report)[0], key=lambda f: f.excess)
    what = f"the score {top.channel!r}" if len(report.channels) > 1 else "the score"
    return f"Moved: {top.attack_id} moves {what} by {signed(top)} {BEYOND}."
