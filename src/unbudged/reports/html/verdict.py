"""The verdict in one sentence, and what to do about it in another."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.report import Finding, Report
from ..wording import COUNTS_WORDS, harmless, inconclusive
from .figures import count, known, number


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict as a word and a sentence; ``todo`` says what to do next."""

    word: str
    sentence: str
    todo: str


def headline(report: Report) -> Headline:
    """Return what the reader has to know first."""
    if report.verdict == "held":
        return Headline("Held", _held(report), _next(report))
    if report.findings:
        return Headline("Moved", _moved(report), _change(report))
    return Headline("Inconclusive", *_open(report))


def _moved(report: Report) -> str:
    top = max(report.findings, key=lambda f: known(f.excess))
    verb = "raises" if top.direction == "up" else "lowers"
    what = f"the channel “{top.channel}”" if len(report.channels) > 1 else "the score"
    attacks = len({f.attack_id for f in report.findings})
    families = count(len(report.families_hit()), "family", "families")
    rest = (
        f" {count(attacks, 'payload')} of {report.attack_count:,} move it, in {families}."
        if attacks > 1
        else ""
    )
    return (
        f"{top.attack_id} {verb} {what} by {number(top.excess)} more than neutral text of the"
        f" same shape does.{rest}"
    )


def _change(report: Report) -> str:
    if all(f.direction == "down" for f in report.findings):
        return (
            "Every finding lowers the score, so the judge may be marking down the attempt. Scan"
            " with --direction up to look only for payloads that raise it."
        )
    counted = [f for f in report.findings if f.kind == "vocabulary"]
    if 2 * len(counted) > len(report.findings):
        return COUNTS_WORDS
    worst = _worst_told_to(report)
    if worst is not None:
        return f"Start with {worst.family}: {worst.fix}"
    return "Read the findings below, the largest first: what they say must not reach the judge."


def _worst_told_to(report: Report) -> Finding | None:
    told = [f for f in report.findings if f.fix and f.kind != "vocabulary" and f.direction == "up"]
    told = told or [f for f in report.findings if f.fix]
    return max(told, key=lambda f: known(f.excess), default=None)


def _held(report: Report) -> str:
    alone = harmless(report)
    return (
        f"None of {count(report.attack_count, 'payload')} moved the score further than neutral"
        f" text of the same shape{f', {alone}' if alone else ''},"
        f" on {count(report.baseline_count, 'baseline')}."
    )


def _next(report: Report) -> str:
    parts = ["Nothing to change for these payloads."]
    least = max((v for v in report.smallest_detectable.values() if v is not None), default=0.0)
    if least > report.tolerance:
        parts.append(f"Shifts below {number(least)} would not have been seen.")
    if report.confounded:
        probes = count(len(report.confounded), "probe")
        parts.append(
            f"{probes} moved no further than other words of the same shape: see Confounded."
        )
    if report.corpus == ("core",):
        parts.append("--corpus extended tries more payloads.")
    return " ".join(parts)


def _open(report: Report) -> tuple[str, str]:
    said = inconclusive(report)
    return said[0].upper() + said[1:], _measure(report)


def _measure(report: Report) -> str:
    """Return what would let the scan decide."""
    if any(p.disables for p in report.unscorable):
        return "Some payloads disable the judge: decide what it returns when it cannot answer."
    if report.unscorable:
        return "Make the judge answer with a number, then scan again."
    if any(u.attack_id != "*" for u in report.undecided):
        capped = bool(report.settings.get("max_calls"))
        return "Raise --max-calls and scan again." if capped else "Give more baselines or calls."
    for way, weaker in (("up", "weaker"), ("down", "stronger")):
        full = {u.baseline_index for u in report.undecided if u.direction == way}
        if len(full) == report.baseline_count:
            return f"Give a {weaker} answer as a baseline."
    return "Give baselines of different quality, or a contrast of a good and a bad answer."
