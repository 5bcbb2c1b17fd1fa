"""What each adapter needs installed: its extra, the framework's distribution and its floor."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import MissingExtra

if TYPE_CHECKING:
    from importlib.metadata import Distribution


@dataclass(frozen=True, slots=True)
class Extra:
    """A framework: its title, its names on PyPI and in import, the oldest version that works."""

    title: str
    distribution: str
    module: str
    floor: str


#: extra's name (as in ``pip install "unbudged[NAME]"``) -> what it stands for
EXTRAS = {
    "deepeval": Extra("DeepEval", "deepeval", "deepeval", "3.9.9"),
    "inspect": Extra("Inspect AI", "inspect-ai", "inspect_ai", "0.3.262"),
    "weave": Extra("Weave", "weave", "weave", "0.52.1"),
}

#: what silences a framework's reports about its user -> the value, and what else decides about it
_QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": ("1", "DEEPEVAL_TELEMETRY_ENABLED"),
    "WANDB_ERROR_REPORTING": ("false", "WANDB_ERROR_REPORTING"),
}


def keep_quiet() -> None:
    """Tell the frameworks to report nothing about their user, unless the user has decided.

    They read it when they are imported, so a command calls this before it loads a target.
    """
    for variable, (value, other) in _QUIET.items():
        if variable not in os.environ and other not in os.environ:
            os.environ[variable] = value


def check_extra(name: str) -> str:
    """Return the installed version of an extra's framework, importing nothing of it.

    Raises MissingExtra, one sentence with the pip line, when the distribution is not
    installed or is older than its floor. A folder or file that merely has the
    framework's name counts for nothing.
    """
    extra = EXTRAS[name]
    pip = f'pip install "unbudged[{name}]"'
    found = _distribution(extra)
    if found is None:
        raise MissingExtra(
            f"scanning with {extra.title} needs the package {extra.distribution},"
            f" which is not installed: {pip}"
        )
    version = found.version
    if _older(version, extra.floor):
        raise MissingExtra(
            f"{extra.distribution} {version} is installed, unbudged needs {extra.floor} or newer:"
            f" {pip} --upgrade"
        )
    return version


def is_genuine(name: str) -> bool:
    """Tell whether the framework's imported module is the installed distribution's own.

    False when it is not imported, when no such distribution is installed, and when the
    imported module is a file or folder of the same name from elsewhere.
    """
    extra = EXTRAS[name]
    file = getattr(sys.modules.get(extra.module), "__file__", None)
    found = _distribution(extra) if file else None
    if file is None or found is None:
        return False
    imported = os.path.realpath(file)
    own = os.path.realpath(str(found.locate_file(os.path.join(extra.module, "__init__.py"))))
    return imported == own or _editable(found, imported)


def _distribution(extra: Extra) -> Distribution | None:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution(extra.distribution)
    except PackageNotFoundError:
        return None


def _editable(found: Distribution, imported: str) -> bool:
    """Tell whether the file lies in the source tree of an editable installation."""
    text = found.read_text("direct_url.json")
    if not text:
        return False
    import json
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    said = json.loads(text)
    if not said.get("dir_info", {}).get("editable"):
        return False
    root = os.path.realpath(url2pathname(urlsplit(said["url"]).path))
    return imported.startswith(os.path.join(root, ""))


def _older(version: str, floor: str) -> bool:
    have, wanted = _release(version), _release(floor)
    width = max(len(have[0]), len(wanted[0]))
    padded = [(*release, *(0,) * (width - len(release))) for release, _ in (have, wanted)]
    return padded[0] < padded[1] or (padded[0] == padded[1] and have[1])


def _release(version: str) -> tuple[tuple[int, ...], bool]:
    """Return the release numbers and whether the version comes before that release."""
    import re

    match = re.match(r"v?(?:\d+!)?(\d+(?:\.\d+)*)(.*)", version.strip().lower())
    if match is None:
        return (0,), False
    early = re.match(r"[-_.]?(a|b|c|rc|alpha|beta|pre|preview|dev)", match[2]) is not None
    return tuple(int(part) for part in match[1].split(".")), early
