"""What ``unbudged run`` scans: the target and its baselines, from its file and the options."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from ..core.sample import Sample
from ..errors import UsageError

#: what a scan imports late, taken in before a target's folder (an inspect.py in it) is on the path;
#: asyncio and traceback bring most of the standard library a folder may have a namesake of
_LATE = (
    "asyncio",
    "concurrent.futures.thread",
    "difflib",
    "fnmatch",
    "hashlib",
    "importlib.metadata",
    "inspect",
    "json",
    "random",
    "statistics",
    "traceback",
    "yaml",
)


class Loaded(NamedTuple):
    """What to scan: ``positions`` number the baselines for ``--only-baseline``."""

    target: Any
    baselines: list[Sample]
    positions: list[int]
    #: (strong, weak) answers the judge must rank, None unless the built-in samples are used
    contrast: tuple[list[Sample], list[Sample]] | None = None


def load(options: dict[str, Any]) -> Loaded:
    """Load the target and gather what it is scanned on; raises UsageError where nothing is."""
    from .. import api
    from ..adapters.extras import keep_quiet
    from ..loading import load_target, read_baselines
    from .samples import read_samples

    path, mapping = options["samples"], options["column"]
    if mapping and path is None:
        raise UsageError("--column says how to read --samples, which is not given")
    samples = () if path is None else read_samples(path, mapping)
    extra = read_baselines(list(options["baseline"]), "--baseline")
    for name in _LATE:
        import_module(name)
    keep_quiet()
    loaded = load_target(options["target"])
    given = [*(loaded.baselines or ()), *extra, *samples]
    pairs = None
    if not given and api.find_adapter(loaded.target) is not None:
        # a framework's object knows its fields, so the built-in samples fit it
        pairs = api.built_in_samples(loaded.target)
        given = [weak for weak, _ in pairs]
    if not given:
        missing = "defines no" if loaded.baselines is None else "has an empty list of"
        raise UsageError(
            f"{loaded.place} {missing} baselines: add some, or give --baseline or --samples"
        )
    baselines = api.read_baselines(given)  # a duplicate counts once
    positions = sorted(set(options["only_baseline"])) or list(range(1, len(baselines) + 1))
    for position in positions:
        if not 1 <= position <= len(baselines):
            raise UsageError(
                f"--only-baseline {position}: the baselines are numbered 1 to {len(baselines)}"
            )
    kept = [baselines[position - 1] for position in positions]
    if pairs is None:
        return Loaded(loaded.target, kept, positions)
    strong = [pairs[position - 1][1] for position in positions]
    return Loaded(loaded.target, kept, positions, (strong, kept))
