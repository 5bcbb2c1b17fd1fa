"""Plain sentences of an exact length, put together from shipped parts."""

from __future__ import annotations

import re
from functools import lru_cache

from .words import draw, of_length, sections

_WORD = re.compile(r"[A-Za-z]+")
_SHORTEST = 13
_SHORT = 36
_TRIES = 40
_Parts = tuple[str, ...]
_Sized = dict[int, _Parts]


class _Bank:
    """The parts of one kind of text that hold no word to avoid."""

    __slots__ = ("longest", "places", "places_by", "predicates", "short_by", "subjects")

    def __init__(self, name: str, avoid: frozenset[str]) -> None:
        kept = {
            heading: tuple(
                line
                for line in body.splitlines()
                if line and avoid.isdisjoint(w.lower() for w in _WORD.findall(line))
            )
            for heading, body in _sections(name).items()
        }
        self.subjects = kept["subjects"] or ("It",)
        self.predicates = kept["predicates"] or ("was so",)
        self.places = kept["places"] or ("then",)
        # so long that a sentence without a place always leaves room for another one
        self.longest = max(map(len, self.subjects)) + max(map(len, self.predicates)) + _SHORTEST + 1
        self.places_by = _sized(self.places)
        pairs = (f"{s} {p}." for s in self.subjects for p in self.predicates)
        self.short_by = _sized((*kept["short"], *(p for p in pairs if len(p) <= _SHORT)))


@lru_cache(maxsize=8)
def _sections(name: str) -> dict[str, str]:
    return sections(f"{name}.txt")


def _sized(parts: _Parts) -> _Sized:
    sized: dict[int, list[str]] = {}
    for part in parts:
        sized.setdefault(len(part), []).append(part)
    return {length: tuple(some) for length, some in sized.items()}


@lru_cache(maxsize=64)
def _bank(name: str, avoid: frozenset[str]) -> _Bank:
    return _Bank(name, avoid)


class _Dice:
    """A small generator: the standard one costs more to seed than a sentence to write."""

    __slots__ = ("state",)

    def __init__(self, key: str) -> None:
        self.state = draw(key)

    def pick(self, options: _Parts) -> str:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        return options[(self.state >> 33) % len(options)]


def compose(name: str, length: int, seed: int, k: int, avoid: frozenset[str]) -> str:
    """Write sentences from the bank ``name``, ``length`` characters in all.

    Raises ValueError for a negative length.
    """
    if length < 0:
        raise ValueError(f"a text cannot have {length} characters")
    bank = _bank(name, avoid)
    dice = _Dice(f"{name}:{seed}:{k}:{length}")
    sentences = []
    left = length
    while left > bank.longest:
        sentence = f"{dice.pick(bank.subjects)} {dice.pick(bank.predicates)}"
        with_place = f"{sentence} {dice.pick(bank.places)}"
        # what is left must be long enough for one more sentence of exact length
        for text in (with_place, sentence):
            if left - len(text) - 2 >= _SHORTEST:
                sentences.append(text + ".")
                left -= len(text) + 2
                break
    if left:
        sentences.append(_exactly(left, bank, dice, draw(f"{name}:{seed}") + k, avoid))
    return " ".join(sentences)


def _exactly(length: int, bank: _Bank, dice: _Dice, turn: int, avoid: frozenset[str]) -> str:
    """Write one sentence of a length, or words in its stead."""
    options = bank.short_by.get(length)
    if options:
        return options[turn % len(options)]
    if length > _SHORT:
        for _ in range(_TRIES):
            text = f"{dice.pick(bank.subjects)} {dice.pick(bank.predicates)}"
            parts = bank.places_by.get(length - len(text) - 2)
            if parts:
                return f"{text} {dice.pick(parts)}."
    return _search(length, bank) or _word_list(length, dice, avoid)


def _search(length: int, bank: _Bank) -> str:
    """Try every subject and predicate for a length that chance did not hit."""
    for subject in bank.subjects:
        for predicate in bank.predicates:
            text = f"{subject} {predicate}"
            if len(text) + 1 == length:
                return text + "."
            parts = bank.places_by.get(length - len(text) - 2)
            if parts:
                return f"{text} {parts[0]}."
    return ""


def _word_list(length: int, dice: _Dice, avoid: frozenset[str]) -> str:
    """Fill a length no sentence fits with words alone, closed by a full stop."""
    words: list[str] = []
    left = length - 1
    while left > 0:
        size = left if left <= 8 else 5 if left > 12 else 4
        options = tuple(w for w in of_length(size) if w not in avoid) or ("a" * size,)
        words.append(dice.pick(options))
        left -= size + 1
    return f"{' '.join(words)}.".capitalize()
