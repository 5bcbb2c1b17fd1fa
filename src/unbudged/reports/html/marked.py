"""Texts in pieces a page can show: what is hidden as escapes, what differs marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from ..inert import inert_pieces

#: characters of one text that a page shows; the JSON document has the rest
SHOWN = 20_000
#: bits of a piece's flags
DIFFERS, ESCAPE = 1, 2
#: tokens beyond which difflib may take its short cuts
_THOROUGH = 2_000
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

#: (flags, text shown), in order
Pieces = tuple[tuple[int, str], ...]


def shown(text: str) -> Pieces:
    """Return the pieces of a text, nothing marked."""
    return _pieces([(0, text[:SHOWN])], len(text))


def differing(one: str, other: str) -> tuple[Pieces, Pieces]:
    """Return the pieces of two texts, in each the words marked that the other has not there."""
    left, right = _TOKEN.findall(one[:SHOWN]), _TOKEN.findall(other[:SHOWN])
    quick = max(len(left), len(right)) > _THOROUGH
    spans: tuple[list[tuple[int, str]], list[tuple[int, str]]] = ([], [])
    for what, a, b, c, d in SequenceMatcher(None, left, right, autojunk=quick).get_opcodes():
        flag = 0 if what == "equal" else DIFFERS
        spans[0].append((flag, "".join(left[a:b])))
        spans[1].append((flag, "".join(right[c:d])))
    return _pieces(spans[0], len(one)), _pieces(spans[1], len(other))


def _pieces(spans: Iterable[tuple[int, str]], length: int) -> Pieces:
    made: list[tuple[int, str]] = []
    for flag, text in spans:
        for i, line in enumerate(text.split("\n")):
            if i:
                made += [(flag | ESCAPE, "↵"), (flag, "\n")]
            made += [
                (flag | (ESCAPE if hidden else 0), piece) for hidden, piece in inert_pieces(line)
            ]
    if length > SHOWN:
        made.append((ESCAPE, f"… {length - SHOWN:,} more characters in the JSON report"))
    return tuple(made)
