"""Numbers and counts as the page writes them."""

from __future__ import annotations

import math


def number(value: float | None, *, sign: bool = False) -> str:
    """Format a score or shift with at most 4 significant digits and a real minus sign."""
    if value is None or not math.isfinite(value):
        return "unknown"
    shown = f"{value + 0.0:{'+' if sign else ''}.4g}"
    if float(shown) == 0:
        return "0"
    return shown.replace("-", "−", 1) if shown.startswith("-") else shown


def known(value: float | None) -> float:
    """Return the value, or 0.0 where it is none or not finite, as JSON cannot hold it."""
    return value if value is not None and math.isfinite(value) else 0.0


def percent(share: float | None) -> str:
    """Format a share of 0..1 as whole per cent."""
    return "unknown" if share is None else f"{100 * share:.0f}%"


def count(n: int, one: str, many: str | None = None) -> str:
    """Return ``3 probes`` or ``1 probe``, thousands set apart."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
