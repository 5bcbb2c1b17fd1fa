"""One reading as a line of JSON, and back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

from ..core.judge import Reading, Reason, Scored, Unscorable
from ..core.plan import Call
from ..core.redact import redact

#: characters of an explanation that are kept
LONGEST = 100_000


def name_of(call: Call) -> str:
    """Return a call as the text it is kept under."""
    arm, attack, baseline, k, round = call
    return f"{arm} {attack} {baseline} {k} {round}"


def write(reading: Reading, explanations: bool) -> str:
    """Return a reading as JSON; secrets are redacted, floats come back bit for bit."""
    if isinstance(reading, Unscorable):
        return _dump({"no": reading.reason, "why": redact(reading.detail)})
    row: dict[str, Any] = {"v": dict(reading.values)}
    if reading.passed is not None:
        row["p"] = reading.passed
    if explanations and reading.explanation:
        row["e"] = redact(reading.explanation[:LONGEST])
    if reading.meta:
        row["m"] = json.loads(redact(_dump(dict(reading.meta))))
    return _dump(row)


def read(text: str) -> Reading:
    """Return the reading that ``write`` wrote; raises ValueError for another text."""
    row = json.loads(text)
    if not isinstance(row, dict):
        raise ValueError("no reading")
    if "no" in row:
        return Unscorable(cast(Reason, row["no"]), str(row.get("why", "")))
    values = row.get("v")
    if not isinstance(values, dict):
        raise ValueError("a reading without values")
    found = Scored({str(name): float(value) for name, value in values.items()}, row.get("p"))
    return replace(found, explanation=row.get("e"), meta=row.get("m"))


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=str)
