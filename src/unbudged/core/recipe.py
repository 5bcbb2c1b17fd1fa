"""How to make the twins of one payload: its fixed parts, and a slot for each thing it says."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from os.path import commonprefix
from typing import NamedTuple, Union

from .encoding import ENCODERS, UNEVEN, encode, profile
from .letters import SYMBOLS, alternatives, dates, escapes, runs
from .shape import Piece, cut, is_mark, negations, number_words
from .slots import Letters, Number, Pool, Slot
from .words import ending, function_words, judgement_words, of_length, pool, stem, syllables

_SUFFIXES = frozenset(
    " e s es d ed r er ers or ors ing ings ion ions ly y al ment ments".split(" ")
)
_FEW = 3
_REMEMBERED = 64


class Use(NamedTuple):
    """A place in a text where a slot's pick goes: which slot, and the form it takes there."""

    slot: int
    form: Callable[[str], str] | None


class _Hidden(NamedTuple):
    """The place in a text where the encoded plain text goes."""


Part = Union[str, Use, _Hidden]


class Recipe:
    """The twins of one payload."""

    def __init__(
        self,
        text: str,
        plain: str | None,
        encoding: str | None,
        lang: str,
        key: str,
        avoid: frozenset[str],
    ) -> None:
        self.text, self.encoding = text, encoding
        self._key, self._lang, self._made = key, lang, dict[int, str]()
        hidden = ""
        if plain and encoding in ENCODERS:
            hidden = encode(plain, encoding)
        if not hidden or hidden not in text:
            plain = self.encoding = None
        outer = text.split(hidden) if plain else [text]
        pieces = [list(cut(part, lang)) for part in outer]
        inner = list(cut(plain, lang)) if plain else []
        everything = [p for some in (*pieces, inner) for p in some]
        self._own = frozenset(_bare(p.text) for p in everything if p.kind == "word")
        self._stems = frozenset(map(stem, self._own | avoid))
        self._numbers = frozenset(_ascii(p.text) for p in everything if p.kind == "number")
        self._avoid = avoid
        self._banned = avoid | self._own | function_words(lang) | judgement_words()
        self._within = tuple(w for w in self._own if len(w) >= 4)
        self._slots: list[Slot] = []
        self._index: dict[tuple[str, str], int] = {}
        self._related: dict[int, tuple[int, int, str]] = {}
        cases = _cases(inner) if self.encoding in UNEVEN else {}
        self._inner = self._parts(inner, cases)
        self._outer: list[Part] = []
        for i, some in enumerate(pieces):
            if i:
                self._outer.append(_Hidden())
            self._outer += self._parts(some, {})
        if not self._slots:
            self._vary_form(pieces[0] if len(pieces) == 1 else [])
        self._relate()
        self._hidden = hidden

    # ---- making ---------------------------------------------------------------

    def make(self, k: int) -> str:
        """Return the ``k``-th twin."""
        made = self._made.get(k)
        if made is None:
            made = self._compose(k)
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            self._made[k] = made
        return made

    def _compose(self, k: int) -> str:
        taken: set[str] = set()
        picks: list[str] = []
        for i, slot in enumerate(self._slots):
            pick = None
            if i in self._related:
                base, shared, suffix = self._related[i]
                pick = picks[base][:shared] + suffix
                if pick in taken or pick in self._banned:
                    pick = None
            if pick is None:
                pick = slot.pick(k, taken)
            taken.add(pick)
            picks.append(pick)
        hidden = ""
        if self.encoding:
            if self.encoding == "base64":
                self._even_out(picks, taken)
            hidden = encode(_render(self._inner, picks, ""), self.encoding)
        return _render(self._outer, picks, hidden)

    def _even_out(self, picks: list[str], taken: set[str]) -> None:
        """Swap words until the base64 text has as many digits, capitals and signs as the payload's."""
        wanted = _counts(self._hidden)
        distance = _distance(wanted, _counts(encode(_render(self._inner, picks, ""), "base64")))
        places = {p.slot for p in self._inner if isinstance(p, Use)} - self._related.keys()
        bases = {base for base, _, _ in self._related.values()}
        for at in sorted(places - bases):
            slot = self._slots[at]
            if not distance or not isinstance(slot, Pool):
                continue
            first = slot.options.index(picks[at]) if picks[at] in slot.options else 0
            for i in range(min(32, len(slot.options))):
                option = slot.options[(first + i * slot.step) % len(slot.options)]
                if option in taken:
                    continue
                before, picks[at] = picks[at], option
                text = encode(_render(self._inner, picks, ""), "base64")
                found = _distance(wanted, _counts(text))
                if found < distance:
                    distance = found
                    taken.discard(before)
                    taken.add(option)
                else:
                    picks[at] = before

    # ---- preparing ------------------------------------------------------------

    def _parts(self, pieces: list[Piece], cases: dict[str, tuple[str, ...]]) -> list[Part]:
        parts: list[Part] = []
        for piece in pieces:
            use = self._use(piece, cases)
            if use is not None:
                parts.append(use)
            elif parts and isinstance(parts[-1], str):
                parts[-1] += piece.text
            else:
                parts.append(piece.text)
        return parts

    def _use(self, piece: Piece, cases: dict[str, tuple[str, ...]]) -> Use | None:
        kind, text = piece
        if kind in ("kept", "function"):
            return None
        name = _bare(text) if kind == "word" else _ascii(text) if kind == "number" else text
        at = self._index.get((kind, name))
        if at is None:
            slot = self._slot(kind, name, cases.get(name))
            if slot is None:
                return None
            at = self._index[kind, name] = len(self._slots)
            self._slots.append(slot)
        if kind == "word":
            return Use(at, _form(text))
        return Use(at, _digits_like(text) if kind == "number" and not text.isascii() else None)

    def _slot(self, kind: str, name: str, cases: tuple[str, ...] | None) -> Slot | None:
        key = f"{self._key}:{kind}:{name}"
        if kind == "number":
            return Number(name, key, self._numbers)
        if kind == "word":
            options = self._options(name, cases)
            if len(options) >= _FEW:
                return Pool(options, key)
            letters = Letters(name, [alternatives(c) for c in name], key, self._banned)
        elif kind == "escape":
            options = escapes(name)
            return Pool(options, key) if options else None
        elif kind == "symbol":
            options = tuple(SYMBOLS[len(name.encode())].replace(name, ""))
            return Pool(options, key)
        else:
            choices = dates(name) if kind == "date" else runs(name)
            letters = Letters(name, choices, key, frozenset())
        return letters if any(letters.choices) else None

    def _options(self, word: str, cases: tuple[str, ...] | None) -> tuple[str, ...]:
        """Return the neutral words that may stand for one."""
        if not (word.isascii() and word.isalpha()):
            return ()
        if word in number_words():
            same = tuple(w for w in sorted(number_words()) if len(w) == len(word))
            same = tuple(w for w in same if w not in self._banned)
            if len(same) >= 2:
                return same
        if self._lang.lower().partition("-")[0] != "en":
            return ()
        if cases:
            return self._filter(_alike(word, self.encoding or "", cases))
        options = self._filter(pool(len(word), syllables(word), ending(word)))
        return options if len(options) >= _FEW else self._filter(of_length(len(word)))

    def _filter(self, options: tuple[str, ...]) -> tuple[str, ...]:
        joined = " ".join(options)
        inside = [w for w in self._within if w in joined]
        return tuple(
            w
            for w in options
            if w not in self._banned
            and stem(w) not in self._stems
            and not any(part in w for part in inside)
        )

    def _vary_form(self, pieces: list[Piece]) -> None:
        """Make slots of function words, or else of punctuation, for a payload without content."""
        words = function_words(self._lang)
        if any(p.kind == "function" for p in pieces):
            own = {p.text.lower() for p in pieces}
            parts: list[Part] = []
            for before, piece in zip([Piece("kept", ""), *pieces], pieces):
                low = piece.text.lower()
                negated = low in negations()
                apart = before.text in ("'", "\u2019") and not negated
                if piece.kind != "function" or apart or not piece.text.isascii():
                    parts.append(piece.text)
                    continue
                source = negations() if negated else words
                options = tuple(
                    w for w in sorted(source)
                    if len(w) == len(low) and w not in own and w.isascii() and w not in self._avoid
                )
                at = self._index.setdefault(("function", low), len(self._slots))
                if at == len(self._slots):
                    key = f"{self._key}:function:{low}"
                    self._slots.append(
                        Pool(options, key)
                        if options
                        else Letters(low, [alternatives(c) for c in low], key, frozenset())
                    )
                parts.append(Use(at, _form(piece.text)))
            self._outer = parts
        elif any(alternatives(c) for c in self.text):
            chars = sorted(set(self.text), key=self.text.index)
            parts = []
            for char in self.text:
                if not alternatives(char):
                    parts.append(char)
                    continue
                at = self._index.setdefault(("sign", char), len(self._slots))
                if at == len(self._slots):
                    partner = _CLOSES.get(char)
                    key = f"{self._key}:sign:{partner if partner in chars else char}"
                    options = alternatives(char)
                    self._slots.append(Pool(tuple(options), key))
                parts.append(Use(at, None))
            self._outer = parts

    def _relate(self) -> None:
        """Let forms of one word (grade, grading) stay forms of one word."""
        words = [(name, at) for (kind, name), at in self._index.items() if kind == "word"]
        for i, (name, at) in enumerate(words):
            if not isinstance(self._slots[at], Pool) or self.encoding in UNEVEN:
                continue
            for other, base in words[:i]:
                shared = len(commonprefix((name, other)))
                if (
                    shared >= 4
                    and name[shared:] in _SUFFIXES
                    and other[shared:] in _SUFFIXES
                    and isinstance(self._slots[base], Pool)
                ):
                    self._related[at] = base, shared, name[shared:]
                    break


