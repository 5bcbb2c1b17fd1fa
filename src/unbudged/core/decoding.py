"""Whether a file is UTF-8 text: if not, one line that says what it is and what to do."""

from __future__ import annotations

import codecs
from typing import BinaryIO

from ..errors import CorpusError

BOM = codecs.BOM_UTF8
_BLOCK = 1 << 20
_LOOKED_AT = 1 << 12
_SAVE = "save it as UTF-8"
_PLAIN = frozenset(b"\t\n\r") | frozenset(range(0x20, 0x7F))
# UTF-32 before UTF-16: its mark starts with that of UTF-16
_OTHERS = (
    (codecs.BOM_UTF32_LE, f"is UTF-32 text: {_SAVE}"),
    (codecs.BOM_UTF32_BE, f"is UTF-32 text: {_SAVE}"),
    (codecs.BOM_UTF16_LE, f"is UTF-16 text: {_SAVE}"),
    (codecs.BOM_UTF16_BE, f"is UTF-16 text: {_SAVE}"),
    (b"\x1f\x8b", "is compressed: unpack it first"),
    (b"PK\x03\x04", "is an archive or a spreadsheet: unpack it, or save it as CSV in UTF-8"),
    (b"PAR1", "is a Parquet file: save it as CSV or JSONL"),
)


def check_text(file: BinaryIO, shown: str) -> None:
    """Read a file to its end in blocks; raise CorpusError unless all of it is UTF-8 text."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines, block = 1, file.read(_BLOCK)
    for start, problem in _OTHERS:
        if block.startswith(start):
            raise CorpusError(f"{shown}: {problem}")
    while True:
        if b"\0" in block:
            raise CorpusError(f"{shown}: {_with_nulls(block)}")
        try:
            decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            line = lines + error.object[: error.start].count(b"\n")
            raise CorpusError(f"{shown}, line {line}: is not UTF-8 text: {_SAVE}") from None
        if not block:
            return
        lines += block.count(b"\n")
        block = file.read(_BLOCK)


def _with_nulls(start: bytes) -> str:
    for name in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        if _is_text(start[:_LOOKED_AT], name):
            return f"is {name[:6].upper()} text: {_SAVE}"
    return "is binary, not text: give a text file"


def _is_text(start: bytes, encoding: str) -> bool:
    """Say whether bytes read as text in an encoding of two or four bytes a character.

    Other data does not: some of its characters are controls, private or not assigned. Plain
    letters with a stray null do, as Chinese ones, two in a character: they are told by both
    halves being plain, which holds of few characters in a real text.
    """
    from unicodedata import category

    size = int(encoding[4:6]) // 8
    if len(start) % size:  # what is looked at of a long file is even
        return False
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeDecodeError:
        return False
    if any(category(c) in ("Cc", "Cn", "Co") and c not in "\t\n\r\f" for c in text):
        return False
    far = [ord(c) for c in text if ord(c) > 0xFF]
    plain = sum(c >> 8 in _PLAIN and c & 0xFF in _PLAIN for c in far)
    return plain <= 0.85 * len(far)
