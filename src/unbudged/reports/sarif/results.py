"""One SARIF result per finding, and fingerprints that outlive order, machine and run."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...core.report import Finding
from ..inert import inert, quoted
from ..wording import FLIPS, encodes, name, number, shown

#: characters of a payload or a baseline that a result carries
TEXT = 2_000


def message_text(text: str) -> str:
    """Return ``text`` inert where viewers look for links and placeholders in messages.

    SARIF gives ``[words](target)`` and ``{0}`` a meaning even in plain text.
    """
    for char in "[]{}":
        text = text.replace(char, f"\\x{ord(char):02x}")
    return text


def result(
    finding: Finding, rule: int, fingerprint: str, locations: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the result of a finding; ``rule`` is the place of its family among the rules."""
    return {
        "ruleId": name(finding.family),
        "ruleIndex": rule,
        "level": _level(finding),
        "message": {"text": message_text(_message(finding))},
        "locations": locations,
        # GitHub joins the first with rule and file; the second is for everyone else.
        "partialFingerprints": {
            "primaryLocationLineHash": fingerprint,
            "unbudgedFinding/v1": fingerprint,
        },
        "properties": {
            "attack": name(finding.attack_id),
            "family": name(finding.family),
            "kind": finding.kind,
            "direction": finding.direction,
            "channel": name(finding.channel),
            "placement": name(finding.placement),
            "attackShift": _finite(finding.attack_shift),
            "controlShift": _finite(finding.control_shift),
            "excess": _finite(finding.excess),
            "flipped": finding.flipped,
            "baselineNumber": finding.baseline_index + 1,
            "baseline": _text(finding.baseline),
            "payload": _text(finding.payload),
            **({"encodes": _text(finding.plain)} if finding.plain else {}),
            "evidence": {
                "real": _finite(finding.evidence.real),
                "beyond": _finite(finding.evidence.beyond),
                "contexts": finding.evidence.contexts,
                "twins": finding.evidence.twins,
                "sentence": shown(finding.evidence.sentence, 500),
            },
        },
    }


def _level(finding: Finding) -> str:
    """Return "error" for a move an author gains by, as far as the report can tell."""
    if finding.flipped is not None:
        return "error" if finding.flipped == "fail_to_pass" else "warning"
    return "error" if finding.direction == "up" else "warning"


def _message(finding: Finding) -> str:
    flip = f" and {FLIPS[finding.flipped]}" if finding.flipped else ""
    says = encodes(finding, 200)
    return (
        f"{name(finding.attack_id)} moves the score by {number(finding.attack_shift)}, neutral text"
        f" of its shape by {number(finding.control_shift)}{flip}, on baseline"
        f" {finding.baseline_index + 1} {quoted(finding.baseline, 60)}."
        f" Payload: {quoted(finding.payload, 200)}" + (f", which encodes {says}" if says else "")
    )


def _text(text: str) -> str:
    """Return the start of a text as it is, or inert where it is no well-formed Unicode."""
    kept = text if len(text) <= TEXT else text[:TEXT] + "..."
    try:
        kept.encode("utf-8")
    except UnicodeEncodeError:
        return inert(kept)
    return kept


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def fingerprints(findings: Sequence[Finding], target: str) -> list[str]:
    """Return one fingerprint per finding, all of them different.

    Each hashes what makes the finding the same one tomorrow: target, attack, channel,
    direction, placement, and the baseline's id and text; neither figures nor the place in
    a list. Baselines alike in all of these are told apart by a number behind the colon.
    """
    keys = [_key(finding, target) for finding in findings]
    order = sorted(range(len(findings)), key=lambda n: findings[n].baseline_index)
    seen: Counter[str] = Counter()
    numbered = {}
    for n in order:
        seen[keys[n]] += 1
        numbered[n] = f"{keys[n]}:{seen[keys[n]]}"
    return [numbered[n] for n in range(len(findings))]


def _key(finding: Finding, target: str) -> str:
    parts = (
        target,
        finding.attack_id,
        finding.channel,
        finding.direction,
        finding.placement,
        finding.baseline_id,
        finding.baseline,
    )
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:32]