_CLOSES = {")": "(", "]": "[", "}": "{"}


def _render(parts: list[Part], picks: list[str], hidden: str) -> str:
    made = []
    for part in parts:
        if isinstance(part, str):
            made.append(part)
        elif isinstance(part, Use):
            pick = picks[part.slot]
            made.append(pick if part.form is None else part.form(pick))
        else:
            made.append(hidden)
    return "".join(made)


def _bare(token: str) -> str:
    """Return a word in lower case without the marks in it, or as it is where case changes length."""
    if token.isascii():
        return token.lower()
    bare = "".join(c for c in token if not is_mark(c))
    low = bare.lower()
    return low if len(low) == len(bare) else bare


def _form(token: str) -> Callable[[str], str] | None:
    """Return what gives a lower-case word the capitals and the inner marks of a token."""
    if token.isascii():
        if token.islower():
            return None
        if token.isupper():
            return str.upper
        if token[1:].islower():
            return str.capitalize

    def form(word: str) -> str:
        letters = iter(word)
        made = []
        for char in token:
            if is_mark(char):
                made.append(char)
                continue
            letter = next(letters)
            upper = letter.upper()
            made.append(upper if char.isupper() and len(upper) == 1 else letter)
        return "".join(made)

    return form


def _ascii(token: str) -> str:
    return token if token.isascii() else "".join(str(int(c)) for c in token)


