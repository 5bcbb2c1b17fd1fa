"""Where a text may be split: the ends of its sentences and clauses, never within code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_CLOSERS = "\"'\u2019\u201d\u00bb)\\]}*_\u300d\u300f\uff09"
# a mark that belongs to the character before it
_JOINED = "[\u0300-\u036f\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
_JOINS = re.compile(_JOINED)
_END = re.compile(
    rf"[.!?\u2026\u061f\u06d4\u0964]+[{_CLOSERS}]*(?=\s)"
    rf"|[\u3002\uff01\uff1f]+[{_CLOSERS}]*(?![{_CLOSERS}]|{_JOINED})"
    r"|\n(?=[ \t]*\r?\n)"
)
_CLAUSE = re.compile(
    rf"[,;:\u060c\u061b]+[{_CLOSERS}]*(?=\s)|[\uff0c\uff1b\uff1a\u3001](?!{_JOINED})"
)
_OPENERS = "\"'\u2018\u201c\u00ab\u201e([{*_"
_SPACE = re.compile(r"\s*")
# A full stop after these, after a lone capital or after a list's number ends no sentence;
# after the second group it ends none before a number.
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|approx|resp|incl|et al|dr|mrs?|ms|prof|st|jr|sr|z\.b|d\.h|u\.a|bzw"
    r"|mme|p\.ex)|\b[^\W\d_]|^[ \t>]*\d+)$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b(?:nos?|nr|figs?|eqs?|secs?|chap|pp|vol)$", re.IGNORECASE)
_LOOK = 24
_FENCE = re.compile(
    r"^(?:[ \t>]|[-*+][ \t]|\d+[.)][ \t])*(`{3,}|~{3,})(.*)$", re.MULTILINE
)
_TICKS = re.compile(r"`+")
_BLANK = re.compile(r"\n[ \t]*\r?\n")
_TAGS = re.compile(r"<(pre|code|script|style)\b[^>]*>", re.IGNORECASE)

#: start and end of a part of a text
Stretch = tuple[int, int]


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the index behind each sentence, before the white space that follows it."""
    return (m.end() for m in _END.finditer(text) if _is_end(text, m))


def clause_ends(text: str) -> Iterator[int]:
    """Yield the index behind each comma, colon or semicolon that ends a clause."""
    return (m.end() for m in _CLAUSE.finditer(text))


def splits(text: str, at: int, code: list[Stretch]) -> bool:
    """Say whether there is something to read on both sides and no code is torn."""
    if any(start < at < end for start, end in code) or _JOINS.match(text, at):
        return False
    return bool(text[:at].strip()) and bool(text[at:].strip())


def after(text: str, at: int) -> int:
    """Step over the white space behind a sentence; the indent of a line stays with its line."""
    end = _gap(text, at)
    line = text.rfind("\n", at, end)
    return line + 1 if line >= 0 else end


def _gap(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _is_end(text: str, match: re.Match[str]) -> bool:
    """Tell the end of a sentence from a full stop that abbreviates."""
    start, at = match.span()
    if text[start] not in ".\u2026":
        return True
    gap = _gap(text, at)
    following = text[gap : gap + _LOOK].lstrip(_OPENERS)[:1]
    if "\n" not in text[at:gap] and following.islower():
        return False
    before = text[max(text.rfind("\n", 0, start) + 1, start - _LOOK) : start]
    if _ABBREVIATED.search(before):
        return False
    return not (following.isdigit() and _NUMBERED.search(before))


def code_stretches(text: str) -> list[Stretch]:
    """List the stretches of code, fenced, in backticks or in an element, start and end."""
    found = _fences(text)
    low = text.lower()
    for match in _TAGS.finditer(text):
        close = low.find(f"</{match.group(1).lower()}", match.end())
        end = text.find(">", close) + 1 if close >= 0 else 0
        found.append((match.start(), end or len(text)))
    return found + _spans(text, found)


def _fences(text: str) -> list[Stretch]:
    """List fenced blocks with their fences; one that is never closed runs to the end."""
    found: list[Stretch] = []
    opened: tuple[int, str] | None = None
    for match in _FENCE.finditer(text):
        fence, rest = match.groups()
        if opened is None:
            if fence[0] == "~" or "`" not in rest:
                opened = match.start(), fence
        elif fence[0] == opened[1][0] and len(fence) >= len(opened[1]) and not rest.strip():
            found.append((opened[0], match.end()))
            opened = None
    if opened is not None:
        found.append((opened[0], len(text)))
    return found


def _spans(text: str, blocks: list[Stretch]) -> list[Stretch]:
    """List code spans: a run of backticks to the next run of that length in its paragraph."""
    runs, waiting, reach = [], sorted(blocks, reverse=True), 0
    for match in _TICKS.finditer(text):
        while waiting and waiting[-1][0] <= match.start():
            reach = max(reach, waiting.pop()[1])
        if match.start() >= reach:
            runs.append(match.span())
    breaks = [*(m.start() for m in _BLANK.finditer(text)), len(text)]
    sized: dict[int, list[int]] = {}
    for i, (start, end) in enumerate(runs):
        sized.setdefault(end - start, []).append(i)
    found: list[Stretch] = []
    i = 0
    while i < len(runs):
        start, end = runs[i]
        alike = sized[end - start]
        other = bisect_right(alike, i)
        close = runs[alike[other]] if other < len(alike) else (len(text), 0)
        if close[0] < breaks[bisect_right(breaks, start)]:
            found.append((start, close[1]))
            i = alike[other]
        i += 1
    return found
