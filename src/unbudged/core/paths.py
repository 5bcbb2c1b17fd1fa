"""Which files a corpus consists of: shipped names, files, folders and what these include."""

from __future__ import annotations

import os
from typing import NamedTuple

from ..errors import CorpusError
from .fields import Fields, closest, compose, kind
from .foreign.names import FORMATS, OURS, detect, split

_SHIPPED = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpora")
_SUFFIXES = (".yaml", ".yml")
_MANIFEST = "corpus.yaml"


class Source(NamedTuple):
    """One file of a corpus: its format, the column named for payloads, what the user called it."""

    path: str
    format: str
    column: str | None
    given: str


def shipped_corpora() -> tuple[str, ...]:
    """Return the names of the corpora that come with the package, sorted."""
    folders = sorted(entry.name for entry in os.scandir(_SHIPPED) if entry.is_dir())
    return tuple(name for name in folders if _holds_yaml(os.path.join(_SHIPPED, name)))


def _holds_yaml(folder: str) -> bool:
    # corpora/ has folders of other data beside the corpora
    return any(name.endswith(_SUFFIXES) for name in os.listdir(folder))


def corpus_files(name: object) -> list[Source]:
    """List the files a corpus consists of, in the order they are read.

    A shipped name goes before a path of that name, a path that exists before what
    FILE@format would mean. Raises CorpusError.
    """
    if not isinstance(name, (str, os.PathLike)) or not isinstance(path := os.fspath(name), str):
        raise CorpusError(f"a corpus is a name or a path, not {type(name).__name__}")
    shipped = shipped_corpora()
    if isinstance(name, str) and path in shipped:
        listed = _listed(os.path.join(_SHIPPED, path), path, set())
        return [Source(file, OURS, None, path) for file in listed]
    root, format, column = split(path)
    if "\0" in root or not os.path.exists(root):
        hint = closest(root, shipped)
        raise CorpusError(f"corpus {root!r} is no file, no folder and not shipped{hint}")
    files = _listed(root, root, set(), FORMATS[format or OURS])
    return [
        Source(file, format or detect(file, printable(file)), column, root) for file in files
    ]


def printable(path: str) -> str:
    """Return a path as a complaint shows it: on one line, whatever characters it holds."""
    return path if path.isprintable() else repr(path)


def _listed(
    root: str, path: str, opened: set[str], suffixes: tuple[str, ...] = _SUFFIXES
) -> list[str]:
    """List the files under a path, those its manifest includes first."""
    if not os.path.isdir(root):
        return [root]
    opened.add(os.path.realpath(root))
    is_ours = suffixes == _SUFFIXES
    found = []
    walked: set[str] = set()
    for folder, folders, files in os.walk(root, onerror=_unreadable, followlinks=True):
        if (real := os.path.realpath(folder)) in walked:
            folders.clear()  # a link back up
            continue
        walked.add(real)
        folders[:] = [f for f in folders if not f.startswith(".")]
        found += [
            os.path.join(folder, f)
            for f in files
            if f.lower().endswith(suffixes) and not f.startswith(".")
        ]
    if not found:
        wanted = " or ".join(suffixes)
        hint = " (FOLDER@format reads other files)" if is_ours else ""
        raise CorpusError(f"corpus folder {path!r} holds no {wanted} file{hint}")
    manifest = os.path.join(root, _MANIFEST)
    included = _includes(manifest) if is_ours and manifest in found else None
    if included is not None:
        found.remove(manifest)
    found.sort(key=lambda file: file.split(os.sep))
    first = [
        file
        for other in included or ()
        if os.path.realpath(other) not in opened
        for file in _listed(other, other, opened)
    ]
    return [*first, *found]


def _includes(manifest: str) -> list[str] | None:
    """Return the paths a manifest names, None for a file that is no manifest but a corpus."""
    import yaml

    shown = printable(manifest)
    top = compose(manifest, shown)
    keys = [key.value for key, _ in top.value] if isinstance(top, yaml.MappingNode) else []
    if "includes" not in keys:
        return None
    fields = Fields(shown, "", top, ("includes",))
    listed = fields.node("includes")
    if not isinstance(listed, yaml.SequenceNode):
        raise fields.error("includes", f"must be a list of corpora, not {kind(listed)}")
    if not listed.value:
        raise fields.error("includes", "names no corpus")
    shipped = shipped_corpora()
    paths = []
    for node in listed.value:
        if kind(node) != "text":
            raise fields.error("includes", f"must name corpora, not {kind(node)}")
        path = os.path.join(os.path.dirname(manifest), node.value)
        path = os.path.join(_SHIPPED, node.value) if node.value in shipped else path
        if "\0" in path or not os.path.exists(path):
            problem = f"{node.value!r} is no file, no folder and not shipped"
            raise fields.error("includes", problem + closest(node.value, shipped))
        paths.append(path)
    return paths


def _unreadable(error: OSError) -> None:
    raise CorpusError(f"{error.filename!r} cannot be read: {error.strerror}")
