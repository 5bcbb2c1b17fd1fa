"""Payloads in plain files: one a line, or in a column of rows (CSV, TSV, JSON, JSONL)."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ...errors import CorpusError
from ..decoding import BOM
from .entries import Entry, Found, kind, language, said
from .events import pieces

#: what a payload's column is called where nobody names it, the first that is there
_PAYLOAD = (
    "payload", "text", "prompt", "injection", "attack", "jailbreak", "value", "content", "goal",
    "behavior", "instruction",
)  # fmt: skip
_REMARKS = {
    "name": ("id", "name"),
    "family": ("family", "category", "type", "harm_category"),
    "note": ("note", "description"),
    "source": ("source",),
    "licence": ("licence", "license"),
}
#: how columns are called: one word, whose letters have a case (others write sentences as one)
_NAME = re.compile(r"[^\W\d]\w*(?:[.-]\w+)*")
_LONGEST_NAME = 32
_LONGEST_FIELD = 2**31 - 1


class _Columns:
    """Which columns of a row hold what; the first row decides which is the payload's."""

    def __init__(self, found: Found, number: int, keys: Sequence[str], column: str | None) -> None:
        self._found, self._low = found, {key.lower().strip(): key for key in reversed(keys)}
        # promptfoo's own columns, __expected and the like, hold no payload
        rest = [key for key in keys if not key.startswith("__")]
        usual = [self._low[name] for name in _PAYLOAD if name in self._low]
        self.payload = column or next(iter(usual), rest[0] if len(rest) == 1 else None)
        if self.payload is None or self.payload not in keys:
            wanted = f"no column {column!r}" if column else "no column is known to hold payloads"
            there = ", ".join(_short(key) for key in keys[:8]) or "none"
            there += f" and {len(keys) - 8} more" if len(keys) > 8 else ""
            hint = "name one of them" if column else "name it: FILE@format:COLUMN, or --column"
            found.fail(number, None, f"{wanted}; there are {there}: {hint}")
        self._guessed(usual, column, len(keys))

    def _guessed(self, usual: Sequence[str], column: str | None, keys: int) -> None:
        """Say which column was taken where nobody named it and its name does not settle it."""
        if column is not None or keys == 1 or len(usual) == 1:
            return
        others = ", ".join(map(_short, usual[1:]))
        why = f"not from {others}" if others else "the only one that may hold them"
        self._found.guesses.append(
            f"payloads are taken from column {_short(self.payload or '')}, {why}:"
            " --column NAME or FILE@format:COLUMN takes another"
        )

    def _first(self, names: Sequence[str]) -> str | None:
        return next((self._low[name] for name in names if name in self._low), None)

    def entry(self, row: Mapping[str, Any]) -> Entry:
        remarks = {
            field: said(row.get(key))
            for field, names in _REMARKS.items()
            if (key := self._first(names)) and key != self.payload
        }
        lang, place = self._first(("lang", "language")), self._first(("placement",))
        return Entry(
            row[self.payload or ""],
            lang=language(row.get(lang)) if lang else None,
            placement=said(row.get(place)) if place else None,
            **remarks,
        )


def _short(name: str) -> str:
    return repr(name if len(name) <= 40 else f"{name[:37]}...")


class Rows:
    """Adds payloads and rows of payloads to what a file holds."""

    def __init__(self, found: Found, column: str | None) -> None:
        self._found, self._column = found, column
        self._shapes: dict[tuple[str, ...], _Columns] = {}

    def add(self, number: int, item: Any, family: str | None = None) -> None:
        """Add a text or a row; raise CorpusError for what is neither."""
        if not isinstance(item, dict):
            entry = Entry(item, family=family)
            self._found.add(number, None, entry)
            return
        keys = tuple(item)
        if keys not in self._shapes:
            if self._shapes and self._column not in item:
                self._found.fail(number, self._column, "is missing")
            self._shapes[keys] = _Columns(self._found, number, keys, self._column)
        columns = self._shapes[keys]
        key = self._column = columns.payload
        entry = columns.entry(item)
        self._found.add(number, key, entry if entry.family else entry._replace(family=family))


def read_txt(path: str, found: Found, column: str | None) -> None:
    """Add every line that holds something, without its line break and else as it is."""
    marked = 0
    for number, line in _lines(path):
        if text := line.decode().removesuffix("\r"):
            found.add(number, None, Entry(text))
            marked += text.startswith("#")
    if marked:
        lines = "1 line that starts with # is a payload" if marked == 1 else (
            f"{marked} lines that start with # are payloads"
        )
        found.guesses.append(f"{lines}: a txt file has no comments")


