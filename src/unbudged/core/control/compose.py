"""Plain sentences of an exact length, put together from shipped parts."""

from __future__ import annotations

import re
from functools import lru_cache

from .words import draw, glued, has_sentences, neutral, primary, sections

_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST = 13
_SHORTEST_GLUED = 5
_SHORT = 36
_TRIES = 40
_Parts = tuple[str, ...]
_Sized = dict[int, _Parts]


class _Bank:
    """The parts of one kind of text that hold no word to avoid."""

    __slots__ = (
        "gap", "lang", "longest", "places", "places_by", "predicates", "short_by", "shortest",
        "stop", "subjects",
    )  # fmt: skip

    def __init__(self, name: str, lang: str, avoid: frozenset[str]) -> None:
        kept = {
            heading: tuple(
                line
                for line in body.splitlines()
                if line and avoid.isdisjoint(w.lower() for w in _WORD.findall(line))
            )
            for heading, body in _sections(name, lang).items()
        }
        self.lang = lang
        # a language without spaces has its own full stop and says where before what
        self.gap, self.stop = (" ", ".") if glued(lang) is None else ("", "\u3002")
        self.shortest = _SHORTEST if self.gap else _SHORTEST_GLUED
        self.subjects = kept["subjects"] or ("It",)
        self.predicates = kept["predicates"] or ("was so",)
        self.places = kept["places"] or ("then",)
        # so long that a sentence without a place always leaves room for another one
        longest = max(map(len, self.subjects)) + max(map(len, self.predicates))
        self.longest = longest + self.shortest + len(self.gap)
        self.places_by = _sized(self.places)
        pairs = (self.sentence(s, p) for s in self.subjects for p in self.predicates)
        self.short_by = _sized((*kept["short"], *(p for p in pairs if len(p) <= _SHORT)))

    def sentence(self, subject: str, predicate: str, place: str = "") -> str:
        """Put the parts of a sentence together, with its full stop."""
        if not self.gap:
            return f"{subject}{place}{predicate}{self.stop}"
        return f"{subject} {predicate} {place}{self.stop}" if place else f"{subject} {predicate}."


@lru_cache(maxsize=32)
def _sections(name: str, lang: str) -> dict[str, str]:
    if lang == "en":
        return sections(f"{name}.txt")
    parts = sections(f"{lang}.txt").items()
    return {head.partition(" ")[2]: body for head, body in parts if head.startswith(f"{name} ")}


def _sized(parts: _Parts) -> _Sized:
    sized: dict[int, list[str]] = {}
    for part in parts:
        sized.setdefault(len(part), []).append(part)
    return {length: tuple(some) for length, some in sized.items()}


@lru_cache(maxsize=64)
def _bank(name: str, lang: str, avoid: frozenset[str]) -> _Bank:
    return _Bank(name, lang, avoid)


class _Dice:
    """A small generator: the standard one costs more to seed than a sentence to write."""

    __slots__ = ("state",)

    def __init__(self, key: str) -> None:
        self.state = draw(key)

    def pick(self, options: _Parts) -> str:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        return options[(self.state >> 33) % len(options)]


def compose(
    name: str, length: int, seed: int, k: int, avoid: frozenset[str], lang: str = "en"
) -> str:
    """Write sentences from the bank ``name``, ``length`` characters in all.

    In English where the language has no sentences of its own. Raises ValueError for a
    negative length.
    """
    if length < 0:
        raise ValueError(f"a text cannot have {length} characters")
    lang = primary(lang) if has_sentences(lang) else "en"
    bank = _bank(name, lang, avoid)
    dice = _Dice(f"{name}:{seed}:{k}:{length}")
    sentences = []
    left = length
    gap = len(bank.gap)
    while left > bank.longest:
        subject, predicate = dice.pick(bank.subjects), dice.pick(bank.predicates)
        with_place = bank.sentence(subject, predicate, dice.pick(bank.places))
        # what is left must be long enough for one more sentence of exact length
        for text in (with_place, bank.sentence(subject, predicate)):
            if left - len(text) - gap >= bank.shortest:
                sentences.append(text)
                left -= len(text) + gap
                break
    if left:
        sentences.append(_exactly(left, bank, dice, draw(f"{name}:{seed}") + k, avoid))
    return bank.gap.join(sentences)


def _exactly(length: int, bank: _Bank, dice: _Dice, turn: int, avoid: frozenset[str]) -> str:
    """Write one sentence of a length, or words in its stead."""
    options = bank.short_by.get(length)
    if options:
        return options[turn % len(options)]
    if length > _SHORT or not bank.gap:
        for _ in range(_TRIES):
            subject, predicate = dice.pick(bank.subjects), dice.pick(bank.predicates)
            size = length - len(bank.sentence(subject, predicate)) - len(bank.gap)
            parts = bank.places_by.get(size)
            if parts:
                return bank.sentence(subject, predicate, dice.pick(parts))
    return _search(length, bank) or _word_list(length, bank, dice, avoid)


def _search(length: int, bank: _Bank) -> str:
    """Try every subject and predicate for a length that chance did not hit."""
    for subject in bank.subjects:
        for predicate in bank.predicates:
            text = bank.sentence(subject, predicate)
            if len(text) == length:
                return text
            parts = bank.places_by.get(length - len(text) - len(bank.gap))
            if parts:
                return bank.sentence(subject, predicate, parts[0])
    return ""


def _word_list(length: int, bank: _Bank, dice: _Dice, avoid: frozenset[str]) -> str:
    """Fill a length no sentence fits with words alone, closed by a full stop."""
    words: list[str] = []
    gap = len(bank.gap)
    left = length - 1
    while left > 0:
        fits, usual = (8, 5 if left > 12 else 4) if gap else (3, 2)
        size = left if left <= fits else usual
        options = tuple(w for w in neutral(bank.lang, size) if w not in avoid) or ("a" * size,)
        words.append(dice.pick(options))
        left -= size + gap
    return f"{bank.gap.join(words)}{bank.stop}".capitalize()
