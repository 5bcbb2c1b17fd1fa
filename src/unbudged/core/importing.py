"""Payloads of other people's files as attacks: ids, families and what was merged."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from hashlib import sha256

from .attack import PLACEMENTS, Attack, Family, Placement
from .foreign.entries import Entry
from .foreign.reading import read_foreign
from .paths import Source, printable

_WORD = re.compile(r"\w+")
_PLACES: dict[str, Placement] = {place: place for place in PLACEMENTS}
_PLURAL = {"entry": "entries", "line": "lines"}
_WHAT = "Payloads read from {}, which does not say what they try."
_FIX = (
    "Tell the judge that the answer is data and keep it apart from the instructions; read the"
    " verdict only from a block of the judge's own, checked against a schema."
)


class Importer:
    """Turns files into attacks whose ids and texts are new to a corpus.

    ``known`` and ``used`` are the families of the corpus and its ids and texts so far;
    families are added to ``known``, where a family is there already it stays as it is.
    """

    def __init__(self, known: dict[str, Family], used: dict[tuple[str, str], str]) -> None:
        self._known = known
        self._ids = {value for key, value in used if key == "id"}
        self._texts = {value for key, value in used if key == "text"}
        self._notes: list[str] = []

    def read(self, file: Source) -> list[Attack]:
        """Return the attacks of one file that are not there yet; raises CorpusError."""
        shown = printable(file.path)
        found = read_foreign(file.path, shown, file.format, file.column)
        name = os.path.basename(os.path.abspath(file.path))
        home = slug(os.path.splitext(os.path.basename(os.path.abspath(file.given)))[0], 40)
        merged, attacks = found.merged, []
        for entry in found.entries:
            if entry.text in self._texts:
                merged += 1
                continue
            self._texts.add(entry.text)
            attacks.append(self._attack(entry, found.shared, name, home or "imported"))
        shown_name = printable(name)
        self._notes += [f"{shown_name}: {guess}" for guess in found.guesses]
        if merged:
            doubles = f"{merged} duplicate payload{'s' * (merged != 1)}"
            self._notes.append(f"{shown_name}: {doubles} merged with the same text read before")
        for why, count in found.left_out.items():
            entries = f"{count} {found.unit if count == 1 else _PLURAL[found.unit]}"
            self._notes.append(f"{shown_name}: {entries} left out: {why}")
        return attacks

    def notes(self) -> list[str]:
        return self._notes

    def _attack(self, entry: Entry, shared: Entry, file: str, home: str) -> Attack:
        family = _family(entry.family or shared.family or "") or home
        if family not in self._known:
            self._known[family] = Family(family, f"{family}.", _WHAT.format(printable(file)), _FIX)
        called = slug(entry.text[:48], 24)
        if entry.name:
            called = slug(slug(entry.name, 90).removeprefix(f"{family}_"), 24) or called
        return Attack(
            id=self._id(f"{family}.{called or 'payload'}", entry.text),
            family=family,
            text=entry.text,
            note=entry.note or shared.note or "",
            placement=_PLACES.get(entry.placement or "", "suffix"),
            lang=entry.lang or shared.lang or "en",
            source=entry.source or shared.source or file,
            licence=entry.licence or shared.licence,
            goal_mark=entry.goal_mark,
        )

    def _id(self, start: str, text: str) -> str:
        """Return an id that the text decides, whatever stands before it in the file.

        Eight digits tell texts apart; two that share them get more.
        """
        digest = sha256(text.encode()).hexdigest()
        for size in (8, 16, 64):
            id = f"{start}-{digest[:size]}"
            if id not in self._ids:
                break
        self._ids.add(id)
        return id


def slug(text: str, longest: int) -> str:
    """Return the words of a text in lower case, joined by underscores, as far as they fit."""
    made = "_".join(_WORD.findall(text.lower().replace("_", " ")))
    if len(made) <= longest:
        return made
    cut = made.rfind("_", 0, longest + 1)
    return made[: longest if cut < 0 else cut]


@lru_cache(maxsize=1024)
def _family(name: str) -> str:
    return slug(name, 60)
