"""Scans that survive: the journal on disk, what is kept in it, and scans read again from it."""

from __future__ import annotations

from .document import describe, differs, rebuild
from .store import Journal

__all__ = ["Journal", "describe", "differs", "rebuild"]
