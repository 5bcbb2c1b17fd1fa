"""What a scan could not measure, as notifications of the SARIF invocation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.report import Report, UnscorableProbe
from ..inert import quoted
from ..wording import count, name, open_attacks, shown, verdict
from .results import message_text

#: kinds of notification: what each means, and what to do
KINDS = {
    "inconclusive": (
        "The scan could not tell whether the score holds.",
        "See what the other notifications and notes name, and scan again.",
    ),
    "unscorable": (
        "A reading was no score.",
        "Have the judge return a finite number for every text, the attacked ones included.",
    ),
    "undecided": (
        "An attack was neither shown to move the score nor to leave it.",
        "Allow more calls, or give more baselines.",
    ),
    "no-room": (
        "A baseline already stood at the end of the scale.",
        "Add a weaker answer to see whether a payload adds to it, a stronger one for the"
        " other direction.",
    ),
    "confounded": (
        "Words of the payload's own shape move the score as far; not counted.",
        "Make the score depend less on shape, length or numbers, if that matters to you.",
    ),
    "note": ("A remark on the scan.", "Read it beside the verdict."),
    "cut": (
        "Something was left out because there was too much of it.",
        "The JSON report holds everything.",
    ),
}
#: notifications of one kind that are written out
MOST = 500


def notifications(report: Report) -> Iterator[dict[str, Any]]:
    """Yield the notifications, at most ``MOST`` a kind, the gravest kinds first."""
    if report.verdict == "inconclusive":
        yield notification("inconclusive", "warning", ": ".join(verdict(report)))
    yield from _cut("unscorable", "error", [_unscorable(probe) for probe in report.unscorable])
    rows = [
        f"{name(attack)} undecided: {shown(why, 300)}"
        for attack, left in open_attacks(report).items()
        for why in dict.fromkeys(row.why for row in left)
    ]
    yield from _cut("undecided", "warning", rows)
    rows = [
        f"no room to move {u.direction} on {quoted(u.baseline or '', 60)}: {shown(u.why, 300)}"
        for u in report.undecided
        if u.attack_id == "*"
    ]
    yield from _cut("no-room", "note", rows)
    rows = [
        f"{name(c.attack_id)} on {quoted(c.baseline, 60)}: {shown(c.why, 300)}"
        for c in report.confounded
    ]
    yield from _cut("confounded", "note", rows)
    yield from _cut("note", "note", [shown(note, 1_000) for note in report.notes])


def _unscorable(probe: UnscorableProbe) -> str:
    what = name(probe.attack_id or probe.stage)
    said = f"{what} on {quoted(probe.baseline, 60)}: {name(probe.reason)}: "
    said += shown(probe.detail, 300)
    return said + (" (the payload disables the judge)" if probe.disables else "")


def _cut(kind: str, level: str, texts: list[str]) -> Iterator[dict[str, Any]]:
    for text in texts[:MOST]:
        yield notification(kind, level, text)
    if len(texts) > MOST:
        left = count(len(texts) - MOST, f"more {kind} notification")
        yield notification("cut", level, f"{left} left out of this file")


def notification(kind: str, level: str, text: str) -> dict[str, Any]:
    """Return one notification of a kind of ``KINDS``."""
    return {
        "descriptor": {"id": kind, "index": list(KINDS).index(kind)},
        "level": level,
        "message": {"text": message_text(text)},
    }
