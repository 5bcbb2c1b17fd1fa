"""What changed from one report to another: fixed, new, unchanged, and drift beside it."""

from __future__ import annotations

from .records import Change, Comparison, Drift, Interval, RateChange
from .scans import compare, marked
from .settings import strangers

__all__ = ["Change", "Comparison", "Drift", "Interval", "RateChange", "compare",
           "marked", "strangers"]
