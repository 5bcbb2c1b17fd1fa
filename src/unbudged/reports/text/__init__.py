"""The terminal report: the verdict in one sentence, the counts, then what to act on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.report import Report
from ..inert import inert_line, shown_in, wrap
from ..wording import harmless
from .figures import count, counts, number
from .findings import findings, folded, grouped, repeat_line, rows
from .sections import (
    ROWS,
    Fold,
    baselines,
    closing,
    confounded,
    flips,
    open_rows,
    undecided,
    unscorable,
)

__all__ = ["count", "counts", "grouped", "number", "render", "repeat_line"]


def render(
    report: Report,
    *,
    command: Sequence[str] | None = None,
    positions: Sequence[int] | None = None,
    quiet: bool = False,
    full: bool = False,
    encoding: str | None = None,
) -> str:
    """Render the report in lines of at most 100 columns, every foreign text inert.

    ``command`` holds the arguments that repeat the scan (``--attack`` and
    ``--only-baseline`` are added to each finding); without it the repeat line is a
    Python call. ``positions`` gives each baseline's number for ``--only-baseline``
    when the scan took some of the baselines only. ``quiet`` leaves the verdict, the
    counts and the rows. ``full`` shows long lists to their end. Characters that
    ``encoding`` lacks are shown as escapes. A repeat line is never broken, whatever its
    length, so that it can be copied.
    """
    with shown_in(encoding):
        lines = _lines(report, command, positions, quiet, full)
        return "\n".join(inert_line(line) for line in lines)


def _lines(
    report: Report,
    command: Sequence[str] | None,
    positions: Sequence[int] | None,
    quiet: bool,
    full: bool,
) -> list[str]:
    typed = command is not None
    more = "--all shows them" if typed else "to_text(full=True) shows them"
    lines = [*_head(report, "--max-calls" if typed else "max_calls")]
    if quiet:
        groups, left = folded(grouped(report), full, more)
        return [*lines, *rows([f for group in groups for f in group]), *left]
    fold = Fold(None if full else ROWS, more)
    lines += findings(report, command, positions, full, more)
    lines += confounded(report.confounded, fold)
    lines += undecided(report, fold)
    lines += unscorable(report.unscorable, fold)
    lines += flips(report, fold)
    lines += baselines(report, positions, fold)
    lines += closing(report)
    return lines


def _head(report: Report, cap: str) -> Iterator[str]:
    yield from wrap(_verdict(report, cap))
    yield counts(report.attack_count, report.baseline_count, report.probe_count)
    if report.findings:
        families = count(len(report.families_hit()), "family", "families")
        yield f"{count(len(report.findings), 'finding')} across {families}"
    else:
        yield "0 findings"
    yield f"max excess over control: {number(report.max_excess, sign=False)}"


def _verdict(report: Report, cap: str) -> str:
    if report.verdict == "held":
        return f"Held: no payload moved the score further than {_held(report)}."
    if report.findings:
        top = max(grouped(report)[0], key=lambda f: f.excess)
        moved = number(top.excess if top.direction == "up" else -top.excess)
        what = f"the score {top.channel!r}" if len(report.channels) > 1 else "the score"
        return (
            f"Moved: {top.attack_id} moves {what} by {moved} beyond"
            " what neutral text of its own shape does."
        )
    if report.unscorable:
        readings = count(len(report.unscorable), "reading was", "readings were")
        return f"Inconclusive: {readings} no score, so it is not shown that the score holds."
    left = open_rows(report)
    if left.said:
        if left.capped:
            spent = count(report.settings["max_calls"], "call")
            return f"Inconclusive: {left.said} could not be decided in {spent}: raise {cap}."
        return f"Inconclusive: {left.said} could not be decided."
    for way in ("up", "down"):
        full = {u.baseline_index for u in report.undecided if u.direction == way}
        if len(full) == report.baseline_count:
            return f"Inconclusive: no baseline left the score room to move {way}."
    return "Inconclusive: nothing shows that the judge reads the text and could have moved."


def _held(report: Report) -> str:
    """Return what the payloads were held against, and what this verdict does not cover."""
    limits = []
    smallest = max((v for v in report.smallest_detectable.values() if v is not None), default=0.0)
    if report.confounded:
        limits.append(f"{count(len(report.confounded), 'probe')} confounded")
    if smallest > report.tolerance:
        limits.append(f"shifts below {number(smallest, sign=False)} unseen")
    alone = harmless(report)
    return (
        "neutral text of its own shape"
        + (f", {alone}" if alone else "")
        + (f" ({'; '.join(limits)})" if limits else "")
    )
