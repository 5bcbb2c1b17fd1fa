"""The shape of a text: which parts say something, which only hold it together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from .words import function_words, glued, listed

Kind = Literal[
    "kept", "function", "word", "number", "letters", "escape", "date", "symbol", "little", "sign"
]
#: a stretch of a text: what it is and the characters it holds
Piece = tuple[Kind, str]

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
      | \b[rbfuRBFU]{{1,2}}(?=["'](?!(?:s|t|d|m|re|ve|ll)\b)) | \b0[bBoO][0-7]+\b
      | ```(?:{_FENCES})\b | \bhttps?(?=://)
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
_APOSTROPHES = ("'", "\u2019")
_APOSTROPHE = re.compile("(['\u2019])")
_CAMEL = re.compile(r"[A-Za-z][a-z]{2,}(?:[A-Z][a-z]{2,})+")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]")
_HAN = re.compile("[\u3005\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_SCRIPT = re.compile(rf"[\u3041-\u309f]+|[\u30a0-\u30ff]+|{_HAN.pattern}|[A-Za-z]+|.", re.DOTALL)
_CONTRACTED = frozenset({"s", "t", "d", "m", "re", "ve", "ll"})
_LITERALS = frozenset({"true", "false", "null", "none"})
_CODE = re.compile(
    r"\bdef \w+\(|\bclass \w+[(:]|\bfunction\b\s*\w*\(|^\s*(?:import|from) [\w.]+(?: import\b.*)?$"
    r"|=>|\blambda\b[\w, ]*:|\b(?:const|let|var) \w+ ?=|;[ \t]*$|^\s*(?:assert|return)\b.*[=({\[]",
    re.MULTILINE,
)


def is_mark(char: str) -> bool:
    """Say whether a character inside a word is no letter of it."""
    return _MARK.match(char) is not None


def cut(text: str, lang: str = "en") -> Iterator[Piece]:
    """Cut a text into pieces that join to it again."""
    keep, unspaced = function_words(lang), glued(lang)
    code = _CODE.search(text) is not None
    at = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if start > at:
            yield "kept", text[at:start]
        at = end
        kind = match.lastgroup
        token = match.group()
        if kind == "word" and unspaced is not None and not token.isascii():
            yield from _run(token, unspaced)
        elif kind == "word":
            yield from _word(text, start, end, keep, code)
        elif kind == "digits" or kind == "number":
            yield "number", token
        elif kind == "exponent":
            yield "kept", token
        else:
            yield kind, token  # type: ignore[misc]
    if at < len(text):
        yield "kept", text[at:]


def _run(token: str, little: tuple[str, ...]) -> Iterator[Piece]:
    """Cut a run of a script without spaces: its function words, and the rest in words of two."""
    known = re.compile("|".join(map(re.escape, little)) or r"(?!)")
    for run in _SCRIPT.findall(token):
        if "\u3041" <= run[0] <= "\u309f":  # inflections and particles
            yield "function", run
            continue
        if not _HAN.match(run):
            yield "word", run
            continue
        at = 0
        for match in (*known.finditer(run), None):
            end = match.start() if match else len(run)
            while at < end:
                size = min(end - at, 3 if end - at == 3 else 2)
                yield "word", run[at : at + size]
                at += size
            if match:
                yield "function", match.group()
                at = match.end()


def little_words(pieces: list[Piece]) -> list[Piece]:
    """Turn the function words of a text that has nothing else into pieces that can be replaced."""
    negated = listed("negated")
    found: list[Piece] = []
    for kind, text in pieces:
        ends = bool(found) and found[-1][1] in _APOSTROPHES and text.lower() not in negated
        found.append(("little" if kind == "function" and not ends else kind, text))
    return found


def signs(text: str) -> list[Piece]:
    """Cut a text without any word or number into its characters."""
    return [("sign", char) for char in text]


def _word(text: str, start: int, end: int, keep: frozenset[str], code: bool) -> Iterator[Piece]:
    token = text[start:end]
    low = token.lower()
    if len(low) != len(token):
        yield "word", token
    elif low in keep:
        # a capital A that nothing follows on its line is a letter grade, not an article (nor N/A)
        grade = start and token == "A" and not text[end : end + 2].partition("\n")[0].strip(" .,;")
        grade = grade and text[start - 1] != "/"
        yield "word" if grade else "function", token
    elif _held(text, start, end, low, code):
        yield "kept", token
    elif "'" in token or "\u2019" in token:
        yield from _apostrophes(token, keep)
    elif _CAMEL.fullmatch(token):
        for hump in _HUMP.findall(token):
            yield "function" if hump.lower() in keep else "word", hump
    else:
        yield "function" if _MARK.sub("", low) in keep else "word", token


def _apostrophes(token: str, keep: frozenset[str]) -> Iterator[Piece]:
    negated = listed("negated")
    parts = _APOSTROPHE.split(token)
    for i, part in enumerate(parts):
        low = part.lower()
        if i % 2:
            yield "kept", part
            continue
        stays = low in keep or (i and low in _CONTRACTED)
        stays = stays or (low in negated and parts[i + 2 : i + 3] in (["t"], ["T"]))
        yield "function" if stays else "word", part


def _held(text: str, start: int, end: int, low: str, code: bool) -> bool:
    """Say whether a word is part of a notation that would not parse without it.

    A true or null between delimiters, as in JSON, YAML and code; in code a keyword, and
    ``pass`` only where nothing but the statement can stand.
    """
    if code and low in listed("code"):
        return True
    if low in _LITERALS:
        before = text[:start].rstrip()[-1:]
        after = text[end : end + 20].lstrip(" \t")[:1]
        return before in tuple(":,[=(-") and after in ("", "\n", *",]});")
    if code and low == "pass":
        before = text[text.rfind("\n", 0, start) + 1 : start].strip()
        after = text[end:].partition("\n")[0].strip()
        return (not before or before.endswith(":")) and after in ("", "```")
    return False
