"""The report as SARIF 2.1.0, as code scanning services read it: a result per finding."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from ...core.report import Finding, Report
from ...version import VERSION
from ..place import Place, place_of
from ..wording import count, name, shown
from .notifications import KINDS, notification, notifications
from .results import fingerprints, message_text, result

__all__ = ["render"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
#: GitHub refuses a run with more results than this
RESULTS = 25_000


def render(report: Report, *, path: str | None = None, indent: int | None = 2) -> str:
    """Render one SARIF log with one run, its results ordered by excess.

    ``path`` is the target as the command takes it, ``file.py`` or ``file.py:name``. Each
    result then points at the line that defines the target, under a URI relative to the
    working directory; without it results have a logical location only, which GitHub does
    not show. Up moves, and flips from fail to pass, are errors, other moves warnings.
    What could not be measured is a notification of the invocation, and
    ``executionSuccessful`` is false then. At most 25,000 results are written; a
    notification says how many more there are. The document is ASCII and holds no lone
    surrogate.
    """
    place = None if path is None else place_of(path, [report.target])
    kept = report.findings[:RESULTS]
    families = {finding.family: finding for finding in reversed(kept)}
    index = {family: n for n, family in enumerate(sorted(families))}
    prints = fingerprints(kept, report.target)
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "unbudged",
                "version": VERSION,
                "semanticVersion": VERSION,
                "rules": [_rule(families[family]) for family in index],
                "notifications": [
                    {
                        "id": kind,
                        "shortDescription": {"text": meaning},
                        "fullDescription": {"text": meaning},
                        "help": {"text": what_to_do},
                    }
                    for kind, (meaning, what_to_do) in KINDS.items()
                ],
            }
        },
        "invocations": [_invocation(report, len(report.findings) - len(kept))],
        "columnKind": "unicodeCodePoints",
        "results": [
            result(finding, index[finding.family], mark, _locations(report, place))
            for finding, mark in zip(kept, prints, strict=True)
        ],
        "properties": dict(_properties(report)),
    }
    if place is not None:
        run["originalUriBaseIds"] = {
            "%SRCROOT%": {"description": {"text": "The folder the scan was started from."}}
        }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=indent, ensure_ascii=True, allow_nan=False)


def _rule(finding: Finding) -> dict[str, Any]:
    """Return the rule of a family, whose help is the fix every finding of it carries."""
    family = name(finding.family)
    told = message_text(f"Payloads of the family {family} move the score.")
    fix = shown(finding.fix, 2_000) or "The corpus names no fix for this family."
    return {
        "id": family,
        "shortDescription": {"text": told},
        "fullDescription": {
            "text": told + " Each finding moved it further than neutral text of its own shape did."
        },
        "help": {"text": message_text(fix)},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["security", "prompt-injection"]},
    }


def _locations(report: Report, place: Place | None) -> list[dict[str, Any]]:
    location: dict[str, Any] = {
        "logicalLocations": [{"name": name(report.target), "kind": "function"}]
    }
    if place is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(place.file), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": place.line},
        }
    return [location]


def _uri(file: str) -> str:
    from urllib.parse import quote

    # A colon in the first part would make a scheme of it.
    return quote(file.encode("utf-8", "surrogateescape" if _bytes_of(file) else "replace"))


def _bytes_of(file: str) -> bool:
    """Tell whether every lone surrogate stands for a byte of a name that is not UTF-8."""
    return all(not "\ud800" <= c <= "\udfff" or "\udc80" <= c <= "\udcff" for c in file)


def _invocation(report: Report, left_out: int) -> dict[str, Any]:
    told = list(notifications(report))
    if left_out:
        text = f"{count(left_out, 'finding')} with a smaller excess left out of this file"
        told.insert(0, notification("cut", "warning", text))
    invocation: dict[str, Any] = {
        "executionSuccessful": not report.unscorable and report.verdict != "inconclusive"
    }
    if told:
        invocation["toolExecutionNotifications"] = told
    return invocation


def _properties(report: Report) -> Iterator[tuple[str, Any]]:
    yield "verdict", report.verdict
    yield "attacks", report.attack_count
    yield "baselines", report.baseline_count
    yield "probes", report.probe_count
    yield "calls", report.calls
    yield "findings", len(report.findings)
    yield "seed", report.seed
    yield "alpha", report.alpha
    yield "tolerance", report.tolerance
    yield "direction", report.direction
    # A corpus given as a path is named without the folders of this machine.
    yield "corpus", [name(os.path.basename(os.path.normpath(c))) for c in report.corpus]
