"""Read judged answers from a JSONL or CSV file; every complaint names file and line."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from ..core.sample import Sample
from ..errors import UsageError

FIELDS = ("output", "input", "reference", "context", "id")
_JSONL = (".jsonl", ".ndjson")


def read_samples(path: str, columns: Mapping[str, str] | None = None) -> tuple[Sample, ...]:
    """Return the samples of a UTF-8 file, one a line (JSONL) or a row (CSV).

    ``columns`` says which column holds a field when it is not called as the field
    (``{"output": "answer"}``). Columns that are no field go to ``metadata``. Only
    ``output`` is required, and it may not be blank; in JSONL ``context`` is a string or
    a list of strings. Raises UsageError naming file and line.
    """
    names = {field: field for field in FIELDS} | dict(columns or {})
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in (".csv", *_JSONL):
        raise UsageError(f"{path}: samples come in a .jsonl or .csv file")
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise UsageError(f"{path} is not a regular file")  # a pipe would be waited for
    try:
        with open(path, "rb") as file:
            data = file.read().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    rows = list(_jsonl(path, data) if suffix in _JSONL else _csv(path, data, names))
    if not rows:
        raise UsageError(f"{path}: holds no samples")
    samples = tuple(_sample(f"{path}, line {n}", row, names) for n, row in rows)
    for field, name in (columns or {}).items():
        if suffix in _JSONL and not any(name in row for _, row in rows):
            raise UsageError(f"{path}: no line has {name!r}, which --column maps to {field}")
    return samples


def _text(place: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{place}: not UTF-8 text") from error


def _jsonl(path: str, data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    # Split by the newline byte alone: a text may hold other line separators.
    for n, line in enumerate(data.split(b"\n"), 1):
        text = _text(f"{path}, line {n}", line)
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            column = getattr(error, "colno", None)
            where = f" at column {column}" if column else ": nested too deep or a number too long"
            raise UsageError(f"{path}, line {n}: not JSON{where}") from error
        if not isinstance(row, dict):
            raise UsageError(f'{path}, line {n}: an object is needed, as in {{"output": ...}}')
        yield n, row


def _csv(path: str, data: bytes, names: Mapping[str, str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for n, line in enumerate(data.split(b"\n"), 1):
        _text(f"{path}, line {n}", line)
    csv.field_size_limit(2**31 - 1)  # an answer may be longer than the default 128 KiB
    reader = csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True)
    try:
        header = next(reader, None)
        if not header:
            return
        _check_header(path, header, names)
        start = reader.line_num + 1
        for row in reader:
            if row:
                if len(row) != len(header):
                    raise UsageError(
                        f"{path}, line {start}: {len(row)} fields, the header has {len(header)}"
                    )
                yield start, _filled(header, row, names["output"])
            start = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{path}, line {reader.line_num}: not CSV: {error}") from error


def _filled(header: list[str], row: list[str], output: str) -> dict[str, Any]:
    """Return the cells that hold something: CSV cannot tell an empty text from none."""
    cells = zip(header, row, strict=True)
    return {name: cell for name, cell in cells if cell or name == output}


def _check_header(path: str, header: list[str], names: Mapping[str, str]) -> None:
    doubled = sorted({name for name in header if header.count(name) > 1})
    if doubled:
        raise UsageError(f"{path}, line 1: column {doubled[0]!r} is there twice")
    if len(header) == 1 and names["output"] != header[0]:
        for sign, called in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
            if sign in header[0]:
                raise UsageError(
                    f"{path}, line 1: the columns are separated by {called}; commas are needed"
                )
    for field, name in names.items():
        if name not in header and (field == "output" or name != field):
            raise UsageError(
                f"{path}, line 1: no column {name!r}; there are {', '.join(header)};"
                f" map one with --column {field}=NAME"
            )


def _sample(place: str, row: dict[str, Any], names: Mapping[str, str]) -> Sample:
    name = names["output"]
    if name not in row:
        raise UsageError(
            f"{place}: no {name!r} among {', '.join(map(repr, row)) or 'no keys'};"
            " map it with --column output=NAME"
        )
    output = row[name]
    if not isinstance(output, str):
        raise UsageError(f"{place}: {name!r} must be a string, not {_kind(output)}")
    if not output.strip():
        raise UsageError(f"{place}: {name!r} is blank")
    return Sample(
        output=output,
        input=_optional(place, names["input"], row),
        reference=_optional(place, names["reference"], row),
        context=_context(place, names["context"], row),
        id=_optional(place, names["id"], row),
        metadata={key: value for key, value in row.items() if key not in names.values()},
    )


def _optional(place: str, name: str, row: Mapping[str, Any]) -> str | None:
    value = row.get(name)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return json.dumps(value)
    raise UsageError(f"{place}: {name!r} must be a string, not {_kind(value)}")


def _context(place: str, name: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    value = row.get(name)
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise UsageError(f"{place}: {name!r} must be a string or a list of strings")


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
