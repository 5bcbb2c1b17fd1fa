"""Any text as inline Markdown that acts on nothing: no link, mention, tag, table or command."""

from __future__ import annotations

import re

from ..inert import clip, inert, quoted

#: longer runs of backticks are written as escapes: parsers stop counting a fence at some point
_LONGEST_FENCE = 8
_TICKS = re.compile("`+")
#: what no backslash keeps some viewer from acting on: links, mentions, references to issues
#: and commits, emoji, formulas
_ACTS = re.compile(r"://|www\.|@|#|\$|GH-\d|:[\w+-]+:|\b[0-9a-f]{7,64}\b|mailto:|xmpp:", re.I)
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|~&])")


def code(text: str, width: int) -> str:
    """Return ``text`` inert as a code span, at most ``width`` columns of it."""
    return _span(clip(inert(text[: 4 * width]), width))


def quote(text: str, width: int) -> str:
    """Return ``text`` inert and in double quotes as a code span; backslashes are doubled."""
    return _span(quoted(text, width))


def cell(text: str, width: int) -> str:
    """Return ``text`` as a code span for a table: no parser takes a part of it for a border."""
    return code(text.replace("|", "\\x7c"), width)


def prose(text: str, width: int) -> str:
    """Return a sentence as words, or as a code span where a viewer could act on it.

    It must not stand at the start of a line, where a dash or a number makes a list.
    """
    shown = clip(inert(text[: 4 * width]), width)
    if _ACTS.search(shown):
        return _span(shown)
    return _MARKUP.sub(r"\\\1", shown)


def _span(shown: str) -> str:
    shown = _TICKS.sub(
        lambda run: "\\x60" * len(run[0]) if len(run[0]) > _LONGEST_FENCE else run[0], shown
    )
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    # One space each side is dropped by the parser, and keeps a backtick off the fence.
    pad = " " if shown[:1] in ("`", " ", "") or shown[-1:] in ("`", " ") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
