"""Texts shown whole: inert, behind a bar, and not a character lost where a line goes on."""

from __future__ import annotations

from ..reports.inert import WIDTH, columns, fitting, inert


def block(text: str) -> list[str]:
    """Return a text line by line behind a bar; a line that goes on has a dot instead."""
    lines = []
    for line in text.split("\n"):
        bar, rest = "  | ", inert(line)
        while columns(rest) > WIDTH - 4:
            cut = fitting(rest, WIDTH - 4)
            lines.append(bar + rest[:cut])
            bar, rest = "  . ", rest[cut:]
        lines.append(bar + rest)
    return lines
