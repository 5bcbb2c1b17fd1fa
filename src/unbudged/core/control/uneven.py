"""Words that an encoding changes alike: as many digits, foreign letters and syllables."""

from __future__ import annotations

import re
from functools import lru_cache

from ..encoding import ENCODERS
from .words import draw, of_length

# Under these encodings words of one length differ in what a scorer can count (digits, scripts,
# runs of Latin letters, vowels); what becomes of each letter: 0 no Latin one, v a vowel, c another.
_SOUNDS: dict[str, dict[int, str]] = {}
for _name in ("rot13", "leet", "cyrillic"):
    _sounds = _SOUNDS[_name] = {}
    for _code in (*range(65, 91), *range(97, 123)):
        _made = ENCODERS[_name](chr(_code))
        _latin = _made.isascii() and _made.isalpha()
        _sounds[_code] = "0" if not _latin else "v" if _made in "aeiouyAEIOUY" else "c"

UNEVEN = frozenset(_SOUNDS)
_VOWELS = re.compile("v+")
_MANY = 12


@lru_cache(maxsize=4096)
def _figures(sounds: str) -> tuple[int, int, int]:
    """Count letters that became something else, runs of Latin letters and their syllables."""
    runs = sounds.replace("0", " ").split()
    return sounds.count("0"), len(runs), sum(len(_VOWELS.findall(run)) or 1 for run in runs)


@lru_cache(maxsize=256)
def alike(word: str, encoding: str, cases: tuple[str, ...]) -> tuple[str, ...]:
    """Return neutral words that an uneven encoding changes as it changes ``word``, nearest first.

    ``cases`` are the forms the word has in the text, so that capitals are compared as capitals.
    """
    table = _SOUNDS[encoding]
    shaped = [
        str.upper if c.isupper() and len(c) > 1 else str.capitalize if c[0].isupper() else str
        for c in cases
    ]
    wanted = [_figures(case.translate(table)) for case in cases]
    words = of_length(len(word))
    start = draw(word) % max(1, len(words))
    ranked: dict[int, list[str]] = {}
    for other in words[start:] + words[:start]:
        far = 0
        for shape, want in zip(shaped, wanted, strict=False):
            found = _figures(shape(other).translate(table))
            if found != want:
                far += 50 * abs(found[0] - want[0])
                far += abs(found[1] - want[1]) + abs(found[2] - want[2])
        if far < 50:
            some = ranked.setdefault(far, [])
            some.append(other)
            if not far and len(some) > _MANY:
                break
    near: list[str] = []
    for far in sorted(ranked):
        if len(near) >= _MANY:
            break
        near += ranked[far]
    return tuple(near)


def counts(text: str) -> tuple[int, int, int]:
    """Count the digits, capitals and letters or digits of a base64 text."""
    data = text.encode("ascii", "replace")
    size = len(data)
    return (
        size - len(data.translate(None, b"0123456789")),
        size - len(data.translate(None, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
        size - len(data.translate(None, b"+/=")),
    )
