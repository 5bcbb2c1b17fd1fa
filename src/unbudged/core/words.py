"""The shipped neutral words, read once: by length, syllables and ending, with what must not appear."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from zlib import crc32

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpora", "words")
_VOWEL_RUNS = re.compile(r"[aeiouy]+")
_ENDINGS = ("ing", "ed", "ly")
_LONGEST = 16
_ENOUGH = 12

#: letters a made-up word is built from, common ones more often
VOWELS = "aaeeeiioou"
CONSONANTS = "bcddfgghkllmmnnnpprrrsssttttvw"


def draw(key: str) -> int:
    """Return 32 well mixed bits of a text, the same on every machine and in every run."""
    x = crc32(key.encode("utf-8", "surrogatepass"))
    x = ((x ^ (x >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
    return x ^ (x >> 16)


def _read(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def sections(name: str) -> dict[str, str]:
    """Split a shipped file at its ``# heading`` lines."""
    found: dict[str, str] = {}
    for part in _read(name).split("\n\n# ")[1:]:
        heading, _, body = part.partition("\n")
        found[heading] = body
    return found


@lru_cache(maxsize=None)
def _by_length() -> dict[int, tuple[str, ...]]:
    return {int(n): tuple(body.split()) for n, body in sections("en.txt").items()}


@lru_cache(maxsize=None)
def function_words(lang: str = "en") -> frozenset[str]:
    """Return the words a twin keeps: those of the language and, markup being English, of English."""
    shipped = _function_sections()
    words = set(shipped["en"].split())
    words.update(shipped.get(lang.lower().partition("-")[0], "").split())
    return frozenset(words)


@lru_cache(maxsize=None)
def _function_sections() -> dict[str, str]:
    return sections("function.txt")


@lru_cache(maxsize=None)
def judgement_words() -> frozenset[str]:
    """Return the stems of the judgement vocabulary."""
    return frozenset(_read("judgement.txt").partition("\n\n")[2].split())


def syllables(word: str) -> int:
    """Count runs of vowels, at least 1."""
    return len(_VOWEL_RUNS.findall(word)) or 1


def ending(word: str) -> str:
    """Return the inflection a word ends with: "ing", "ed", "ly", "s" or none."""
    if len(word) >= 5:
        for end in _ENDINGS:
            if word.endswith(end):
                return end
    return "s" if len(word) >= 4 and word[-1] == "s" and word[-2] not in "suoi" else ""


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Cut the inflection off, roughly: enough to see that two words are one word's forms."""
    for end in ("ings", "ing", "ers", "ed", "es", "er", "ly", "s", "e", "y"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word[: -len(end)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@lru_cache(maxsize=None)
def of_length(length: int) -> tuple[str, ...]:
    """Return the neutral words of a length; made-up ones for 1 and 2, none above 16."""
    if length > 2:
        return _by_length().get(length, ())
    consonants, vowels = "bcdfghjklmnpqrstvwxz", "aeiou"
    if length == 1:
        return tuple("bcdefghjklmnopqrstuvwxyz")
    pairs = [a + b for a in consonants for b in vowels] + [b + a for a in consonants for b in vowels]
    kept = function_words() | {"ok", "ai", "hi", "qa", "id", "ta", "ad", "pa", "ma"}
    return tuple(p for p in pairs if p not in kept)


@lru_cache(maxsize=None)
def _shelves(length: int) -> dict[tuple[int, str], tuple[str, ...]]:
    shelves: dict[tuple[int, str], list[str]] = {}
    for word in of_length(length):
        shelves.setdefault((syllables(word), ending(word)), []).append(word)
    return {key: tuple(words) for key, words in shelves.items()}


@lru_cache(maxsize=2048)
def pool(length: int, groups: int, end: str) -> tuple[str, ...]:
    """Return neutral words of a length, alike in syllables and ending as far as there are enough."""
    shelves = _shelves(length)
    exact = shelves.get((groups, end), ())
    if len(exact) >= _ENOUGH:
        return exact
    same = tuple(w for (g, _), words in shelves.items() if g == groups for w in words)
    if len(same) >= _ENOUGH:
        return same
    near = tuple(w for (g, _), words in shelves.items() if abs(g - groups) <= 1 for w in words)
    return near if len(near) >= _ENOUGH or length > _LONGEST else of_length(length)
