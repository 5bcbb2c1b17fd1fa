"""Which reference answers a text states: such a text would move every honest scorer."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .corpus import Attack

_TOKEN = re.compile(r"[^\W_]+(?:[.,]\d+)*")


def _tokens(text: str) -> tuple[str, ...]:
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)  # one spelling of an accent is another's leak
    words = _TOKEN.findall(text)
    return tuple(w if len(w) == 1 and w.isalpha() else w.casefold() for w in words)


class References:
    """Reference answers, ready to be looked for in many texts at the cost of one."""

    def __init__(self, references: Iterable[str]) -> None:
        self._worded: dict[tuple[str, ...], list[str]] = {}
        self._bare: list[str] = []  # of marks only: looked for as they stand
        for reference in references:
            words = _tokens(reference)
            if words:
                self._worded.setdefault(words, []).append(reference)
            elif reference.strip():
                self._bare.append(reference)
        self._sizes = sorted({len(words) for words in self._worded})

    def __bool__(self) -> bool:
        return bool(self._worded or self._bare)

    def stated_by(self, attack: Attack) -> set[str]:
        """Return the references a payload states (case and spacing aside).

        A reference of a single letter must match in case, or every article "a" would
        be a leak.
        """
        found = {r for r in self._bare if r.strip() in attack.text}
        for text in (attack.text, attack.plain):
            words = _tokens(text) if text else ()
            for size in self._sizes:
                for i in range(len(words) - size + 1):
                    found.update(self._worded.get(words[i : i + size], ()))
        return found


def leaks(attack: Attack, reference: str | None) -> bool:
    """Tell whether the payload states the reference answer."""
    return bool(References((reference,) if reference else ()).stated_by(attack))
