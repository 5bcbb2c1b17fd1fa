"""Whether a file is UTF-8 text: if not, one line that says what it is and what to do."""

from __future__ import annotations

import codecs
from typing import BinaryIO

from ..errors import CorpusError

BOM = codecs.BOM_UTF8
_BLOCK = 1 << 20
_SAVE = "save it as UTF-8"
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


def _with_nulls(block: bytes) -> str:
    # every other byte of Western text in UTF-16 is a null
    for half in (block[:200:2], block[1:200:2]):
        if half and half.count(0) > len(half) / 2:
            return f"is UTF-16 text: {_SAVE}"
    return "is binary, not text: give a text file"
