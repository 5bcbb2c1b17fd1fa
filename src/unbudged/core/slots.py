"""The slots of a payload: what may stand in one place, by turns different and never the same thing."""

from __future__ import annotations

from math import gcd
from typing import Protocol

from .letters import DIGITS
from .words import draw


class Slot(Protocol):
    """One thing a payload says, wherever it says it."""

    def pick(self, k: int, taken: set[str]) -> str:
        """Return the ``k``-th replacement, none of those taken as far as there is another."""
        ...


class Pool:
    """A slot filled from a list, a different entry for every ``k`` until the list is used up."""

    __slots__ = ("offset", "options", "step")

    def __init__(self, options: tuple[str, ...], key: str) -> None:
        self.options = options
        n = len(options)
        bits = draw(key)
        self.offset = bits % n
        self.step = 1 + (bits >> 12) % n
        while gcd(self.step, n) != 1:
            self.step += 1

    def pick(self, k: int, taken: set[str]) -> str:
        options = self.options
        n = len(options)
        at = (self.offset + k * self.step) % n
        for _ in range(n):
            if options[at] not in taken:
                break
            at = (at + self.step) % n
        return options[at]


class Number:
    """A slot for a number: as many digits, by turns higher and lower."""

    __slots__ = ("banned", "bits", "digits", "ranges")

    def __init__(self, digits: str, key: str, banned: frozenset[str]) -> None:
        self.digits, self.banned, self.bits = digits, banned, draw(key)
        size, value = len(digits), int(digits) if len(digits) <= 15 else 0
        low = 0 if digits[0] == "0" or size == 1 else 10 ** (size - 1)
        high = 10 ** (size - 1) - 1 if digits[0] == "0" and size > 1 else 10**size - 1
        self.ranges = [r for r in (range(value + 1, high + 1), range(low, value)) if r]

    def pick(self, k: int, taken: set[str]) -> str:
        size = len(self.digits)
        if size > 15:
            return self._long(k)
        if not self.ranges:
            return self.digits
        span = self.ranges[(k + self.bits) % len(self.ranges)]
        turn = k // len(self.ranges)
        step = max(1, int(len(span) * 0.618))
        while gcd(step, len(span)) != 1:
            step += 1
        at = (self.bits >> 1) + turn * step
        for i in range(12):
            pick = str(span[(at + i) % len(span)]).zfill(size)
            if pick not in taken and pick not in self.banned:
                return pick
        for span in self.ranges:
            for value in span[:40]:
                pick = str(value).zfill(size)
                if pick not in taken and pick not in self.banned:
                    return pick
        return str(self.ranges[0][0]).zfill(size)

    def _long(self, k: int) -> str:
        bits, made = draw(f"{self.bits}:{k}"), []
        for i, digit in enumerate(self.digits):
            bits = (bits * 1103515245 + 12345) & 0x7FFFFFFF
            other = "123456789" if i == 0 and digit != "0" else DIGITS
            other = other.replace(digit, "")
            made.append(other[(bits >> 8) % len(other)] if i or digit != "0" else "0")
        return "".join(made)


class Letters:
    """A slot filled character by character from other characters of the same class."""

    __slots__ = ("banned", "choices", "key", "source")

    def __init__(
        self, source: str, choices: list[str], key: str, banned: frozenset[str]
    ) -> None:
        self.source, self.key, self.banned = source, key, banned
        self.choices = choices

    @property
    def varies(self) -> bool:
        return any(self.choices)

    def pick(self, k: int, taken: set[str]) -> str:
        pick = self.source
        for attempt in range(30):
            pick = self._make(k + attempt * 7919)
            if pick not in taken and pick not in self.banned:
                break
        return pick

    def _make(self, k: int) -> str:
        bits, first = draw(f"{self.key}:{k}"), draw(self.key) + k
        made = []
        for char, others in zip(self.source, self.choices):
            if not others:
                made.append(char)
                continue
            made.append(others[first % len(others)])
            bits = (bits * 1103515245 + 12345) & 0x7FFFFFFF
            first = bits >> 8
        return "".join(made)
