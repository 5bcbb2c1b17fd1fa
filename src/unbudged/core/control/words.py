"""The shipped words, read once: neutral ones on shelves, those a twin keeps, those it avoids."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from zlib import crc32

_FOLDER = os.path.normpath(os.path.join(os.path.dirname(__file__), "../../corpora/words"))
_VOWEL_RUNS = re.compile(r"[aeiouy]+")
_LONGEST = 16
_ENOUGH = 12
_FEWEST = 4  # words alike in syllables and ending: few of them are better than others
_ENDINGS = ("ing", "ings", "er", "ers", "ed", "es", "s", "d", "r", "rs", "ly", "y", "e", "")


def draw(key: str) -> int:
    """Return 32 well mixed bits of a text, the same on every machine and in every run."""
    x = crc32(key.encode("utf-8", "surrogatepass"))
    x = ((x ^ (x >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
    return x ^ (x >> 16)


@lru_cache(maxsize=16)
def sections(name: str) -> dict[str, str]:
    """Split a shipped file at its ``# heading`` lines; the text before the first is about it."""
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        parts = file.read().split("\n\n# ")[1:]
    return {heading: body for heading, _, body in (part.partition("\n") for part in parts)}


@lru_cache(maxsize=32)
def function_words(lang: str = "en") -> frozenset[str]:
    """Return the words a twin keeps: those of its language and, markup being so, of English."""
    shipped = sections("function.txt")
    return frozenset(f"{shipped['en']} {shipped.get(primary(lang), '')}".split())


@lru_cache(maxsize=8)
def listed(heading: str) -> frozenset[str]:
    """Return the words under another heading: "negated", "numbers", "code", "suffixes"."""
    return frozenset(sections("function.txt")[heading].split())


def primary(lang: str) -> str:
    """Return the language of a tag: "pt" of "pt-BR"."""
    return lang.lower().replace("_", "-").partition("-")[0]


@lru_cache(maxsize=16)
def _other(lang: str) -> dict[tuple[int, int, bool], tuple[str, ...]]:
    """Return the neutral words of another language by length, size in UTF-8 and katakana or not."""
    name = f"{lang}.txt"
    if not (lang.isalpha() and len(lang) <= 3 and os.path.exists(os.path.join(_FOLDER, name))):
        return {}
    shelves: dict[tuple[int, int, bool], list[str]] = {}
    for word in sections(name).get("words", "").split():
        shelves.setdefault(_shelf_of(word), []).append(word)
    return {shelf: tuple(words) for shelf, words in shelves.items()}


def _shelf_of(word: str) -> tuple[int, int, bool]:
    return len(word), len(word.encode("utf-8", "surrogatepass")), "\u30a0" <= word[:1] <= "\u30ff"


def has_sentences(lang: str) -> bool:
    """Say whether neutral sentences of a language other than English are shipped."""
    return bool(_other(primary(lang)))


@lru_cache(maxsize=128)
def neutral(lang: str, length: int) -> tuple[str, ...]:
    """Return the neutral words of a language that have ``length`` characters."""
    if lang == "en":
        return of_length(length)
    return tuple(w for (size, *_), some in _other(lang).items() if size == length for w in some)


def foreign(lang: str, word: str) -> tuple[str, ...]:
    """Return neutral words of another language that are as long as ``word`` and in its script."""
    return _other(primary(lang)).get(_shelf_of(word), ())


@lru_cache(maxsize=16)
def glued(lang: str) -> tuple[str, ...] | None:
    """Return the function words of a language without spaces, longest first; None for others."""
    if primary(lang) not in ("zh", "ja"):
        return None
    words = [w for w in function_words(lang) if not w.isascii()]
    return tuple(sorted(words, key=lambda w: (-len(w), w)))


@lru_cache(maxsize=1)
def judgement_words() -> frozenset[str]:
    """Return the stems no neutral word may be, start with or end with."""
    return frozenset(sections("judgement.txt")["stems"].split())


@lru_cache(maxsize=32)
def taboo(lang: str, avoid: frozenset[str]) -> frozenset[str]:
    """Return what no made-up or picked word may be, apart from the payload's own words."""
    return function_words(lang) | judgement_words() | forms(avoid)


@lru_cache(maxsize=32)
def forms(words: frozenset[str]) -> frozenset[str]:
    """Return words with their inflected forms, roughly: walk, walks, walked, walking, walker."""
    found = set(words)
    for word in words:
        for end in _ENDINGS:
            if word.endswith(end) and len(word) - len(end) >= 3:
                base = word[: len(word) - len(end)]
                found.update([base + other for other in _ENDINGS])
    return frozenset(found)


def syllables(word: str) -> int:
    """Count runs of vowels, at least 1."""
    return len(_VOWEL_RUNS.findall(word)) or 1


def ending(word: str) -> str:
    """Return the inflection a word ends with: "ing", "ed", "ly", "s" or none."""
    if len(word) >= 5:
        for end in ("ing", "ed", "ly"):
            if word.endswith(end):
                return end
    return "s" if len(word) >= 4 and word[-1] == "s" and word[-2] not in "suoi" else ""


_Shelf = tuple[int, str]


@lru_cache(maxsize=1)
def _shelves() -> dict[int, dict[_Shelf, tuple[str, ...]]]:
    shelves: dict[int, dict[_Shelf, tuple[str, ...]]] = {}
    for heading, body in sections("en.txt").items():
        length, groups, *end = heading.split()
        shelf = (int(groups), end[0] if end else "")
        shelves.setdefault(int(length), {})[shelf] = tuple(body.split())
    return shelves


@lru_cache(maxsize=64)
def of_length(length: int) -> tuple[str, ...]:
    """Return the neutral words of a length; made-up ones for 1 and 2, none above 16."""
    if length > 2:
        return tuple(w for words in _shelves().get(length, {}).values() for w in words)
    consonants, vowels = "bcdfghjklmnpqrstvwxz", "aeiou"
    if length == 1:
        return tuple("bcdefghjklmnopqrstuvwxyz")
    pairs = [c + v for c in consonants for v in vowels]
    pairs += [v + c for c in consonants for v in vowels]
    taken = function_words() | {"ok", "ai", "hi", "qa", "id", "ta", "ad", "pa", "ma"}
    return tuple(p for p in pairs if p not in taken)


@lru_cache(maxsize=32)
def unsaid(lang: str, avoid: frozenset[str]) -> frozenset[str]:
    """Return the neutral words that are to be avoided all the same."""
    return vocabulary() & taboo(lang, avoid)


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Return every shipped neutral word."""
    return frozenset(w for length in _shelves() for w in of_length(length))


@lru_cache(maxsize=512)
def pool(length: int, groups: int, end: str) -> tuple[str, ...]:
    """Return neutral words of a length, alike in syllables and ending where there are enough."""
    shelves = _shelves().get(length, {})
    exact = shelves.get((groups, end), ())
    if len(exact) >= _FEWEST:
        return exact
    for far in (0, 1):
        near = [words for (g, _), words in shelves.items() if abs(g - groups) <= far]
        words = tuple(w for some in near for w in some)
        if len(words) >= _ENOUGH:
            return words
    return of_length(length)
