"""The report as one strict JSON document, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
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
#: lists of the document, and the records they hold
_RECORDS: dict[str, type[Any]] = {
    "findings": Finding,
    "flips": FlipRow,
    "confounded": Confounded,
    "undecided": Undecided,
    "unscorable": UnscorableProbe,
    "baselines": BaselineScore,
    "maps": ExcessMap,
}
#: keys of those that hold a record of their own
_INNER: dict[type[Any], dict[str, type[Any]]] = {
    Finding: {"evidence": Evidence, "readings": Readings},
    FlipRow: dict.fromkeys(
        ("fail_to_pass", "control_fail_to_pass", "pass_to_fail", "control_pass_to_fail", "any_of"),
        Rate,
    ),
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
        raise UsageError(f"not a report: {_broken(text, problem)}") from problem
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
    for name, record in _RECORDS.items():
        document[name] = _records(name, document.get(name), record)
    made: Report = _record("the document", Report, document)
    return made


def _broken(text: str, problem: Exception) -> str:
    """Say where a text stops to be JSON."""
    if not text.strip():
        return "it is empty"
    if isinstance(problem, RecursionError):
        return "not JSON: nested too deep"
    if not isinstance(problem, json.JSONDecodeError):
        return "not JSON: a number too long to read"
    if problem.pos >= len(text.rstrip()) or "Unterminated" in problem.msg:
        return "not whole: it ends in the middle of the JSON document"
    return f"not JSON at line {problem.lineno}, column {problem.colno}"


def _records(where: str, rows: Any, record: type[Any]) -> tuple[Any, ...]:
    if not isinstance(rows, list):
        raise UsageError(f"not a report: the document has no list {where!r}")
    return tuple(_record(f"item {n} of {where!r}", record, row) for n, row in enumerate(rows, 1))


def _record(where: str, record: type[Any], row: Any) -> Any:
    """Build a record from an object of the document; UsageError for a key too many or too few."""
    if not isinstance(row, Mapping):
        raise UsageError(f"not a report: {where} is no object")
    known = {field.name: field for field in fields(record)}
    for name in row:
        if name not in known:
            raise UsageError(f"not a report: {where} has a key too many, {name!r}")
    for name, field in known.items():
        if name not in row and field.default is MISSING and field.default_factory is MISSING:
            raise UsageError(f"not a report: {where} lacks {name!r}")
    inner = _INNER.get(record, {})
    return record(
        **{
            name: _record(f"{name!r} of {where}", inner[name], value)
            if name in inner
            else _frozen(value)
            for name, value in row.items()
        }
    )


def _frozen(value: Any) -> Any:
    """Return lists as tuples, all the way down; records and scalars as they are."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value
