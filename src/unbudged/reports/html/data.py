"""What the page's script draws from: every list of a report, each text once, nothing raw."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from ...core.report import Finding, Report
from ..inert import inert
from ..plain import plain
from .marked import Pieces, differing, shown

T = TypeVar("T", bound=Hashable)

#: characters of a baseline in a table row; the details have it all
SHORT = 120


class _Once(Generic[T]):
    """Values in the order they came, each once, known by number."""

    def __init__(self) -> None:
        self.places: dict[T, int] = {}

    def __call__(self, value: T) -> int:
        return self.places.setdefault(value, len(self.places))


class _Texts:
    """The texts of a report in pieces, and the comparisons already made."""

    def __init__(self) -> None:
        self.pieces: _Once[Pieces] = _Once()
        self._plain: dict[str, int] = {}
        self._pairs: dict[tuple[str, str], tuple[int, int]] = {}

    def alone(self, text: str) -> int:
        if text not in self._plain:
            self._plain[text] = self.pieces(shown(text))
        return self._plain[text]

    def beside(self, payload: str, other: str) -> tuple[int, int]:
        pair = (payload, other)
        if pair not in self._pairs:
            one, two = differing(payload, other)
            self._pairs[pair] = (self.pieces(one), self.pieces(two))
        return self._pairs[pair]


def page_data(report: Report) -> dict[str, Any]:
    """Return plain data: numbers, and strings in which every hidden character is an escape."""
    texts = _Texts()
    families: _Once[str] = _Once()
    attacks: _Once[str] = _Once()
    channels: _Once[str] = _Once()
    evidence: _Once[str] = _Once()
    fixes: dict[int, str] = {}
    given: dict[int, str] = {row.baseline_index: row.baseline for row in report.baselines}

    def finding(f: Finding) -> dict[str, Any]:
        payload, twin, filler = texts.alone(f.payload), None, None
        if f.twin is not None:
            payload, twin = texts.beside(f.payload, f.twin)
        if f.filler is not None:
            filler = texts.beside(f.payload, f.filler)[1]
        family = families(f.family)
        if f.fix:
            fixes.setdefault(family, f.fix)
        given.setdefault(f.baseline_index, f.baseline)
        return {
            "a": attacks(f.attack_id), "f": family, "b": f.baseline_index,
            "c": channels(f.channel), "as": f.attack_shift, "cs": f.control_shift,
            "x": f.excess, "d": f.direction, "fl": f.flipped, "pl": inert(f.placement),
            "k": f.kind, "e": evidence(f.evidence.sentence), "real": f.evidence.real,
            "p": payload, "t": twin, "o": filler, "r": list(plain(f.readings).values()),
            "n": bool(f.new), "s": None if f.plain is None else texts.alone(f.plain),
            "how": inert(f.encoding or ""),
        }

    data: dict[str, Any] = {
        "findings": [finding(f) for f in report.findings],
        "confounded": [
            {
                "a": attacks(p.attack_id), "f": families(p.family), "b": p.baseline_index,
                "c": channels(p.channel), "as": p.attack_shift, "os": p.filler_shift,
                "ts": p.twin_shift, "why": inert(p.why),
            }
            for p in report.confounded
        ],
        "undecided": [
            {
                "a": attacks(u.attack_id), "f": families(u.family), "b": u.baseline_index,
                "c": channels(u.channel), "d": u.direction, "why": inert(u.why),
            }
            for u in report.undecided
        ],
        "unscorable": [
            {
                "a": None if p.attack_id is None else attacks(p.attack_id),
                "f": None if p.family is None else families(p.family), "b": p.baseline_index,
                "stage": p.stage, "reason": inert(p.reason),
                # a strong or weak answer of the contrast is no baseline of the page
                "why": inert(p.detail if p.baseline_index is not None
                             else f"{p.detail} (on {p.baseline[:SHORT]!r})"),
                "off": p.disables,
            }
            for p in report.unscorable
        ],
        "maps": [
            {
                "c": channels(m.channel), "a": [attacks(a) for a in m.attacks],
                "f": [families(f) for f in m.families], "x": m.excess,
                # the baseline of each column: a search leaves some out
                "b": [row.baseline_index for row in report.baselines],
            }
            for m in report.maps
        ],
    }
    given |= {p.baseline_index: p.baseline for p in report.confounded} | given
    for p in report.unscorable:
        if p.baseline_index is not None:
            given.setdefault(p.baseline_index, p.baseline)
    for u in report.undecided:
        if u.baseline_index is not None:
            given.setdefault(u.baseline_index, u.baseline or "")
    scores = {row.baseline_index: row for row in report.baselines}
    data["baselines"] = {
        str(index): {
            "s": inert(text[:SHORT]) + ("…" if len(text) > SHORT else ""),
            "t": texts.alone(text),
            "id": None if index not in scores or scores[index].baseline_id is None
            else inert(str(scores[index].baseline_id)),
            "v": {inert(k): v for k, v in scores[index].values.items()} if index in scores else {},
        }
        for index, text in sorted(given.items())
    }
    scale = report.settings.get("scale")
    data |= {
        "families": [inert(name) for name in families.places],
        "fixes": {str(family): inert(fix) for family, fix in fixes.items()},
        "attacks": [inert(name) for name in attacks.places],
        "channels": [inert(name) for name in channels.places],
        "evidence": [inert(sentence) for sentence in evidence.places],
        "texts": list(texts.pieces.places),
        "scale": scale if _is_scale(scale) else None,
        "mark": report.settings.get("pass_mark"),
    }
    return dict(plain(data))


def _is_scale(scale: object) -> bool:
    return (
        isinstance(scale, (list, tuple))
        and len(scale) == 2
        and all(isinstance(end, (int, float)) for end in scale)
    )
