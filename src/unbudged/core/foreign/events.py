"""JSON and YAML read event by event: a file of any size, one entry of it in memory at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ...errors import CorpusError
from ..decoding import BOM
from ..fields import yaml_problems
from .entries import Other

if TYPE_CHECKING:
    from yaml import ScalarEvent

Event = tuple[str, Any]
_DEEPEST = 100
_BLOCK = 1 << 16
_EXPLAINED = 5_000_000
# pairs and escaped backslashes are matched first, so that what is left over is half a pair
_SURROGATES = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


class Piece(NamedTuple):
    """A part of the top of a file: a key and its value, or one item of the list it holds."""

    key: str | None
    value: Any
    listed: bool


def pieces(path: str, shown: str, is_json: bool) -> Iterator[Piece]:
    """Yield the items of a file that is a list, or the keys of a mapping with what they hold.

    The items of a list under a key come one by one; an empty one is one piece.
    Raises CorpusError for what is not valid, not closed or nested too deeply.
    """
    with open(path, "rb") as file:
        if file.read(len(BOM)) != BOM:
            file.seek(0)
        reader = _Reader(_json(file, path, shown) if is_json else _yaml(file, shown), shown)
        yield from reader.top()


class _Reader:
    def __init__(self, events: Iterator[Event], shown: str) -> None:
        self._events, self._shown = events, shown
        self._anchors: dict[str, Any] = {}

    def top(self) -> Iterator[Piece]:
        event = self._next()
        if event[0] == "start_array":
            yield from self._items(None)
        elif event[0] == "start_map":
            while (event := self._next())[0] != "end_map":
                key = self._key(event)
                event = self._next()
                if event[0] == "start_array":
                    yield from self._items(key)
                else:
                    yield Piece(key, self._build(event, 1), False)
        else:
            yield Piece(None, self._build(event, 0), False)
        if next(self._events, None) is not None:
            raise CorpusError(f"{self._shown}: holds more than one document")

    def _items(self, key: str | None) -> Iterator[Piece]:
        empty = True
        while (event := self._next())[0] != "end_array":
            empty = False
            yield Piece(key, self._build(event, 1), True)
        if empty:
            yield Piece(key, [], False)

    def _next(self) -> Event:
        event = next(self._events, None)
        if event is None:
            raise CorpusError(f"{self._shown}: is empty")
        return event

    def _key(self, event: Event) -> str:
        value = self._build(event, 1)
        if isinstance(value, Other):
            return value.text
        if not isinstance(value, str):
            raise CorpusError(f"{self._shown}: has a key that is not text")
        return value

    def _build(self, event: Event, depth: int) -> Any:
        """Return one value; an alias is the value it names, never a copy of it."""
        name, value = event
        if depth > _DEEPEST:
            raise CorpusError(f"{self._shown}: is nested more than {_DEEPEST} levels deep")
        if name == "anchor":
            built = self._build(self._next(), depth)
            self._anchors[value] = built
            return built
        if name == "alias":
            if value not in self._anchors:
                raise CorpusError(f"{self._shown}: the alias *{value} names nothing before it")
            return self._anchors[value]
        if name == "start_array":
            items = []
            while (event := self._next())[0] != "end_array":
                items.append(self._build(event, depth + 1))
            return items
        if name == "start_map":
            return self._mapping(depth)
        return value

    def _mapping(self, depth: int) -> dict[str, Any]:
        own: dict[str, Any] = {}
        inherited: dict[str, Any] = {}
        while (event := self._next())[0] != "end_map":
            key = self._key(event)
            value = self._build(self._next(), depth + 1)
            if key == "<<":
                for given in value if isinstance(value, list) else [value]:
                    inherited = {**(given if isinstance(given, dict) else {}), **inherited}
            else:
                own[key] = value
        return {**inherited, **own} if inherited else own


def _json(file: BinaryIO, path: str, shown: str) -> Iterator[Event]:
    import ijson

    try:
        yield from ijson.basic_parse(file, buf_size=_BLOCK)
    except (ijson.JSONError, ValueError, RecursionError) as error:
        raise CorpusError(_not_json(error, path, shown)) from None


def _not_json(error: Exception, path: str, shown: str) -> str:
    """Say what is wrong, with the line where the file is small enough to be read again."""
    import json
    import os

    if os.path.getsize(path) <= _EXPLAINED:
        try:
            with open(path, encoding="utf-8-sig") as file:
                json.load(file)
        except json.JSONDecodeError as said:
            return f"{shown}, line {said.lineno}: is not valid JSON: {said.msg}"
        except RecursionError:
            return f"{shown}: is nested more than {_DEEPEST} levels deep"
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return f"{shown}: is not valid JSON: {first}"


def check_escapes(file: BinaryIO, shown: str) -> None:
    r"""Raise CorpusError for half of a surrogate pair among JSON's \u escapes.

    yajl, which reads the file, would put a question mark there and say nothing.
    """
    rest, line = b"", 1
    while True:
        block = file.read(_BLOCK * 16)
        # behind a quotation mark no escape is half read
        cut = block.rfind(b'"') + 1 if block else 0
        if block and not cut:
            rest += block
            continue
        head, rest = rest + block[:cut], block[cut:]
        if b"\\u" in head:
            for match in _SURROGATES.finditer(head):
                if match[1]:
                    line += head[: match.start()].count(b"\n")
                    problem = "holds half of a surrogate pair, which no UTF-8 can carry"
                    raise CorpusError(f"{shown}, line {line}: {problem}")
        if not block:
            return
        line += head.count(b"\n")


def _yaml(file: BinaryIO, shown: str) -> Iterator[Event]:
    import yaml

    plain = yaml.resolver.Resolver()
    with yaml_problems(shown):
        for event in yaml.parse(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(event, yaml.AliasEvent):
                yield "alias", event.anchor
                continue
            if name := getattr(event, "anchor", None):
                yield "anchor", name
            if isinstance(event, yaml.ScalarEvent):
                yield _scalar(event, plain)
            elif isinstance(event, yaml.SequenceStartEvent):
                yield "start_array", None
            elif isinstance(event, yaml.MappingStartEvent):
                yield "start_map", None
            elif isinstance(event, yaml.SequenceEndEvent):
                yield "end_array", None
            elif isinstance(event, yaml.MappingEndEvent):
                yield "end_map", None


def _scalar(event: ScalarEvent, plain: Any) -> Event:
    import yaml

    tag = event.tag or plain.resolve(yaml.ScalarNode, event.value, event.implicit)
    name = str(tag).removeprefix("tag:yaml.org,2002:")
    if name in ("str", "merge", "!"):
        return "string", event.value
    if name == "null":
        return "null", None
    if name == "bool":
        return "boolean", event.value.lower() in ("true", "yes", "on")
    return "other", Other(name, event.value)
