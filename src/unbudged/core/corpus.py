"""A corpus read: attacks and families from YAML of ours and from other people's files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..errors import CorpusError
from .attack import ENCODINGS, PLACEMENTS, Attack, Family, Placement
from .encoding import encode
from .fields import Fields, closest, compose, kind, place
from .foreign.names import OURS
from .paths import Source, corpus_files, printable, shipped_corpora

__all__ = [
    "ENCODINGS", "PLACEMENTS", "Attack", "Corpus", "CorpusNames", "Family", "Placement",
    "load_corpus", "load_families", "read_corpus",
]  # fmt: skip

_FAMILY_KEYS = ("prefix", "what_it_tries", "fix", "source", "figures", "strength")
_FILE_KEYS = ("family", *_FAMILY_KEYS, "attacks")
_ENTRY_KEYS = (
    "id", "family", "text", "note", "placement", "lang", "plain", "encoding", "source",
    "licence",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Corpus:
    """Attacks in the order they were read, their families by name, and where they came from.

    ``notes`` say what was merged or left out on the way.
    """

    attacks: tuple[Attack, ...]
    families: Mapping[str, Family]
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


CorpusNames = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def load_corpus(
    families: Sequence[str] | None = None, corpus: CorpusNames = "core"
) -> tuple[Attack, ...]:
    """Return the attacks of a corpus, of the named families only where any are given.

    ``corpus`` is the name of a shipped corpus, the path of a YAML file or a folder of
    them, a file as other tools write it, or several of these. Such a file is txt (one
    payload a line, those with a # too), JSON (a list, or categories with lists), JSONL,
    CSV, TSV, a garak payload group, PyRIT seeds, a promptfoo configuration or etb-scan
    scenarios; the format is seen from the file, or named: "attacks.dat@csv",
    "attacks.csv@csv:column". Raises
    CorpusError for whatever cannot be read in full.
    """
    return read_corpus(corpus, families).attacks


def load_families(corpus: CorpusNames = "core") -> dict[str, Family]:
    """Return the families of a corpus by name; raises CorpusError as ``load_corpus`` does."""
    return dict(read_corpus(corpus).families)


def read_corpus(
    corpus: CorpusNames | Corpus = "core", families: Sequence[str] | None = None
) -> Corpus:
    """Read every file of a corpus and keep the attacks of the named families (all when None).

    A file named twice is read once; a folder is read with its subfolders, in the order
    of the paths, names that start with a dot left out. A folder whose ``corpus.yaml`` has
    a list ``includes`` of shipped names or paths is read after these. Ids and texts are
    unique over everything read: in YAML files of ours a double is an error, one from
    another file is merged and counted in ``notes``. Raises CorpusError naming file, line,
    entry and key. A corpus read before is narrowed to the families, no file is opened.
    """
    read = corpus if isinstance(corpus, Corpus) else _read(corpus)
    if families is None:
        return read
    wanted = _wanted(families, read.families)
    kept = tuple(attack for attack in read.attacks if attack.family in wanted)
    kept_families = {name: f for name, f in read.families.items() if name in wanted}
    return Corpus(kept, kept_families, read.names, read.notes)


def _read(corpus: CorpusNames) -> Corpus:
    given: list[Any] = (
        list(corpus) if isinstance(corpus, (list, tuple, set, frozenset)) else [corpus]
    )
    if not given:
        raise CorpusError("no corpus given: name a shipped one, a YAML file or a folder")
    files: dict[tuple[str, str, str | None], Source] = {}
    for name in given:
        for file in corpus_files(name):
            mark = os.path.realpath(file.path), file.format, file.column
            files.setdefault(mark, file)
    read: dict[Source, list[Attack]] = {}
    known: dict[str, Family] = {}
    used: dict[tuple[str, str], str] = {}
    # ours first: they have ids and families of their own, which the others make way for
    for file in files.values():
        if file.format == OURS:
            read[file] = _read_file(file.path, known, used)
    notes: list[str] = []
    if len(read) < len(files):
        from .importing import Importer

        importer = Importer(known, used)
        for file in files.values():
            if file.format != OURS:
                read[file] = importer.read(file)
        notes = importer.notes()
    attacks = [attack for file in files.values() for attack in read[file]]
    names = tuple(dict.fromkeys(os.fspath(name) for name in given))
    return Corpus(tuple(attacks), known, names, tuple(notes))


def _wanted(families: Sequence[str], known: Mapping[str, Family]) -> set[str]:
    wanted = [families] if isinstance(families, str) else list(families)
    if not wanted:
        raise CorpusError("no families given: leave the choice out to use them all")
    for name in wanted:
        if not isinstance(name, str) or name not in known:
            there = shipped_with(partial(_is_of, name))
            raise CorpusError(f"unknown family {name!r}{there or closest(name, known)}")
    return set(wanted)


def _is_of(family: str, attack: Attack) -> bool:
    return attack.family == family


def shipped_with(matches: Callable[[Attack], bool]) -> str:
    """Return the end of a complaint that names the shipped corpora with such an attack, or ""."""
    names = [name for name in shipped_corpora() if any(map(matches, _read(name).attacks))]
    return f": the shipped corpus {' and '.join(names)} has it (--corpus)" if names else ""


def _read_file(
    path: str, known: dict[str, Family], used: dict[tuple[str, str], str]
) -> list[Attack]:
    """Read one file, adding its families to ``known`` and its ids and texts to ``used``."""
    import yaml

    shown = printable(path)
    top = listed = compose(path, shown)
    own, key = None, None
    if isinstance(top, yaml.MappingNode):
        fields = Fields(shown, "", top, _FILE_KEYS)
        key = "attacks"
        listed = fields.node(key)
        own = _family(fields, known)
    elif not isinstance(top, yaml.SequenceNode):
        problem = (
            f"must hold a list of attacks, or keys and a list 'attacks', not {kind(top)}"
            " (FILE@txt reads one payload a line)"
        )
        raise CorpusError(place(shown, top, "", None, problem))
    if not isinstance(listed, yaml.SequenceNode) or not listed.value:
        empty = not listed.value or kind(listed) == "null"
        problem = "holds no attacks" if empty else f"must be a list, not {kind(listed)}"
        raise CorpusError(place(shown, listed, "", key, problem))
    return [
        _attack(Fields(shown, str(number), node, _ENTRY_KEYS), own, known, used)
        for number, node in enumerate(listed.value, 1)
    ]


def _family(fields: Fields, known: dict[str, Family]) -> Family | None:
    """Take the family a file is about, filling in what an earlier file left out of it."""
    if "family" not in fields.nodes:
        for key in _FAMILY_KEYS:
            if key in fields.nodes:
                raise fields.error(key, "needs a key 'family' beside it")
        return None
    name = fields.name("family")
    told: dict[str, Any] = {
        key: value for key in _FAMILY_KEYS if (value := fields.text(key)) is not None
    }
    if "strength" in told:
        told["strength"] = fields.share("strength")
    old = known.get(name, Family(name, "", "", ""))
    for key, value in told.items():
        if getattr(old, key) not in ("", None, value):
            raise fields.error(key, f"family {name!r} already has another one")
    known[name] = replace(old, **told)
    return replace(known[name], prefix=told.get("prefix", ""))


def _attack(
    fields: Fields,
    own: Family | None,
    known: dict[str, Family],
    used: dict[tuple[str, str], str],
) -> Attack:
    id = fields.name("id")
    fields.entry = repr(id)
    family = fields.name("family") if own is None or "family" in fields.nodes else own.name
    known.setdefault(family, Family(family, "", "", ""))
    # Only a file that declares a prefix is held to it: a user may add to a shipped family.
    if own is not None and family == own.name and not id.startswith(own.prefix):
        raise fields.error("id", f"must start with {own.prefix!r}, the prefix of its family")
    plain, encoding = fields.text("plain"), fields.choice("encoding", ENCODINGS)
    if (plain is None) != (encoding is None):
        absent, beside = ("plain", "encoding") if plain is None else ("encoding", "plain")
        raise fields.error(absent, f"is missing: {beside!r} means nothing without it")
    attack = Attack(
        id=id,
        family=family,
        text=fields.text("text") or fields.missing("text"),
        note=fields.text("note") or "",
        placement=fields.choice("placement", PLACEMENTS) or "suffix",
        lang=fields.text("lang") or "en",
        plain=plain,
        encoding=encoding,
        source=fields.text("source"),
        licence=fields.text("licence"),
    )
    if plain is not None and encoding is not None:
        times = attack.text.count(encode(plain, encoding))
        if times != 1:
            problem = f"encoded as {encoding} must stand in the text once, not {times} times"
            raise fields.error("plain", problem)
    for key, value in (("id", id), ("text", attack.text)):
        if owner := used.get((key, value)):
            raise fields.error(key, f"is already that of {owner}")
        used[key, value] = f"{id!r} in {fields.shown}"
    return attack
