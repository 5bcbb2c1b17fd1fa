"""Compare two reports: match their findings, and say what cannot be said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..core.report import Finding, FlipRow, Rate, Report
from ..core.stats import wilson
from ..errors import UsageError
from .intervals import mean_difference, rate_difference
from .records import Change, Comparison, Drift, RateChange
from .settings import obstacles, remarks, shared_baselines

Key = tuple[str, str, str, str]


def key_of(finding: Finding) -> Key:
    """Return what makes a finding the same in two reports, whatever their order."""
    return finding.attack_id, finding.baseline, finding.channel, finding.direction


def marked(report: Report, known: Report) -> Report:
    """Return a report whose findings say whether another report lacks them (``new``)."""
    seen = {(key_of(f), f.placement) for f in known.findings}
    findings = (replace(f, new=(key_of(f), f.placement) not in seen) for f in report.findings)
    return replace(report, findings=tuple(findings))


def compare(before: Report, after: Report) -> Comparison:
    """Compare two reports; raises UsageError when they tell of scans too different for it."""
    found = obstacles(before, after)
    if found:
        raise UsageError(f"not comparable: {'; '.join(found)}")
    old = {key_of(f): f for f in before.findings}
    now = {key_of(f): f for f in after.findings}
    why_not = _Unmeasured(after)
    fixed: list[Change] = []
    unmeasured: list[Change] = []
    confounded: list[Change] = []
    for key, finding in old.items():
        if key in now:
            continue
        why = why_not.why(finding)
        change = _change(finding, None, why)
        if why == "confounded":
            confounded.append(change)
        else:
            (unmeasured if why else fixed).append(change)
    earlier = _Unmeasured(before)
    new = [_change(None, f, earlier.why(f)) for key, f in now.items() if key not in old]
    both = [_change(f, now[key]) for key, f in old.items() if key in now]
    undecided = any(u.attack_id != "*" for u in after.undecided)
    texts = shared_baselines(before, after)
    return Comparison(
        notes=tuple(remarks(before, after)),
        fixed=tuple(fixed),
        new=tuple(new),
        unchanged=tuple(both),
        open=tuple(unmeasured),
        confounded=tuple(confounded),
        moved=_moved(before, after),
        flips=tuple(_flips(before, after)),
        excess=tuple(_excess(both)),
        drift=tuple(_drift(before, after, texts)),
        measured=not (unmeasured or undecided or after.unscorable)
        and after.verdict != "inconclusive",
    )


def _change(before: Finding | None, after: Finding | None, why: str = "") -> Change:
    one = after or before
    assert one is not None
    return Change(*(one.attack_id, one.family, one.baseline, one.channel, one.direction),
                  before=before, after=after, why=why)  # fmt: skip


class _Unmeasured:
    """Why a probe that is no finding of a report is not shown to hold there, if it is not."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._baselines = {b.baseline for b in report.baselines}
        self._undecided: set[tuple[str, str | None, str, str]] = set()
        for u in report.undecided:
            for way in ("up", "down") if u.direction == "both" else (u.direction,):
                self._undecided.add((u.attack_id, u.baseline, u.channel, way))
        self._unscorable = {
            (None if p.stage == "baseline" else p.attack_id, p.baseline)
            for p in report.unscorable
            if p.stage != "control"
        }
        self._confounded = {(c.attack_id, c.baseline, c.channel) for c in report.confounded}
        # nothing was scanned at all: the judge was shown to be unable before
        self._nothing = report.verdict == "inconclusive" and not (
            report.unscorable or any(u.attack_id != "*" for u in report.undecided)
        )

    def why(self, finding: Finding) -> str:
        """Return the reason in words, "" when the probe was measured and held."""
        report, attack, text = self._report, finding.attack_id, finding.baseline
        channel, way = finding.channel, finding.direction
        if text not in self._baselines:
            return "its baseline was not scanned"
        if report.attacks and attack not in report.attacks:
            return "its payload was not scanned"
        if report.channels and channel not in report.channels:
            return "its channel was not scored"
        if report.direction not in ("both", way):
            return f"only moves {report.direction} were looked for"
        if {(None, text), (attack, text)} & self._unscorable:
            return "unscorable"
        if {(attack, None, channel, way), (attack, text, channel, way)} & self._undecided:
            return "undecided"
        if ("*", text, channel, way) in self._undecided:
            return "no room to move"
        if self._nothing:
            return "the scan is inconclusive"
        if (attack, text, channel) in self._confounded:
            return "confounded"
        return ""


def _moved(before: Report, after: Report) -> RateChange | None:
    def share(report: Report) -> Rate:
        hits = len({(f.attack_id, f.baseline_index) for f in report.findings})
        n = max(report.probe_count, hits)
        return Rate(hits, n, *wilson(hits, n))

    one, other = share(before), share(after)
    change = rate_difference(one, other)
    return None if change is None else RateChange("probes that moved", one, other, change)


def _flips(before: Report, after: Report) -> Iterable[RateChange]:
    """Yield the flip rates of both reports, families together, attacks and controls apart."""
    if before.settings.get("pass_mark") != after.settings.get("pass_mark"):
        return
    sides = {
        "fail to pass": ("fail_to_pass", "control_fail_to_pass"),
        "pass to fail": ("pass_to_fail", "control_pass_to_fail"),
    }
    channels = [c for c in before.channels if c in after.channels]
    for channel in channels:
        of = f" on channel {channel}" if len(channels) > 1 else ""
        for said, names in sides.items():
            for name, whose in zip(names, ("payloads", "controls"), strict=True):
                one, other = (_pooled(r.flips, channel, name) for r in (before, after))
                change = rate_difference(one, other)
                if change is not None:
                    yield RateChange(f"{said}, {whose}{of}", one, other, change)


def _pooled(rows: Iterable[FlipRow], channel: str, name: str) -> Rate:
    rates = [getattr(r, name) for r in rows if r.level == "family" and r.channel == channel]
    hits, n = sum(r.hits for r in rates), sum(r.n for r in rates)
    return Rate(hits, n, *wilson(hits, n))


def _excess(both: list[Change]) -> Iterable[Drift]:
    pairs: dict[str, list[tuple[float, float]]] = {}
    for change in both:
        if change.before and change.after:
            pair = (change.before.excess, change.after.excess)
            pairs.setdefault(change.channel, []).append(pair)
    for channel, values in pairs.items():
        yield _drifted(channel, "excess", values)


def _drift(before: Report, after: Report, texts: set[str]) -> Iterable[Drift]:
    """Yield what the baselines, and neutral text added to them, scored in both reports."""
    olds = {b.baseline: b for b in before.baselines}
    news = {b.baseline: b for b in after.baselines}
    shared = [text for text in olds if text in texts]
    for channel in (c for c in before.channels if c in after.channels):
        for what, field in (("baselines", "values"), ("controls", "controls")):
            rows = [(getattr(olds[t], field), getattr(news[t], field)) for t in shared]
            pairs = [(o[channel], n[channel]) for o, n in rows if channel in o and channel in n]
            if pairs:
                yield _drifted(channel, what, pairs)


def _drifted(channel: str, what: str, pairs: list[tuple[float, float]]) -> Drift:
    old, new = (sum(side) / len(pairs) for side in zip(*pairs, strict=True))
    return Drift(channel, what, old, new, mean_difference(pairs))
