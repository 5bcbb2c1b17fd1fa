"""One YAML file read as text: every complaint names file, line, entry and key."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TypeVar

from ..errors import CorpusError
from .decoding import check_text

if TYPE_CHECKING:
    from yaml import Node

_Choice = TypeVar("_Choice", bound=str)
_MOST_BYTES = 5_000_000


def compose(path: str, shown: str) -> Node:
    """Return the one YAML document of a file as nodes; ``shown`` names it in a CorpusError.

    Nodes, not Python values: only text is wanted, nodes know their lines, and neither a
    date nor a billion aliases is ever built.
    """
    import yaml

    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise CorpusError(f"{shown}: cannot be read: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        most = f"{_MOST_BYTES // 1_000_000} MB"
        hint = "split it, or give it in a format that is streamed, such as JSONL"
        raise CorpusError(f"{shown}: is larger than {most}: {hint}")
    check_text(io.BytesIO(data), shown)
    text = data.decode("utf-8")
    with yaml_problems(shown):
        top = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    if top is None:
        raise CorpusError(f"{shown}: is empty")
    return top


@contextmanager
def yaml_problems(shown: str) -> Iterator[None]:
    """Turn what the YAML parser raises into a CorpusError that names file and line."""
    import yaml

    try:
        yield
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        problem = error.problem or error.context
        raise CorpusError(f"{shown}, line {line}: is not valid YAML: {problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        problem = " ".join(str(error).split())
        raise CorpusError(f"{shown}: is not valid YAML: {problem}") from None


class Fields:
    """The keys of one YAML mapping, read as text, each complaint naming where it stands."""

    def __init__(self, shown: str, entry: str, node: Node, allowed: Sequence[str]) -> None:
        import yaml

        self.shown, self.entry, self.whole = shown, entry, node
        self.nodes: dict[str, Node] = {}
        if not isinstance(node, yaml.MappingNode):
            raise self.error(None, f"must be keys and values, not {kind(node)}")
        pairs = [(key.value, value) for key, value in node.value]
        named = [value for key, value in pairs if key == "id" and kind(value) == "text"]
        if named and entry:
            self.entry = repr(named[0].value)
        for key, value in pairs:
            if not isinstance(key, str):
                raise self.error(None, "has a key that is not text")
            if key in self.nodes:
                raise self.error(key, "is given twice")
            if key not in allowed:
                self.nodes[key] = value
                raise self.error(key, f"is unknown{closest(key, allowed)}")
            self.nodes[key] = value

    # The key's own line where it is there, else that of the whole mapping.
    def error(self, key: str | None, problem: str) -> CorpusError:
        node = self.nodes.get(key, self.whole) if key else self.whole
        return CorpusError(place(self.shown, node, self.entry, key, problem))

    def missing(self, key: str) -> NoReturn:
        raise self.error(key, "is missing")

    def node(self, key: str) -> Node:
        return self.nodes[key] if key in self.nodes else self.missing(key)

    def text(self, key: str) -> str | None:
        """Return the text of a key exactly as YAML gives it, or None when it is not there."""
        if key not in self.nodes:
            return None
        found, value = kind(self.nodes[key]), self.nodes[key].value
        if found == "null" or (found == "text" and not value.strip()):
            raise self.error(key, "is blank")
        if found != "text":
            quote = "" if found in ("list", "mapping") else " (put it in quotes)"
            raise self.error(key, f"must be text, not {found}{quote}")
        if any("\ud800" <= c <= "\udfff" for c in value):
            raise self.error(key, "holds half of a surrogate pair, which no UTF-8 can carry")
        return str(value)

    def share(self, key: str) -> float:
        """Return a number from 0 to 1 that is given as text."""
        value = self.text(key) or ""
        if not re.fullmatch(r"0(\.\d+)?|1(\.0+)?", value):
            raise self.error(key, f"must be a share from 0 to 1 such as \"0.85\", not {value!r}")
        return float(value)

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


def kind(node: Node) -> str:
    """Name what YAML takes a node for: text, list, mapping, null, int, a custom tag."""
    tag = str(node.tag).removeprefix("tag:yaml.org,2002:")
    return {"str": "text", "seq": "list", "map": "mapping"}.get(tag, tag)


def place(shown: str, node: Node, entry: str, key: str | None, problem: str) -> str:
    """Write one complaint: file, line, entry, key, problem."""
    where = f"{shown}, line {node.start_mark.line + 1}"
    where += f", entry {entry}" if entry else ""
    where += f", key {key!r}" if key else ""
    return f"{where}: {problem}"


def closest(name: object, known: Collection[str]) -> str:
    """Return the end of a complaint about an unknown name: the nearest known one, or all."""
    from difflib import get_close_matches

    near = get_close_matches(str(name), known, n=1, cutoff=0.5)
    return f": did you mean {near[0]!r}?" if near else f" (known: {', '.join(known)})"
