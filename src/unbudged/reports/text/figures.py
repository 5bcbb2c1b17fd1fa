"""Numbers and counts as the terminal report writes them."""

from __future__ import annotations

from ...core.report import Finding


def number(value: float, *, sign: bool = True) -> str:
    """Format a score or shift with at most 6 significant digits, never as -0."""
    shown = f"{value + 0.0:+.6g}" if sign else f"{value + 0.0:.6g}"
    return shown.replace("-0", "+0" if sign else "0") if float(shown) == 0 else shown


def signed(finding: Finding) -> str:
    """Return a finding's excess with the sign of its side."""
    return number(finding.excess if finding.direction == "up" else -finding.excess)


def count(n: int, one: str, many: str | None = None) -> str:
    """Return ``3 probes`` or ``1 probe``."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def counts(attacks: int, baselines: int, probes: int) -> str:
    """Return the line that says how large a scan is, as ``33 attacks, 3 baselines, 99 probes``."""
    parts = ((attacks, "attack"), (baselines, "baseline"), (probes, "probe"))
    return ", ".join(count(n, name) for n, name in parts)
