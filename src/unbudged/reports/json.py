"""The report as one strict JSON document, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..core.report import (
    BaselineScore,
    Confounded,
    Evidence,
    ExcessMap,
    Finding,
    FlipRow,
    Rate,
    Readings,
    Report,
    Undecided,
    UnscorableProbe,
)
from ..errors import UsageError
from .plain import plain

SCHEMA_VERSION = 1

#: derived values a reader should not have to compute again
_DERIVED = ("ok", "max_excess", "families_hit")
_RATES = ("fail_to_pass", "control_fail_to_pass", "pass_to_fail", "control_pass_to_fail", "any_of")
_RECORDS: dict[str, type[Any]] = {
    "confounded": Confounded,
    "undecided": Undecided,
    "unscorable": UnscorableProbe,
    "baselines": BaselineScore,
    "maps": ExcessMap,
}
#: what reports had not yet when they were first written: a reader finds the default
_YOUNGER: dict[str, Any] = {"maps": []}


def render(report: Report, *, indent: int | None = 2) -> str:
    """Render the whole report as one JSON document described by ``report.schema.json``.

    The document is ASCII, so that every payload, lone surrogates included, comes back
    exactly as it was; a number that is not finite becomes null.
    """
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "verdict": report.verdict,
        "ok": report.ok,
        "max_excess": plain(report.max_excess),
        "families_hit": list(report.families_hit()),
    }
    for field in fields(report):
        document[field.name] = plain(getattr(report, field.name))
    return json.dumps(document, indent=indent, ensure_ascii=True, allow_nan=False)


def report_from_json(text: str) -> Report:
    """Read a report that ``render`` wrote.

    Raises UsageError when the text is not JSON, is of another schema version, or lacks
    a field that reports always had. Lists come back as tuples.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"not a report: {problem}") from problem
    if not isinstance(document, dict):
        raise UsageError("not a report: the document is not an object")
    version = document.pop("schema_version", None)
    if version != SCHEMA_VERSION:
        raise UsageError(
            f"a report of schema version {version!r}; this release reads {SCHEMA_VERSION}"
        )
    for name in _DERIVED:
        document.pop(name, None)
    document = {**_YOUNGER, **document}
    try:
        document["findings"] = tuple(
            _record(
                Finding,
                {
                    **row,
                    "evidence": _record(Evidence, row["evidence"]),
                    "readings": _record(Readings, row.get("readings", {})),
                },
            )
            for row in document["findings"]
        )
        document["flips"] = tuple(
            _record(FlipRow, {**row, **{name: _record(Rate, row[name]) for name in _RATES}})
            for row in document["flips"]
        )
        for name, record in _RECORDS.items():
            document[name] = tuple(_record(record, row) for row in document[name])
        return Report(**{name: _frozen(value) for name, value in document.items()})
    except (KeyError, TypeError, AttributeError) as problem:
        raise UsageError(f"not a report: {type(problem).__name__}: {problem}") from problem


def _record(record: type[Any], row: Mapping[str, Any]) -> Any:
    return record(**{name: _frozen(value) for name, value in row.items()})


def _frozen(value: Any) -> Any:
    """Return lists as tuples, all the way down; records and scalars as they are."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value
