"""The shape of a text: which parts say something, which only hold it together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from .words import function_words

Kind = Literal[
    "kept", "function", "word", "number", "letters", "escape", "date", "symbol", "little", "sign"
]


class Piece(NamedTuple):
    """A stretch of a text: what it is and the characters it holds."""

    kind: Kind
    text: str


# zero-width and combining characters inside a word belong to its form, not to its letters
MARKS = "\u00ad\u0300-\u036f\u200b-\u200f\u2060\ufeff"
_L = r"[^\W\d_]"
_RUN = rf"{_L}(?:[{MARKS}]*{_L})*"
_FENCES = "json|ya?ml|xml|html|python|py|js|javascript|text|txt|md|markdown|toml|bash|sh|sql"

_TOKEN = re.compile(
    rf"""
    (?P<kept>
        <\?xml[^>]*\?> | <!(?:DOCTYPE|ELEMENT|ENTITY|ATTLIST|\[CDATA\[)
      | &(?:amp|lt|gt|quot|apos|nbsp); | \bxmlns\b | \bxml(?=:)
      | \\[abefnrtvNLP_0"'\\/] | \\U[0-9A-Fa-f]{{8}} | %[sdif]\b | %YAML[ ][\d.]+ | !![a-z]+
      | \b[rbfuRBFU]{{1,2}}(?=["']) | \b0[bBoO][0-7]+\b | ```(?:{_FENCES})\b | \bhttps?(?=://)
      | (?<=\d)(?:st|nd|rd|th)\b )
  | (?P<escape> %[0-9A-Fa-f]{{2}} | \\u[0-9A-Fa-f]{{4}} | \\x[0-9A-Fa-f]{{2}}
      | &\#[0-9]+; | &\#x[0-9A-Fa-f]+; )
  | (?P<date> (?<!\d)\d{{4}}-\d\d-\d\d(?:[Tt\ ]\d\d:\d\d(?::\d\d)?)?(?!\d) )
  | (?P<number> (?<![A-Za-z0-9])\d+(?=[eE][+-]?\d+(?![A-Za-z0-9])) )
  | (?P<exponent> (?<=\d)[eE](?=[+-]?\d+(?![A-Za-z0-9])) )
  | (?P<letters>
        (?<![A-Za-z0-9])0[xX][0-9A-Fa-f]+(?![A-Za-z0-9])
      | (?<![A-Za-z0-9+/])(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?=[A-Za-z+/]*[0-9])
        [A-Za-z0-9+/]{{16,}}={{0,2}}
      | (?<![A-Za-z0-9])(?:[A-Za-z]+[0-9]+[A-Za-z]|[0-9]+[A-Za-z]+[0-9])[A-Za-z0-9]* )
  | (?P<digits> \d+ )
  | (?P<word> {_RUN}(?:['\u2019]{_RUN})* )
  | (?P<symbol> [\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001f3fa\U0001f400-\U0001faff] )
    """,
    re.VERBOSE,
)
_MARK = re.compile(f"[{MARKS}]")
_APOSTROPHE = re.compile("(['\u2019])")
_CAMEL = re.compile(r"[A-Za-z][a-z]{2,}(?:[A-Z][a-z]{2,})+")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]")
_CONTRACTED = frozenset({"s", "t", "d", "m", "re", "ve", "ll"})
NEGATED = tuple(
    ["don", "doesn", "didn", "isn", "aren", "wasn", "weren", "hasn", "haven", "hadn", "won", "wouldn", "shouldn", "couldn", "can", "mustn", "mightn", "needn", "ain"]
)
# one is a pronoun more often than a number, and stays
NUMBER_WORDS = tuple(
    ["zero", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "thousand"]
)
_LITERALS = frozenset({"true", "false", "null", "none"})
_CODE = re.compile(
    r"\bdef \w+\(|\bclass \w+[(:]|\bfunction\b\s*\w*\(|^\s*(?:import|from) [\w.]+(?: import\b.*)?$"
    r"|=>|\b(?:const|let|var) \w+ ?=|;[ \t]*$|^\s*(?:assert|return)\b.*[=({\[]",
    re.MULTILINE,
)
_KEYWORDS = frozenset(
    ["def", "return", "class", "import", "lambda", "async", "await", "elif", "except", "raise", "try", "finally", "assert", "global", "nonlocal", "del", "yield", "function", "const", "let", "var", "new", "throw", "catch", "switch", "case", "match", "break", "continue", "true", "false", "none", "null"]
)


def is_mark(char: str) -> bool:
    """Say whether a character inside a word is no letter of it."""
    return _MARK.match(char) is not None


def cut(text: str, lang: str = "en") -> Iterator[Piece]:
    """Cut a text into pieces that join to it again."""
    keep = function_words(lang)
    code = _CODE.search(text) is not None
    at = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if start > at:
            yield Piece("kept", text[at:start])
        at = end
        kind = match.lastgroup
        token = match.group()
        if kind == "word":
            yield from _word(text, start, end, keep, code)
        elif kind == "digits" or kind == "number":
            yield Piece("number", token)
        elif kind == "exponent":
            yield Piece("kept", token)
        else:
            yield Piece(kind, token)  # type: ignore[arg-type]
    if at < len(text):
        yield Piece("kept", text[at:])


def little_words(pieces: list[Piece]) -> list[Piece]:
    """Turn the function words of a text that has nothing else into pieces that can be replaced."""
    found: list[Piece] = []
    for piece in pieces:
        kind, text = piece
        ends = bool(found) and found[-1].text in ("'", "\u2019") and text.lower() not in NEGATED
        varies = kind == "function" and not ends
        found.append(Piece("little", text) if varies else piece)
    return found


def signs(text: str) -> list[Piece]:
    """Cut a text without any word or number into its characters."""
    return [Piece("sign", char) for char in text]


def _word(text: str, start: int, end: int, keep: frozenset[str], code: bool) -> Iterator[Piece]:
    token = text[start:end]
    low = token.lower()
    if low in keep:
        # a lone capital A that no word follows is a letter grade, not an article
        grade = token == "A" and not text[end : end + 2].strip()[:1].isalpha()
        yield Piece("word" if grade and start else "function", token)
    elif (code and (low in _KEYWORDS or _statement(text, start, end, low))) or (low in _LITERALS and _literal(text, start, end)):
        yield Piece("kept", token)
    elif "'" in token or "\u2019" in token:
        yield from _apostrophes(token, keep)
    elif _CAMEL.fullmatch(token):
        for hump in _HUMP.findall(token):
            yield Piece("function" if hump.lower() in keep else "word", hump)
    elif _MARK.sub("", low) in keep:
        yield Piece("function", token)
    else:
        yield Piece("word", token)


def _apostrophes(token: str, keep: frozenset[str]) -> Iterator[Piece]:
    parts = _APOSTROPHE.split(token)
    for i, part in enumerate(parts):
        low = part.lower()
        if i % 2:
            yield Piece("kept", part)
        elif low in keep or (i and low in _CONTRACTED) or (i + 2 < len(parts) and low in NEGATED and parts[i + 2].lower() == "t"):
            yield Piece("function", part)
        else:
            yield Piece("word", part)


def _statement(text: str, start: int, end: int, low: str) -> bool:
    """Say whether ``pass`` stands where only the Python statement can."""
    if low != "pass":
        return False
    line = text[text.rfind("\n", 0, start) + 1 : start].strip()
    return (not line or line.endswith(":")) and text[end:].partition("\n")[0].strip() in ("", "```")


def _literal(text: str, start: int, end: int) -> bool:
    """Say whether a true or null is a value between delimiters, as in JSON, YAML and code."""
    before = text[max(0, start - 20) : start].rstrip(" \t")[-1:]
    after = text[end : end + 20].lstrip(" \t")[:1]
    return before in tuple(":,[=(-") and after in ("", "\n", *",]});")
