"""Payloads dealt out over the answer: behind every sentence, word by word, within its words.

Nothing of the answer is lost and no code is torn; controls are dealt out in the same way, so
that they stand in the same places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from .sentences import code_stretches, sentence_ends

#: the most times a payload is repeated in one answer
MOST_REPEATS = 8
_GAP = re.compile(r"\s+|(?<=[\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f])")
_LINE_END = re.compile(r"(?<=\S)[ \t]*(?=\r?\n)")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
# one character as the eye counts them: with what joins to it
_UNIT = re.compile(
    "(?:.[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*\u200d)*.[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*",
    re.DOTALL,
)


def repeat(output: str, payload: str) -> str:
    """Return the answer with the payload behind every sentence, ``MOST_REPEATS`` at most.

    Behind every line where there is but one sentence. Where there are more places, they are
    spread evenly; the last is the end of the answer.
    """
    ends = _repeated_at(output)
    return _dealt(output, {at: _spaced(output, at, payload) for at in ends})


def weave(output: str, payload: str) -> str:
    """Return the answer with the payload's words between its words, spread evenly in order.

    Several at a time where the payload has more words than the answer.
    """
    words, gaps = payload.split(), _gaps(output)
    if not words:
        return repeat(output, payload)
    spots: Sequence[int] = gaps
    parts = words
    if len(words) <= len(gaps):
        spots = [gaps[(2 * i + 1) * len(gaps) // (2 * len(words))] for i in range(len(words))]
    else:
        parts = [" ".join(some) for some in _shares(words, len(gaps))]
    return _dealt(output, {at: _spaced(output, at, p) for at, p in zip(spots, parts, strict=True)})


def inlay(output: str, payload: str) -> str:
    """Return the answer with the payload's characters inside its words, in order.

    One in each word of two letters or more, over again while there are words left, or as
    many as it takes where the payload has more characters than the answer has words.
    """
    units, spots = _UNIT.findall(payload), _within_words(output)
    if not spots or not units:
        return output + payload
    if len(units) <= len(spots):
        parts = [units[i % len(units)] for i in range(len(spots))]
    else:
        parts = ["".join(some) for some in _shares(units, len(spots))]
    return _dealt(output, dict(zip(spots, parts, strict=True)))


IN_TEXT: dict[str, Callable[[str, str], str]] = {
    "repeat": repeat, "weave": weave, "inlay": inlay,
}  # fmt: skip


def _dealt(text: str, parts: dict[int, str]) -> str:
    """Put each part in at its index; the indices ascend."""
    made, last = [], 0
    for at, part in parts.items():
        made += [text[last:at], part]
        last = at
    return "".join([*made, text[last:]])


def _shares(items: Sequence[str], count: int) -> list[Sequence[str]]:
    """Split a sequence into ``count`` parts of about the same length, in order."""
    cuts = [i * len(items) // count for i in range(count + 1)]
    return [items[start:end] for start, end in pairwise(cuts)]


def _spaced(text: str, at: int, part: str) -> str:
    """Return a part with the space it needs; behind it the answer mostly has its own."""
    alone = not at or at == len(text) or text[at].isspace()
    return f"{_lead(text, at)}{part}" if alone else f"{_lead(text, at)}{part} "


def _lead(text: str, at: int) -> str:
    """Return what goes before a part: a new line behind a fence, which else would not close."""
    if not at:
        return ""
    return "\n" if text.endswith(("```", "~~~"), 0, at) else " "


@lru_cache(maxsize=256)
def _repeated_at(text: str) -> tuple[int, ...]:
    last = len(text.rstrip())
    behind = sorted({len(text[:at].rstrip()) for at in sentence_ends(text)})
    ends = [at for at in _outside_code(text, behind) if 0 < at < last]
    if not ends:
        lines = [m.start() for m in _LINE_END.finditer(text) if m.start() < last]
        ends = _outside_code(text, lines)
    ends.append(last)
    count = min(len(ends), MOST_REPEATS)
    return tuple(ends[(i + 1) * len(ends) // count - 1] for i in range(count))


@lru_cache(maxsize=256)
def _gaps(text: str) -> tuple[int, ...]:
    """List the indices between words, and the end of the text."""
    last = len(text.rstrip())
    found = (m.start() for m in _GAP.finditer(text))
    gaps = sorted({at for at in found if 0 < at < last})
    return (*_outside_code(text, gaps), last)


@lru_cache(maxsize=256)
def _within_words(text: str) -> tuple[int, ...]:
    """List an index in the middle of each word of two letters or more."""
    spots = [(m.start() + m.end()) // 2 for m in _LETTERS.finditer(text)]
    return tuple(_outside_code(text, spots))


def _outside_code(text: str, spots: Sequence[int]) -> list[int]:
    """Return the indices, ascending, at which no code is torn."""
    code = sorted(code_stretches(text))
    kept, i, reach = [], 0, -1
    for at in spots:
        while i < len(code) and code[i][0] < at:
            reach = max(reach, code[i][1])
            i += 1
        if at >= reach:
            kept.append(at)
    return kept
