"""A payload's own words in another order: its vocabulary without its message."""

from __future__ import annotations

import random
import re

_WORD = re.compile(r"[^\W_]+")
LEAST_WORDS = 2


def scramble(text: str, k: int, key: str = "") -> str | None:
    """Return the text with its words in another order, None where that says nothing.

    The first (k = 0) has them back to front, so that no order survives; later ones
    shuffled. Everything between the words stays. A judge that counts words scores it
    like the text itself; one that follows what the text says does not. Texts of a single
    word, however often, are not scrambled.
    """
    words = _WORD.findall(text)
    if len({w.lower() for w in words}) < LEAST_WORDS:
        return None
    order = words[::-1]
    rng = random.Random(f"scramble:{key}:{k}")
    while k or order == words:
        k = 0
        rng.shuffle(order)
    queue = iter(order)
    return _WORD.sub(lambda _: next(queue), text)
