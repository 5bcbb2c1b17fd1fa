"""Colour for the terminal report: by the shape of its lines, never by what a payload says."""

from __future__ import annotations

import os
import re
import sys

import click

_VERDICTS = {"Held": "green", "Better": "green", "Moved": "red", "Worse": "red"}
_ROW = re.compile(r"(  \S+ +)(attack \S+ +control \S+ +)(excess \S+)(.*)")
_INDENT = "      "


def wanted(terminal: bool) -> bool:
    """Tell whether to colour: a terminal that can, and a user who did not say no.

    NO_COLOR with any value says no (no-color.org).
    """
    if not terminal or os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown"):
        return False
    return sys.platform != "win32" or "WT_SESSION" in os.environ


def coloured(text: str) -> str:
    """Return a report's text with the verdict, the excesses and the titles coloured."""
    first, *rest = text.split("\n")
    word, colon, said = first.partition(":" if ":" in first.split(".")[0] else ".")
    shade = _VERDICTS.get(word.split(" ")[0], "yellow")
    lines = [click.style(word + colon, fg=shade, bold=True) + said]
    return "\n".join([*lines, *map(_line, rest)])


def _line(line: str) -> str:
    row = _ROW.fullmatch(line)
    if row:
        return f"{row[1]}{row[2]}{click.style(row[3], fg='red')}{row[4]}"
    if line.startswith((f"{_INDENT}repeat: ", f"{_INDENT}payload: ")):
        return click.style(line, dim=True)
    title = None if line.startswith(" ") else re.match(r"(fix \([^)]*\)|[a-z][a-z ]*):", line)
    if title:
        return click.style(title[0], bold=True) + line[title.end() :]
    return line
