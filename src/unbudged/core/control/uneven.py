"""Words that an encoding changes alike: as many digits, foreign letters and syllables."""

from __future__ import annotations

import re
from functools import lru_cache

from ..encoding import ENCODERS
from .words import draw, of_length

# Under these encodings words of one length differ in what a scorer can count: digits, scripts,
# capitals, runs of Latin letters, vowels.
UNEVEN = frozenset({"rot13", "leet", "cyrillic"})
_VOWELS = re.compile("[vV]+")
_MANY = 12


@lru_cache(maxsize=3)
def _sounds(encoding: str) -> dict[int, str]:
    """Map each letter to what becomes of it: 0 no Latin letter, v or V a vowel, c or C another."""
    sounds = {}
    for code in (*range(65, 91), *range(97, 123)):
        made = ENCODERS[encoding](chr(code))
        latin = made.isascii() and made.isalpha()
        sound = "0" if not latin else "v" if made in "aeiouyAEIOUY" else "c"
        sounds[code] = sound.upper() if code < 97 else sound
    return sounds


@lru_cache(maxsize=4096)
def _figures(sounds: str) -> tuple[int, int, int, int]:
    """Count letters that became something else, capitals, runs of Latin letters, syllables."""
    runs = sounds.replace("0", " ").split()
    vowels = sum(len(_VOWELS.findall(run)) or 1 for run in runs)
    return sounds.count("0"), sum(map(str.isupper, sounds)), len(runs), vowels


@lru_cache(maxsize=256)
def alike(word: str, encoding: str, cases: tuple[str, ...]) -> tuple[str, ...]:
    """Return neutral words that an uneven encoding changes as it changes ``word``, nearest first.

    ``cases`` are the forms the word has in the text, so that capitals are compared as capitals.
    """
    table = _sounds(encoding)
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
        for shape, want in zip(shaped, wanted, strict=True):
            found = _figures(shape(other).translate(table))
            if found != want:
                far += 50 * (abs(found[0] - want[0]) + abs(found[1] - want[1]))
                far += abs(found[2] - want[2]) + abs(found[3] - want[3])
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
