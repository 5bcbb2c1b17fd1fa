"""What may stand for each thing a payload says: the words, numbers and characters of a slot."""

from __future__ import annotations

from functools import lru_cache

from .dress import ascii_digits, bare
from .letters import SYMBOLS, alternatives, dates, escapes, runs
from .shape import Piece
from .slots import Letters, Number, Pool, Slot
from .uneven import UNEVEN, alike
from .words import (
    ending,
    foreign,
    forms,
    function_words,
    listed,
    of_length,
    pool,
    primary,
    syllables,
    taboo,
    unsaid,
)

FEW = 3
_OPENS = {")": "(", "]": "[", "}": "{"}


class Options:
    """The replacements open to one payload: none of its own words, nothing to avoid."""

    __slots__ = (
        "_avoid", "_bad", "_english", "_function", "_inside", "_key", "_lang", "_lower",
        "_numbers", "_own", "_taboo",
    )  # fmt: skip

    def __init__(
        self, pieces: list[Piece], lang: str, key: str, avoid: frozenset[str], lower: bool = False
    ) -> None:
        words = frozenset(bare(text) for kind, text in pieces if kind == "word")
        self._lang, self._english = lang, primary(lang) == "en"
        self._key, self._lower = key, lower
        self._own = forms(words)
        self._inside = tuple(w for w in words if len(w) >= 4)
        self._numbers = frozenset(ascii_digits(text) for kind, text in pieces if kind == "number")
        self._taboo = taboo(lang, avoid)
        self._bad = unsaid(lang, avoid) | self._own
        self._function, self._avoid = function_words(lang), avoid

    def refused(self, word: str) -> bool:
        """Say whether a word may not appear in a twin."""
        return word in self._own or word in self._taboo

    def slot(self, kind: str, name: str, encoding: str, cases: tuple[str, ...]) -> Slot | None:
        """Return a slot for a piece, or None when nothing can stand for it.

        ``cases`` are the forms of a word hidden by ``encoding``, empty for other pieces.
        """
        key = f"{self._key}:{kind}:{name}"
        if kind == "number":
            return Number(name, key, self._numbers, self._lower)
        if kind == "word":
            words = self._words(name, encoding, cases)
            if words:
                return Pool(words, key)
            choices = [alternatives(c) for c in name]
        elif kind == "little":
            words = self._little(name)
            if words:
                return Pool(words, key)
            choices = [alternatives(c) for c in name]
        elif kind == "sign":
            # a closing bracket is drawn as its opening one is, so that they still match
            key = f"{self._key}:{kind}:{_OPENS.get(name, name)}"
            return Pool(tuple(alternatives(name)), key) if alternatives(name) else None
        elif kind in ("escape", "symbol"):
            some = escapes(name) if kind == "escape" else SYMBOLS[len(name.encode())]
            return Pool(tuple(s for s in some if s != name), key) if some else None
        else:
            choices = dates(name) if kind == "date" else runs(name)
        return Letters(name, choices, key, self.refused) if any(choices) else None

    def _words(self, word: str, encoding: str, cases: tuple[str, ...]) -> tuple[str, ...]:
        if not (word.isascii() and word.isalpha()):
            return self._foreign(word)
        numbers = listed("numbers")
        if word in numbers:
            unsaid = self._own | self._avoid
            same = tuple(w for w in sorted(numbers - unsaid) if len(w) == len(word))
            if len(same) > 1:
                return same
        if not self._english:
            return self._foreign(word)
        if cases and encoding in UNEVEN:
            words = self._kept(alike(word, encoding, cases))
        else:
            words = self._kept(pool(len(word), syllables(word), ending(word)))
            if len(words) < FEW:
                words = self._kept(of_length(len(word)))
        return words if len(words) >= FEW else ()

    def _foreign(self, word: str) -> tuple[str, ...]:
        unsaid = self._own | self._avoid
        words = tuple(w for w in foreign(self._lang, word) if w not in unsaid)
        return words if len(words) >= FEW else ()

    def _little(self, word: str) -> tuple[str, ...]:
        negated = listed("negated")
        return tuple(
            w
            for w in sorted(negated if word in negated else self._function)
            if len(w) == len(word)
            and len(w.encode()) == len(word.encode())
            and w != word
            and w not in self._avoid
        )

    def _kept(self, words: tuple[str, ...]) -> tuple[str, ...]:
        known, joined = _looked_up(words)
        bad = known & self._bad
        for part in self._inside:
            if part in joined:
                bad |= {w for w in words if part in w}
        return tuple(w for w in words if w not in bad) if bad else words


@lru_cache(maxsize=512)
def _looked_up(words: tuple[str, ...]) -> tuple[frozenset[str], str]:
    return frozenset(words), " ".join(words)
