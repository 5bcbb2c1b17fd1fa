"""Which files a corpus consists of: shipped names, files, folders and what these include."""

from __future__ import annotations

import os

from ..errors import CorpusError
from .fields import Fields, closest, compose, kind

_SHIPPED = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpora")
_SUFFIXES = (".yaml", ".yml")
_MANIFEST = "corpus.yaml"


def shipped_corpora() -> tuple[str, ...]:
    """Return the names of the corpora that come with the package, sorted."""
    folders = sorted(entry.name for entry in os.scandir(_SHIPPED) if entry.is_dir())
    return tuple(name for name in folders if _holds_yaml(os.path.join(_SHIPPED, name)))


def _holds_yaml(folder: str) -> bool:
    # corpora/ has folders of other data beside the corpora
    return any(name.endswith(_SUFFIXES) for name in os.listdir(folder))


def corpus_paths(name: object) -> list[str]:
    """List the files a corpus consists of, in the order they are read.

    A shipped name goes before a path of that name. Raises CorpusError.
    """
    if not isinstance(name, (str, os.PathLike)) or not isinstance(path := os.fspath(name), str):
        raise CorpusError(f"a corpus is a name or a path, not {type(name).__name__}")
    shipped = shipped_corpora()
    root = os.path.join(_SHIPPED, path) if isinstance(name, str) and path in shipped else path
    if "\0" in root or not os.path.exists(root):
        hint = closest(path, shipped)
        raise CorpusError(f"corpus {path!r} is no file, no folder and not shipped{hint}")
    return _listed(root, path, set())


def _listed(root: str, path: str, opened: set[str]) -> list[str]:
    """List the files under a path, those its manifest includes first."""
    if not os.path.isdir(root):
        return [root]
    opened.add(os.path.realpath(root))
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
            if f.lower().endswith(_SUFFIXES) and not f.startswith(".")
        ]
    if not found:
        raise CorpusError(f"corpus folder {path!r} holds no .yaml or .yml file")
    manifest = os.path.join(root, _MANIFEST)
    included = _includes(manifest) if manifest in found else None
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

    shown = manifest if manifest.isprintable() else repr(manifest)
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
