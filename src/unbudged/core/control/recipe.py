"""How to make the twins of one payload: its fixed parts, and a slot for each thing it says."""

from __future__ import annotations

from ..encoding import ENCODERS, encode
from .bare import bare_twin
from .dress import Form, ascii_digits, bare, digits_form, form
from .options import FEW, Options
from .shape import Piece, cut, little_words, signs
from .slots import Pool, Slot
from .uneven import UNEVEN, counts
from .words import listed, vocabulary

_REMEMBERED = 64
_TRIES = 32

#: a place where a slot's pick goes, and the form it takes there
Use = tuple[int, Form | None]
#: a fixed text, the pick of a slot, or (None) the encoded text
Part = str | Use | None
#: a word that shares its beginning with another: that one's slot, how much, and the rest
Kin = tuple[int, int, str]


class Recipe:
    """The twins of one payload; its echoes where some of its words are to stay."""

    __slots__ = (
        "_avoid", "_bare", "_encoding", "_fixed", "_hidden", "_index", "_inner", "_key", "_kin",
        "_lang", "_made", "_options", "_order", "_outer", "_slots", "_stayed", "_stays", "_text",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        plain: str | None,
        encoding: str | None,
        lang: str,
        key: str,
        avoid: frozenset[str],
        stays: frozenset[str] | None = None,
    ) -> None:
        echo = stays is not None
        self._text, self._lang, self._key, self._avoid = text, lang, key, avoid
        self._encoding = encoding if plain and encoding in ENCODERS else ""
        self._hidden = encode(plain or "", self._encoding) if self._encoding else ""
        if not self._hidden or self._hidden not in text:
            self._encoding = self._hidden = ""
        around = text.split(self._hidden) if self._encoding else [text]
        outer = [list(cut(part, lang)) for part in around]
        inner = list(cut(plain or "", lang)) if self._encoding else []
        everything = [piece for some in (*outer, inner) for piece in some]
        self._options = Options(everything, lang, key, avoid, lower=echo)
        self._stays = stays or frozenset()
        self._stayed: set[str] = set()
        self._bare = False
        self._made: dict[int, str] = {}
        self._slots: list[Slot] = []
        self._index: dict[tuple[str, str], int] = {}
        self._arrange(outer, inner)
        if not self._slots and not echo:
            self._arrange([little_words(some) for some in outer], little_words(inner))
        if not self._slots and self._encoding and not echo:
            self._arrange(outer, signs(plain or ""))
        elif not self._slots and not echo:
            self._arrange([signs(text)], [])
            self._bare = True
        self._fixed = "".join(part for part in self._outer + self._inner if isinstance(part, str))
        self._kin = self._relations()
        self._order = sorted(range(len(self._slots)), key=self._kin.__contains__)

    def _arrange(self, outer: list[list[Piece]], inner: list[Piece]) -> None:
        self._inner = self._parts(inner, self._encoding)
        self._outer: list[Part] = []
        for i, some in enumerate(outer):
            self._outer += [None, *self._parts(some)] if i else self._parts(some)

    @property
    def echoes(self) -> bool:
        """Tell whether words stay, and no more than are said otherwise."""
        return 0 < len(self._stayed) <= len(self._slots)

    @property
    def mostly_stays(self) -> bool:
        """Tell whether more words stay than are said otherwise."""
        return len(self._stayed) > len(self._slots)

    def make(self, k: int) -> str:
        """Return the ``k``-th twin."""
        made = self._made.get(k) or bare_twin(self._text, self._bare, k)
        if made is None:
            picks = self._picks(k)
            hidden = ""
            if self._encoding:
                if self._encoding == "base64":
                    self._even_out(picks)
                hidden = encode(_render(self._inner, picks, ""), self._encoding)
            made = _render(self._outer, picks, hidden)
            if len(made) != len(self._text):
                # an encoding whose length hangs on the letters: vary what is seen of it instead
                seen = Recipe(self._text, None, None, self._lang, self._key, self._avoid)
                made = seen.make(k)
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            self._made[k] = made
        return made

    def _picks(self, k: int) -> list[str]:
        taken: set[str] = set()
        picks = [""] * len(self._slots)
        seen = self._fixed
        for at in self._order:
            pick = ""
            kin = self._kin.get(at)
            if kin is not None:
                base, shared, suffix = kin
                pick = picks[base][:shared] + suffix
                if pick in taken or self._options.refused(pick):
                    pick = ""
            slot = self._slots[at]
            if not pick and k % 2 and isinstance(slot, Pool) and len(picks) > FEW:
                pick = slot.pick_like(k, taken, seen)
            pick = pick or slot.pick(k, taken)
            seen += pick
            taken.add(pick)
            picks[at] = pick
        return picks

    def _even_out(self, picks: list[str]) -> None:
        """Swap words until the base64 text counts up like the payload's.

        Which digits and capitals base64 makes depends on every letter, so the words are
        not chosen one by one but tried in place.
        """
        wanted = counts(self._hidden)

        def far() -> int:
            found = counts(encode(_render(self._inner, picks, ""), "base64"))
            return sum(abs(a - b) for a, b in zip(found, wanted, strict=True))

        distance = far()
        bases = {base for base, _, _ in self._kin.values()}
        for at in sorted({part[0] for part in self._inner if isinstance(part, tuple)}):
            slot = self._slots[at]
            if at in self._kin or at in bases or not isinstance(slot, Pool):
                continue
            for option in slot.after(picks[at], _TRIES):
                if not distance:
                    return
                if option in picks:
                    continue
                before, picks[at] = picks[at], option
                found = far()
                if found < distance:
                    distance = found
                else:
                    picks[at] = before

    def _parts(self, pieces: list[Piece], encoding: str = "") -> list[Part]:
        cases: dict[str, set[str]] = {}
        if encoding in UNEVEN:
            for kind, text in pieces:
                if kind == "word":
                    cases.setdefault(bare(text), set()).add(text)
        parts: list[Part] = []
        fixed = ""
        for piece in pieces:
            use = self._use(piece, encoding, cases)
            if use is None:
                fixed += piece[1]
                continue
            parts += [fixed, use] if fixed else [use]
            fixed = ""
        return [*parts, fixed] if fixed else parts

    def _use(self, piece: Piece, encoding: str, cases: dict[str, set[str]]) -> Use | None:
        kind, text = piece
        if kind in ("kept", "function"):
            return None
        if kind == "word" and not encoding and bare(text) in self._stays:
            self._stayed.add(bare(text))
            return None
        name, dress = text, None
        if kind in ("word", "little"):
            name, dress = bare(text), form(text)
        elif kind == "number":
            name, dress = ascii_digits(text), digits_form(text)
        at = self._index.get((kind, name))
        if at is None:
            forms = tuple(sorted(cases.get(name, ())))
            slot = self._options.slot(kind, name, encoding, forms)
            if slot is None:
                return None
            at = self._index[kind, name] = len(self._slots)
            self._slots.append(slot)
        return at, dress

    def _relations(self) -> dict[int, Kin]:
        """Let the forms of one word stay forms of one word, where the dictionary has such."""
        if self._encoding in UNEVEN:
            return {}
        suffixes = listed("suffixes") | {""}
        words = [(len(n), at, n) for (kind, n), at in self._index.items() if kind == "word"]
        roots: list[tuple[int, str]] = []
        kin: dict[int, Kin] = {}
        for _, at, name in sorted(words):
            slot = self._slots[at]
            if not isinstance(slot, Pool):
                continue
            for base, root in roots:
                shared = _shared(name, root) if name[:4] == root[:4] else 0
                if shared >= 4 and {name[shared:], root[shared:]} <= suffixes:
                    kin[at] = base, shared, name[shared:]
                    break
            else:
                roots.append((at, name))
        for base, shared, suffix in kin.values():
            slot = self._slots[base]
            if isinstance(slot, Pool):
                both = [w for w in slot.options if w[:shared] + suffix in vocabulary()]
                if len(both) >= FEW:
                    slot.narrow(tuple(both))
        return kin


def _shared(one: str, other: str) -> int:
    size = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        size += 1
    return size


def _render(parts: list[Part], picks: list[str], hidden: str) -> str:
    made = []
    for part in parts:
        if part is None:
            made.append(hidden)
        elif isinstance(part, str):
            made.append(part)
        else:
            at, dress = part
            made.append(picks[at] if dress is None else dress(picks[at]))
    return "".join(made)