def _digits_like(token: str) -> Callable[[str], str]:
    zeros = [ord(c) - int(c) for c in token]
    return lambda digits: "".join(chr(z + int(d)) for z, d in zip(zeros, digits))


def _cases(pieces: list[Piece]) -> dict[str, tuple[str, ...]]:
    """Return the forms in which each word of an encoded text occurs."""
    found: dict[str, set[str]] = {}
    for piece in pieces:
        if piece.kind == "word":
            found.setdefault(_bare(piece.text), set()).add(piece.text)
    return {name: tuple(sorted(forms)) for name, forms in found.items()}


@lru_cache(maxsize=256)
def _alike(word: str, encoding: str, cases: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a length whose encoding counts up like that of ``word``, nearest first."""
    if encoding == "base64":
        return of_length(len(word))
    forms = [_form(case) or str for case in cases]
    wanted = [profile(encode(case, encoding)) for case in cases]
    ranked: dict[int, list[str]] = {}
    for other in of_length(len(word)):
        far = 0
        for form, want in zip(forms, wanted):
            found = profile(encode(form(other), encoding))
            far += 50 * sum(abs(a - b) for a, b in zip(found[:3], want[:3]))
            far += sum(abs(a - b) for a, b in zip(found[3:], want[3:]))
        ranked.setdefault(far, []).append(other)
    near: list[str] = []
    for far in sorted(ranked):
        if len(near) >= 10:
            break
        near += ranked[far]
    return tuple(near)


def _counts(text: str) -> tuple[int, int, int]:
    return (
        sum(map(str.isdigit, text)),
        sum(map(str.isupper, text)),
        sum(map(str.isalnum, text)),
    )


def _distance(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return sum(abs(x - y) for x, y in zip(a, b))
