"""The scale and the pass mark: the judge's own, or those of bools."""

from __future__ import annotations

from ..judge import JudgeInfo
from ..table import Table


def scale_of(table: Table, info: JudgeInfo) -> tuple[float, float] | None:
    """Return the scale: the judge's own, or 0 to 1 where every reading was a bool."""
    if info.scale is not None:
        return info.scale
    return (0.0, 1.0) if table.all_bool and table.channels else None


def pass_mark_of(table: Table, info: JudgeInfo) -> float | None:
    """Return the pass mark: the judge's own, or a half where every reading was a bool."""
    if info.pass_mark is not None:
        return info.pass_mark
    return 0.5 if table.all_bool and table.channels else None
