"""What was found in a file of another tool: payloads, each once, and what was left out."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple, NoReturn

from ...errors import CorpusError
from ..attack import PLACEMENTS

_LANG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*")


class Entry(NamedTuple):
    """One payload as its file gives it; None where the file does not say.

    ``goal_mark`` is that of ``Attack``: None where our own slots are filled, "" where
    nothing is, else the text that stands for what the payload asks for.
    """

    text: str
    name: str | None = None
    family: str | None = None
    note: str | None = None
    placement: str | None = None
    lang: str | None = None
    source: str | None = None
    licence: str | None = None
    goal_mark: str | None = None


class Found:
    """The payloads of one file in their order, duplicates once, and counts of the rest.

    ``shared`` is what holds for the whole file where an entry says nothing itself;
    ``guesses`` say how the file was taken where it does not say so itself.
    """

    def __init__(self, shown: str, unit: str, is_json: bool) -> None:
        self.shown, self.unit, self.is_json = shown, unit, is_json
        self.shared = Entry("")
        self.entries: list[Entry] = []
        self.merged = 0
        self.left_out: Counter[str] = Counter()
        self.guesses: list[str] = []
        self._texts: set[str] = set()

    def add(self, number: int, key: str | None, entry: Entry) -> None:
        """Keep an entry unless it is blank or there already; raise CorpusError for no text."""
        text: Any = entry.text
        if text is None or (isinstance(text, str) and not text.strip()):
            self.left_out["blank"] += 1
            return
        if not isinstance(text, str):
            self.fail(number, key, f"must be text, not {kind(text)}")
        if text in self._texts:
            self.merged += 1
            return
        if not is_utf8(text):
            self.fail(number, key, "holds half of a surrogate pair, which no UTF-8 can carry")
        if entry.placement is not None and entry.placement not in PLACEMENTS:
            known = ", ".join(PLACEMENTS)
            self.fail(number, "placement", f"must be one of {known}, not {entry.placement!r}")
        self._texts.add(text)
        self.entries.append(entry)

    def fail(self, number: int, key: str | None, problem: str) -> NoReturn:
        where = f"{self.shown}, {self.unit} {number}"
        raise CorpusError(f"{where}{f', key {key!r}' if key else ''}: {problem}")


class Other(NamedTuple):
    """A YAML scalar that is no text, such as 10 or a date."""

    kind: str
    text: str


def is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def kind(value: object) -> str:
    """Name what a value is, in the words of a complaint."""
    if isinstance(value, Other):
        return f"{value.kind} (put it in quotes)"
    kinds = {str: "text", dict: "a mapping", list: "a list", bool: "true or false"}
    return "null" if value is None else kinds.get(type(value), "a number")


def said(value: object) -> str | None:
    """Return a remark about a payload as one text, None where there is nothing to read."""
    if isinstance(value, Other):
        return value.text
    if isinstance(value, list):
        return ", ".join(part for item in value if (part := said(item))) or None
    if value is None or isinstance(value, (bool, dict)):
        return None
    text = str(value)
    return text if text.strip() and is_utf8(text) else None


def language(value: object) -> str | None:
    """Return the first language code of a value such as "de", "en,fr" or "pt-BR", or None."""
    match = _LANG.match((said(value) or "").strip())
    whole = match is not None and (said(value) or "").strip()[match.end() :][:1] in ("", ",", " ")
    return match.group() if match and whole else None
