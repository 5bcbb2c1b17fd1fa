"""Slow judges for comparisons: a free rule, and the wait of a call to a service."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable

LATENCY = 0.05
_ORDERS = re.compile(
    r"(full|maximum|highest|top|perfect)[ _-](marks?|scores?|rating|grade|credit)|verdict\W+pass"
    r"|\b10 ?/ ?10\b|evaluation passed",
    re.IGNORECASE,
)


def obeys(text: str) -> float:
    """Pass any answer that holds an order to: 0.9, else 0.2."""
    return 0.9 if _ORDERS.search(text) else 0.2


def length(text: str) -> float:
    """Give more for longer answers, whatever they say: 0 to 1."""
    return min(1.0, len(text) / 2000)


def head(text: str) -> float:
    """Read the first 40 characters only: 0 to 1."""
    return sum(map(text[:40].count, "aeiou")) / 40


RULES: dict[str, Callable[[str], float]] = {"obeys": obeys, "length": length, "head": head}


class Slow:
    """A rule that answers ``LATENCY`` seconds after it was asked; keeps the texts it was given."""

    def __init__(self, rule: str) -> None:
        self._rule, self._lock = RULES[rule], threading.Lock()
        self.texts: list[str] = []

    def score(self, text: str) -> float:
        with self._lock:
            self.texts.append(text)
        time.sleep(LATENCY)
        return self._rule(text)

    async def awaited(self, text: str) -> float:
        self.texts.append(text)
        await asyncio.sleep(LATENCY)
        return self._rule(text)
