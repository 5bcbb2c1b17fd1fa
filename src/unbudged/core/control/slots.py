"""The slots of a payload: what stands in one place, by turns different and never the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import gcd
from typing import Protocol

from .letters import DIGITS
from .words import draw

_INT_DIGITS = 15
_WINDOW = 8


class Slot(Protocol):
    """One thing a payload says, wherever it says it."""

    def pick(self, k: int, taken: set[str]) -> str:
        """Return the ``k``-th replacement, none of those taken as far as there is another."""
        ...


def _stride(size: int, wish: int) -> int:
    """Return a step near ``wish`` that visits every one of ``size`` places."""
    step = max(1, wish)
    while gcd(step, size) != 1:
        step += 1
    return step


class Pool:
    """A slot filled from a list, a different entry for every ``k`` until the list is used up."""

    __slots__ = ("_bits", "_offset", "_step", "options")

    def __init__(self, options: tuple[str, ...], key: str) -> None:
        self._bits = draw(key)
        self.narrow(options)

    def narrow(self, options: tuple[str, ...]) -> None:
        """Fill from another list."""
        self.options = options
        self._offset = self._bits % len(options)
        # neighbours in the alphabet begin alike: one after another is taken from far apart
        self._step = _stride(len(options), int(len(options) * 0.618))

    def pick(self, k: int, taken: set[str]) -> str:
        options, size = self.options, len(self.options)
        at = (self._offset + k * self._step) % size
        for _ in range(size):
            if options[at] not in taken:
                break
            at = (at + self._step) % size
        return options[at]

    def pick_like(self, k: int, taken: set[str], seen: str) -> str:
        """Return one of the next few entries, the one that shares most with the text so far."""
        options, size, step = self.options, len(self.options), self._step
        at = (self._offset + k * step) % size
        best, most = "", -1
        for _ in range(_WINDOW):
            pick = options[at]
            at = (at + step) % size
            if pick in taken:
                continue
            shared = (pick[:3] in seen) + (pick[1:4] in seen) + (pick[-3:] in seen)
            if shared > most:
                best, most = pick, shared
                if shared == 3:
                    break
        return best or self.pick(k, taken)

    def after(self, pick: str, limit: int) -> Iterator[str]:
        """Yield up to ``limit`` further entries of the list, from a pick on."""
        options, size = self.options, len(self.options)
        at = options.index(pick) if pick in options else 0
        for _ in range(min(limit, size - 1)):
            at = (at + self._step) % size
            yield options[at]


class Number:
    """A slot for a number: as many digits, by turns higher and lower while both last.

    None comes again while another is left, or half of the twins of 11 would share one
    number, 10, and some judge pays for a 10. A round number is replaced by others as round
    while there are any: a scorer that counts zeros, or how well a text packs, tells 100
    from 473. ``lower`` takes lower numbers only, with leading zeros.
    """

    __slots__ = ("_banned", "_bits", "_digits", "_rough", "_spans")

    def __init__(
        self, digits: str, key: str, banned: frozenset[str], lower: bool = False
    ) -> None:
        self._digits, self._banned, self._bits = digits, banned, draw(key)
        size = len(digits)
        self._spans: list[range] = []
        self._rough: list[range] = []
        if size <= _INT_DIGITS:
            leads = digits[0] == "0" and size > 1
            low = 0 if leads or size == 1 or lower else 10 ** (size - 1)
            high = 10 ** (size - 1) if leads else 10**size
            value = int(digits)
            if lower and value:
                self._spans = [range(value)]
                return
            unit = 10 ** (size - len(digits.rstrip("0"))) if value else 1
            spans = range(value + unit, high, unit), range(-(-low // unit) * unit, value, unit)
            self._spans = [s for s in spans if s]
            self._rough = [s for s in (range(value + 1, high), range(low, value)) if s]

    def pick(self, k: int, taken: set[str]) -> str:
        size, count = len(self._digits), len(self._spans)
        if not count:
            return self._by_digit(k)
        first, turn = self._turn(k)
        for span in self._spans[first:] + self._spans[:first] + self._rough:
            at = (self._bits >> 1) + turn * _stride(len(span), int(len(span) * 0.618))
            for i in range(min(len(span), 100)):
                pick = str(span[(at + i) % len(span)]).zfill(size)
                if pick not in taken and pick not in self._banned:
                    return pick
        return str(self._spans[0][0]).zfill(size)

    def _turn(self, k: int) -> tuple[int, int]:
        """Return which span the ``k``-th number is of, and which of that span's it is."""
        first = (k + self._bits) % len(self._spans)
        shared = min(map(len, self._spans))
        turn = k % sum(map(len, self._spans)) if len(self._spans) > 1 else k
        if len(self._spans) < 2 or turn < 2 * shared:
            return first, turn // len(self._spans)
        return max((0, 1), key=lambda i: len(self._spans[i])), turn - shared

    def _by_digit(self, k: int) -> str:
        bits, made = draw(f"{self._bits}:{k}"), []
        for i, digit in enumerate(self._digits):
            bits = (bits * 1103515245 + 12345) & 0x7FFFFFFF
            zero = digit == "0"
            others = "0" if zero and not i else DIGITS[not i :].replace(digit, "")
            made.append(others[(bits >> 8) % len(others)])
        return "".join(made)


class Letters:
    """A slot filled character by character from other characters of the same class."""

    __slots__ = ("_choices", "_key", "_refused", "_source")

    def __init__(
        self, source: str, choices: list[str], key: str, refused: Callable[[str], bool]
    ) -> None:
        self._source, self._choices = source, choices
        self._key, self._refused = key, refused

    def pick(self, k: int, taken: set[str]) -> str:
        pick = self._source
        for attempt in range(30):
            pick = self._make(k + attempt * 7919)
            if pick not in taken and not self._refused(pick):
                break
        return pick

    def _make(self, k: int) -> str:
        # the first character goes through all its choices in turn, the others at random
        turn, bits = draw(self._key) + k, draw(f"{self._key}:{k}")
        made = []
        for char, others in zip(self._source, self._choices, strict=False):
            if not others:
                made.append(char)
                continue
            made.append(others[turn % len(others)])
            bits = (bits * 1103515245 + 12345) & 0x7FFFFFFF
            turn = bits >> 8
        return "".join(made)
