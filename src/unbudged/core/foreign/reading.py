"""One file of other people read: the reader of each format."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import CorpusError
from .entries import Found
from .names import FORMATS, OURS, check_file
from .tables import read_csv, read_json, read_jsonl, read_tsv, read_txt
from .tools import read_etb_scan, read_garak, read_promptfoo, read_pyrit

_READERS: dict[str, Callable[[str, Found, str | None], None]] = {
    "txt": read_txt,
    "json": read_json,
    "jsonl": read_jsonl,
    "csv": read_csv,
    "tsv": read_tsv,
    "garak": read_garak,
    "pyrit": read_pyrit,
    "promptfoo": read_promptfoo,
    "etb-scan": read_etb_scan,
}
_BY_LINE = ("txt", "jsonl", "csv", "tsv")
_IN_JSON = ("json", "garak", "etb-scan")


def read_foreign(path: str, shown: str, format: str, column: str | None) -> Found:
    """Read every payload of a file in a format of ``FORMATS`` that is not ours.

    Raises CorpusError naming the file, the line or entry, and the key.
    """
    is_json = path.lower().endswith(".json") or (
        format in _IN_JSON and not path.lower().endswith(FORMATS[OURS])
    )
    check_file(path, shown, is_json)
    found = Found(shown, "line" if format in _BY_LINE else "entry", is_json)
    _READERS[format](path, found, column)
    if not found.entries:
        left_out = (f"{count} left out: {why}" for why, count in found.left_out.items())
        why = "; ".join([*left_out, *found.guesses])
        raise CorpusError(f"{shown}: holds no payloads{f' ({why})' if why else ''}")
    return found
