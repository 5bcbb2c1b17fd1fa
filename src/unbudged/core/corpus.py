"""Attacks and families: their records, and loading them from YAML."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NoReturn, TypeVar

from ..errors import CorpusError

if TYPE_CHECKING:
    from yaml import Node

Placement = Literal["suffix", "prefix", "middle", "replace"]
PLACEMENTS: tuple[Placement, ...] = ("suffix", "prefix", "middle", "replace")
ENCODINGS = (
    "base64", "rot13", "leet", "spaced", "url",
    "cyrillic", "zero_width", "rlo", "fullwidth", "combining",
)  # fmt: skip

_Choice = TypeVar("_Choice", bound=str)

_SHIPPED = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpora")
_SUFFIXES = (".yaml", ".yml")
_MOST_BYTES = 5_000_000
_FAMILY_KEYS = ("prefix", "what_it_tries", "fix", "source")
_FILE_KEYS = ("family", *_FAMILY_KEYS, "attacks")
_ENTRY_KEYS = (
    "id", "family", "text", "note", "placement", "lang", "plain", "encoding", "source",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of attack: what it tries and what a judge's owner should change."""

    name: str
    prefix: str
    what_it_tries: str
    fix: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Attack:
    """One payload, byte for byte as its YAML holds it.

    ``plain`` and ``encoding`` say what an encoded payload encodes and how, so that
    its twin can be the same encoding of other words.
    """

    id: str
    family: str
    text: str
    note: str = ""
    placement: Placement = "suffix"
    lang: str = "en"
    plain: str | None = None
    encoding: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """Attacks in the order they were read, their families by name, and where they came from."""

    attacks: tuple[Attack, ...]
    families: Mapping[str, Family]
    names: tuple[str, ...]


CorpusNames = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def load_corpus(
    families: Sequence[str] | None = None, corpus: CorpusNames = "core"
) -> tuple[Attack, ...]:
    """Return the attacks of a corpus, of the named families only where any are given.

    ``corpus`` is the name of a shipped corpus, the path of a YAML file or a folder of
    them, or several of these. Raises CorpusError for whatever cannot be read in full.
    """
    return read_corpus(corpus, families).attacks


def load_families(corpus: CorpusNames = "core") -> dict[str, Family]:
    """Return the families of a corpus by name; raises CorpusError as ``load_corpus`` does."""
    return dict(read_corpus(corpus).families)


def shipped_corpora() -> tuple[str, ...]:
    """Return the names of the corpora that come with the package, sorted."""
    return tuple(
        sorted(e.name for e in os.scandir(_SHIPPED) if e.is_dir() and e.name[0] not in "._")
    )


def read_corpus(corpus: CorpusNames = "core", families: Sequence[str] | None = None) -> Corpus:
    """Read every file of a corpus and keep the attacks of the named families (all when None).

    A file named twice is read once; a folder is read with its subfolders, in the order
    of the paths, names that start with a dot left out. Ids and texts are unique over
    everything read. Raises CorpusError naming file, line, entry and key.
    """
    given = [corpus] if isinstance(corpus, (str, os.PathLike)) else list(corpus)
    if not given:
        raise CorpusError("no corpus given: name a shipped one, a YAML file or a folder")
    attacks: list[Attack] = []
    known: dict[str, Family] = {}
    seen: set[str] = set()
    used: dict[tuple[str, str], str] = {}
    for path in [path for name in given for path in _paths(name)]:
        if (real := os.path.realpath(path)) in seen:
            continue
        seen.add(real)
        attacks += _read_file(path, known, used)
    names = tuple(dict.fromkeys(os.fspath(name) for name in given))
    if families is None:
        return Corpus(tuple(attacks), known, names)
    wanted = _wanted(families, known)
    kept = tuple(attack for attack in attacks if attack.family in wanted)
    return Corpus(kept, {name: f for name, f in known.items() if name in wanted}, names)


