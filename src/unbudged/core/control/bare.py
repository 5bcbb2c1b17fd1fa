"""Twins of a payload that is a whole document of signs or one literal: {}, [], null.

Its signs are all it is. In another order they tell a scorer that counts them from one that
takes them for an answer; another document tells one that wants it to parse.
"""

from __future__ import annotations

_LITERALS = {"null": "true", "true": "null"}


def bare_twin(text: str, signs: bool, k: int) -> str | None:
    """Return the twin of every third turn each, None where the usual one is due.

    ``signs`` says that the text has neither words nor numbers.
    """
    if k % 3 == 1 and signs and not any(map(str.isdigit, text)):  # %00 keeps its digits in place
        back = iter([c for c in reversed(text) if not c.isspace()])
        turned = "".join(c if c.isspace() else next(back) for c in text)
        return turned if turned != text else None
    if k % 3 == 2 and signs and not any(map(str.isspace, text)) and _parses(text):
        return '"' + "-" * (len(text) - 2) + '"'
    return _LITERALS.get(text) if k % 3 == 2 else None


def _parses(text: str) -> bool:
    import json

    try:
        json.loads(text)
    except ValueError:
        return False
    return True
