"""Words bare and dressed: the letters of a token, and its capitals and inner marks put back."""

from __future__ import annotations

from collections.abc import Callable

from .shape import is_mark

Form = Callable[[str], str]


def bare(token: str) -> str:
    """Return a word in lower case without inner marks; as it is where case changes its size."""
    if token.isascii():
        return token.lower()
    letters = "".join(c for c in token if not is_mark(c))
    low = letters.lower()
    same = len(low) == len(letters) and len(low.encode()) == len(letters.encode())
    return low if same else letters


def form(token: str) -> Form | None:
    """Return what gives a lower-case word the capitals and inner marks of a token."""
    if token.isascii():
        if token.islower():
            return None
        if token.isupper():
            return str.upper
        if token[1:].islower():
            return str.capitalize

    def dress(word: str) -> str:
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

    return dress


def ascii_digits(token: str) -> str:
    """Return a number in ASCII digits."""
    return token if token.isascii() else "".join(str(int(c)) for c in token)


def digits_form(token: str) -> Form | None:
    """Return what writes ASCII digits in the digits of a token."""
    if token.isascii():
        return None
    zeros = [ord(c) - int(c) for c in token]
    return lambda digits: "".join(chr(z + int(d)) for z, d in zip(zeros, digits, strict=True))