def _wanted(families: Sequence[str], known: Mapping[str, Family]) -> set[str]:
    wanted = {families} if isinstance(families, str) else set(families)
    if not wanted:
        raise CorpusError("no families given: leave the choice out to use them all")
    for name in sorted(wanted - set(known), key=repr):
        raise CorpusError(f"unknown family {name!r}{_closest(name, known)}")
    return wanted


def _closest(name: object, known: Sequence[str] | Mapping[str, object]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(str(name), known, n=1, cutoff=0.5)
    return f": did you mean {near[0]!r}?" if near else f" (known: {', '.join(known)})"


def _paths(name: object) -> list[str]:
    """List the files a corpus consists of; a shipped name goes before a path of that name."""
    if not isinstance(name, (str, os.PathLike)) or not isinstance(path := os.fspath(name), str):
        raise CorpusError(f"a corpus is a name or a path, not {type(name).__name__}")
    shipped = shipped_corpora()
    root = os.path.join(_SHIPPED, path) if isinstance(name, str) and path in shipped else path
    if "\0" in root or not os.path.exists(root):
        hint = _closest(path, shipped)
        raise CorpusError(f"corpus {path!r} is no file, no folder and not shipped{hint}")
    if not os.path.isdir(root):
        return [root]
    found = []
    for folder, folders, files in os.walk(root, onerror=_unreadable):
        folders[:] = [f for f in folders if not f.startswith(".")]
        found += [
            os.path.join(folder, f)
            for f in files
            if f.lower().endswith(_SUFFIXES) and not f.startswith(".")
        ]
    if not found:
        raise CorpusError(f"corpus folder {path!r} holds no .yaml or .yml file")
    return sorted(found)


def _unreadable(error: OSError) -> None:
    raise CorpusError(f"{error.filename!r} cannot be read: {error.strerror}")


def _read_file(
    path: str, known: dict[str, Family], used: dict[tuple[str, str], str]
) -> list[Attack]:
    """Read one file, adding its families to ``known`` and its ids and texts to ``used``.

    Works on YAML's nodes rather than on Python values: only text is wanted, nodes know
    their lines, and neither a date nor a billion aliases is ever built.
    """
    import yaml

    shown = path if path.isprintable() else repr(path)
    top = listed = _compose(path, shown)
    own, key = None, None
    if isinstance(top, yaml.MappingNode):
        fields = _Fields(shown, "", top, _FILE_KEYS)
        key = "attacks"
        listed = fields.node(key)
        own = _family(fields, known)
    elif not isinstance(top, yaml.SequenceNode):
        raise CorpusError(f"{shown}: must hold a list of attacks, or keys and a list 'attacks'")
    if not isinstance(listed, yaml.SequenceNode) or not listed.value:
        empty = not listed.value or _kind(listed) == "null"
        problem = "holds no attacks" if empty else f"must be a list, not {_kind(listed)}"
        raise CorpusError(_line(shown, listed, "", key, problem))
    return [
        _attack(_Fields(shown, str(number), node, _ENTRY_KEYS), own, known, used)
        for number, node in enumerate(listed.value, 1)
    ]


def _compose(path: str, shown: str) -> Node:
    import yaml

    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise CorpusError(f"{shown}: cannot be read: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise CorpusError(f"{shown}: is larger than {_MOST_BYTES // 1_000_000} MB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CorpusError(f"{shown}, line {line}: is not UTF-8 text") from None
    if "\0" in text:
        raise CorpusError(f"{shown}: is binary, not YAML text")
    try:
        top = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        problem = error.problem or error.context
        raise CorpusError(f"{shown}, line {line}: is not valid YAML: {problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        problem = " ".join(str(error).split())
        raise CorpusError(f"{shown}: is not valid YAML: {problem}") from None
    if top is None:
        raise CorpusError(f"{shown}: is empty")
    return top


def _family(fields: _Fields, known: dict[str, Family]) -> Family | None:
    """Take the family a file is about, filling in what an earlier file left out of it."""
    if "family" not in fields.nodes:
        for key in _FAMILY_KEYS:
            if key in fields.nodes:
                raise fields.error(key, "needs a key 'family' beside it")
        return None
    name = fields.name("family")
    told = {key: value for key in _FAMILY_KEYS if (value := fields.text(key)) is not None}
    old = known.get(name, Family(name, "", "", ""))
    for key, value in told.items():
        if getattr(old, key) not in ("", None, value):
            raise fields.error(key, f"family {name!r} already has another one")
    known[name] = replace(old, **told)
    return replace(known[name], prefix=told.get("prefix", ""))


def _attack(
    fields: _Fields,
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
        raise fields.error(absent, f"missing, and {beside!r} says nothing without it")
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
    )
    for key, value in (("id", id), ("text", attack.text)):
        if owner := used.get((key, value)):
            raise fields.error(key, f"is already that of {owner}")
        used[key, value] = f"{id!r} in {fields.shown}"
    return attack


class _Fields:
    """The keys of one YAML mapping, read as text, each complaint naming where it stands."""

    def __init__(self, shown: str, entry: str, node: Node, allowed: Sequence[str]) -> None:
        import yaml

        self.shown, self.entry, self.whole = shown, entry, node
        self.nodes: dict[str, Node] = {}
        if not isinstance(node, yaml.MappingNode):
            raise self.error(None, f"must be keys and values, not {_kind(node)}")
        pairs = [(key.value, value) for key, value in node.value]
        named = [value for key, value in pairs if key == "id" and _kind(value) == "text"]
        if named and entry:
            self.entry = repr(named[0].value)
        for key, value in pairs:
            if not isinstance(key, str):
                raise self.error(None, "has a key that is not text")
            if key in self.nodes:
                raise self.error(key, "is given twice")
            if key not in allowed:
                self.nodes[key] = value
                raise self.error(key, f"is unknown{_closest(key, allowed)}")
            self.nodes[key] = value

    def error(self, key: str | None, problem: str) -> CorpusError:
        node = self.nodes.get(key, self.whole) if key else self.whole
        return CorpusError(_line(self.shown, node, self.entry, key, problem))

    def missing(self, key: str) -> NoReturn:
        raise self.error(key, "is missing")

    def node(self, key: str) -> Node:
        return self.nodes[key] if key in self.nodes else self.missing(key)

    def text(self, key: str) -> str | None:
        """Return the text of a key exactly as YAML gives it, or None when it is not there."""
        if key not in self.nodes:
            return None
        kind, value = _kind(self.nodes[key]), self.nodes[key].value
        if kind == "null" or (kind == "text" and not value.strip()):
            raise self.error(key, "is blank")
        if kind != "text":
            quote = "" if kind in ("list", "mapping") else " (put it in quotes)"
            raise self.error(key, f"must be text, not {kind}{quote}")
        if any("\ud800" <= c <= "\udfff" for c in value):
            raise self.error(key, "holds half of a surrogate pair, which no UTF-8 can carry")
        return str(value)

    def name(self, key: str) -> str:
        value = self.text(key) or self.missing(key)
        if value != value.strip() or not value.isprintable():
            raise self.error(key, "must be one printable line without spaces around it")
        return value

    def choice(self, key: str, allowed: Sequence[_Choice]) -> _Choice | None:
        value = self.text(key)
        for choice in allowed:
            if value == choice:
                return choice
        if value is None:
            return None
        raise self.error(key, f"must be one of {', '.join(allowed)}, not {value!r}")


def _kind(node: Node) -> str:
    tag = str(node.tag).removeprefix("tag:yaml.org,2002:")
    return {"str": "text", "seq": "list", "map": "mapping"}.get(tag, tag)


def _line(shown: str, node: Node, entry: str, key: str | None, problem: str) -> str:
    where = f"{shown}, line {node.start_mark.line + 1}"
    where += f", entry {entry}" if entry else ""
    where += f", key {key!r}" if key else ""
    return f"{where}: {problem}"
