"""Which format a corpus file has: named as FILE@format, or seen from its suffix and its keys."""

from __future__ import annotations

import os
from typing import NamedTuple

from ...errors import CorpusError
from ..decoding import check_text
from ..fields import closest
from .events import Piece, check_escapes, pieces

OURS = "yaml"
#: format -> the suffixes its files have in a folder that is read as FOLDER@format
FORMATS = {
    OURS: (".yaml", ".yml"),
    "txt": (".txt",),
    "json": (".json",),
    "jsonl": (".jsonl", ".ndjson"),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "garak": (".json",),
    "pyrit": (".yaml", ".yml", ".prompt"),
    "promptfoo": (".yaml", ".yml", ".json"),
    "etb-scan": (".json",),
}
#: formats in which a column or key may be named that holds the payload
COLUMNED = ("json", "jsonl", "csv", "tsv", "promptfoo")
_BY_SUFFIX = {
    suffix: name for name in ("txt", "jsonl", "csv", "tsv") for suffix in FORMATS[name]
}


#: formats of which every file is JSON or YAML
_OF_TOOLS = ("garak", "pyrit", "promptfoo", "etb-scan")


class Named(NamedTuple):
    """A path with the format and the payload's column that were named with it, if any."""

    path: str
    format: str | None = None
    column: str | None = None


def split(name: str) -> Named:
    """Take FILE@format or FILE@format:column apart; a path that exists is a path.

    Raises CorpusError for a format there is not, and for a column where none can be.
    """
    if "\0" in name or os.path.exists(name):
        return Named(name)
    cut = name.rfind("@")
    while cut >= 0 and not os.path.exists(name[:cut]):  # a column may hold an @ too
        cut = name.rfind("@", 0, cut)
    if cut < 0:
        return Named(name)
    path, spec = name[:cut], name[cut + 1 :]
    format, _, column = spec.partition(":")
    if format not in FORMATS:
        raise CorpusError(f"corpus {name!r}: unknown format {format!r}{closest(format, FORMATS)}")
    if column and format not in COLUMNED:
        known = ", ".join(COLUMNED)
        raise CorpusError(f"corpus {name!r}: a column can be named in {known}, not in {format}")
    plain = _BY_SUFFIX.get(os.path.splitext(path)[1].lower(), "txt")
    if format in _OF_TOOLS and plain != "txt" and os.path.isfile(path):
        problem = f"is a {plain.upper()} file, and those of {format} are JSON or YAML"
        raise CorpusError(f"corpus {path!r} {problem}: give it as {path}@{plain}")
    return Named(path, format, column or None)


def with_column(name: str, column: str) -> str:
    """Return the name of a corpus with a column for its payloads, as itself if it has none."""
    path, format, own = split(name)
    if own or not os.path.isfile(path):
        return name
    format = format or detect(path, path if path.isprintable() else repr(path))
    return f"{path}@{format}:{column}" if format in COLUMNED else name


def check_file(path: str, shown: str, is_json: bool) -> None:
    """Raise CorpusError unless a file can be read and is UTF-8 text through and through."""
    if not os.path.isfile(path):
        raise CorpusError(f"{shown}: is not a regular file: save it as one first")
    try:
        with open(path, "rb") as file:
            check_text(file, shown)
            if is_json:
                file.seek(0)
                check_escapes(file, shown)
    except OSError as error:
        raise CorpusError(f"{shown}: cannot be read: {error.strerror}") from None


def detect(path: str, shown: str) -> str:
    """Return the format of a file: by its suffix where that says it, else by its keys.

    A YAML file that no other tool is known for is ours, and so is one that is not valid
    YAML: its complaints are the better ones. Raises CorpusError for what is no text.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if not os.path.isfile(path):  # a pipe can be read once
        return OURS
    check_file(path, shown, is_json=False)
    is_json = suffix == ".json"
    prompts, of_pyrit = False, suffix == ".prompt"
    try:
        for piece in pieces(path, shown, is_json):
            if found := _json_sign(piece) if is_json else _yaml_sign(piece):
                return found
            prompts = prompts or piece.key == "prompts"
            of_pyrit = of_pyrit or _only_in_pyrit(piece)
    except CorpusError:
        if is_json:
            raise
    if prompts and not is_json:  # promptfoo's prompts are asked, those of PyRIT are the data
        return "pyrit" if of_pyrit else "promptfoo"
    return "json" if is_json else OURS


def _only_in_pyrit(piece: Piece) -> bool:
    if piece.key == "prompts":
        return isinstance(piece.value, dict) and "value" in piece.value
    return piece.key in ("dataset_name", "harm_category", "harm_categories", "should_be_blocked")


def _json_sign(piece: Piece) -> str | None:
    """Return the format a part of a JSON file is the sign of, None where it may be any."""
    key, value, listed = piece
    if key is None:
        if not (listed and isinstance(value, dict)):
            return "json"
        if "vars" in value:
            return "promptfoo"
        return OURS if {"id", "family", "text"} <= value.keys() else "json"
    if key in ("attacks", "tests", "seeds", "scenarios", "redteam", "defaultTest"):
        return _yaml_sign(piece) if isinstance(value, dict) else None
    return _yaml_sign(piece) if key in ("family", "garak_payload_name", "payload_types") else None


def _yaml_sign(piece: Piece) -> str | None:
    key, value, listed = piece
    if key is None:
        is_test = listed and isinstance(value, dict) and "vars" in value
        return "promptfoo" if is_test else OURS
    if key == "family":
        return None if listed else OURS
    if key == "attacks":
        return OURS
    if key in ("garak_payload_name", "payload_types"):
        return "garak"
    if key == "seeds" or (key == "value" and isinstance(value, str)):
        return "pyrit"
    if key == "scenarios" and isinstance(value, dict):
        is_etb = value.keys() & {"injection", "candidate", "base_content"}
        return "etb-scan" if is_etb else "promptfoo"
    if key in ("tests", "providers", "targets", "redteam", "defaultTest"):
        return "promptfoo"
    return None
