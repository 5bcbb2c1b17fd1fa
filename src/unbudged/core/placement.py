"""Where a payload goes in the judged text: before or behind it, in its midst, instead of it."""

from __future__ import annotations

from functools import lru_cache

from ..errors import UsageError
from .corpus import PLACEMENTS
from .in_text import IN_TEXT
from .sentences import after, clause_ends, code_stretches, sentence_ends, splits

#: where the separator stands between payload and answer
SEPARATED = ("suffix", "prefix", "middle")


def place(
    output: str, payload: str, placement: str, separator: str, at: int | None = None
) -> str:
    """Return the judged text with the payload put in its place.

    Answer and payload stay byte for byte as they are; in ``weave`` and ``inlay`` the payload
    is dealt out, part by part in its order, and white space between its words is not kept.
    ``middle`` is the end of the sentence nearest the middle; of the first clause where
    there is but one sentence, and the suffix position where there is but one clause; or
    the index ``at``. Raises UsageError for an unknown placement.
    """
    if placement == "suffix":
        return output + separator + payload
    if placement == "prefix":
        return payload + separator + output
    if placement == "replace":
        return payload
    if placement == "middle":
        at = middle(output) if at is None else at
        if at >= len(output):
            return output + separator + payload
        return output[:at] + separator + payload + separator + output[at:]
    if placement in IN_TEXT:
        return IN_TEXT[placement](output, payload)
    raise UsageError(f"placement {placement!r} is not one of {', '.join(PLACEMENTS)}")


@lru_cache(maxsize=256)
def middle(output: str) -> int:
    """Return the index at which a text is split to put something in its middle.

    Never within a word, a fenced code block, a code span or a code element.
    """
    code = code_stretches(output)
    half = len(output) / 2
    ends = [after(output, end) for end in sentence_ends(output)]
    ends.sort(key=lambda at: (abs(at - half), at))
    clauses = (after(output, end) for end in clause_ends(output))
    return next((at for at in (*ends, *clauses) if splits(output, at, code)), len(output))