def read_jsonl(path: str, found: Found, column: str | None) -> None:
    """Add one text or one row a line."""
    rows = Rows(found, column)
    for number, line in _lines(path):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except ValueError as error:
            found.fail(number, None, f"is not valid JSON: {getattr(error, 'msg', error)}")
        except RecursionError:
            found.fail(number, None, "is nested too deeply")
        rows.add(number, item)


def read_json(path: str, found: Found, column: str | None) -> None:
    """Add the texts or rows of a list, or of a mapping from categories to lists."""
    rows = Rows(found, column)
    for number, (key, value, listed) in enumerate(pieces(path, found.shown, True), 1):
        if value == [] and not listed:
            continue
        if not listed and (key is None or not isinstance(value, str)):
            where = f"{found.shown}, key {key!r}" if key else found.shown
            raise CorpusError(f"{where}: must hold a list of payloads, not {kind(value)}")
        rows.add(number, value, key)


def read_csv(path: str, found: Found, column: str | None) -> None:
    """Add the rows of a file separated by commas."""
    _delimited(path, found, column, ",")


def read_tsv(path: str, found: Found, column: str | None) -> None:
    """Add the rows of a file separated by tabs."""
    _delimited(path, found, column, "\t")


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    # Split by the newline byte alone: a payload may hold other line separators. In a file
    # that would be one line it is the carriage return that ends a line.
    with open(path, "rb") as file:
        first, second = file.readline(), file.readline()
        lines = chain([first, second], file) if second else first.split(b"\r")
        for number, line in enumerate(lines, 1):
            text = line.removesuffix(b"\n")
            yield number, text.removeprefix(BOM) if number == 1 else text


def _delimited(path: str, found: Found, column: str | None, sign: str) -> None:
    old = csv.field_size_limit(_LONGEST_FIELD)  # a payload may be longer than 128 KiB
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=sign, strict=True)
            try:
                _read_rows(reader, found, column, sign)
            except csv.Error as error:
                called = "CSV" if sign == "," else "TSV"
                found.fail(reader.line_num, None, f"is not {called}: {error}")
    finally:
        csv.field_size_limit(old)


def _is_name(first: str) -> bool:
    """Say whether the first line of a table of one column reads as the name of the column.

    One word, or two of which the last is a usual name: "sentence", "attack_phrase",
    "My prompt".
    """
    words = first.split()
    if len(words) == 2 and words[1].lower() in _PAYLOAD:
        del words[1]
    if len(words) != 1 or len(first) > _LONGEST_NAME or not _NAME.fullmatch(words[0]):
        return False
    return all(c.lower() != c.upper() for c in words[0] if c.isalpha())


def _read_rows(reader: Any, found: Found, column: str | None, sign: str) -> None:
    header = next((row for row in reader if row), None)
    if header is None:
        return
    low = [name.lower().strip() for name in header]
    twice = [name for name, times in Counter(header).items() if times > 1]
    if twice:
        found.fail(reader.line_num, None, f"column {twice[0]!r} is there twice")
    if len(header) == 1 and column is None and low[0] not in _PAYLOAD:
        for other, called in ((";", "semicolons"), ("\t", "tabs"), (",", "commas"), ("|", "bars")):
            if other != sign and set(low[0].split(other)) & set(_PAYLOAD):
                wanted = "commas are needed" if sign == "," else "tabs are needed"
                found.fail(1, None, f"the columns are separated by {called}; {wanted}")
        if _is_name(header[0].strip()):
            found.guesses.append(
                f"its first line, {header[0].strip()!r}, is taken for the name of the column:"
                " put a line 'payload' above it if it is a payload"
            )
        else:
            found.guesses.append(
                f"its first line, {_short(header[0])}, is taken for a payload, not for the name of"
                " the column: --column NAME or FILE@format:COLUMN if it is one"
            )
            found.add(reader.line_num, None, Entry(header[0]))
            header = ["payload"]
    columns = _Columns(found, reader.line_num, header, column)
    key, start = columns.payload, reader.line_num + 1
    for row in reader:
        if row and len(row) != len(header):
            found.fail(start, None, f"{len(row)} fields, the header has {len(header)}")
        if row:
            cells = zip(header, row, strict=True)
            found.add(start, key, columns.entry(dict(cells)))
        start = reader.line_num + 1
