"""The public names, each loaded when first used; importing this imports nothing else."""

from __future__ import annotations

TYPE_CHECKING = False  # spelled out: importing typing for one flag would cost more than the rest
if TYPE_CHECKING:
    from .api import arun, assert_unbudged, run
    from .core.corpus import Attack, Family, load_corpus
    from .core.judge import Judge, JudgeInfo, Scored, Unscorable
    from .core.report import Finding, Report
    from .core.sample import Sample
    from .errors import CorpusError, TargetError, UnbudgedError, UsageError
    from .frameworks import scan_metric, scan_scorer
    from .progress import Progress
    from .scan import Interrupted
    from .version import VERSION as __version__

__all__ = [
    "Attack",
    "CorpusError",
    "Family",
    "Finding",
    "Interrupted",
    "Judge",
    "JudgeInfo",
    "Progress",
    "Report",
    "Sample",
    "Scored",
    "TargetError",
    "UnbudgedError",
    "Unscorable",
    "UsageError",
    "__version__",
    "arun",
    "assert_unbudged",
    "load_corpus",
    "run",
    "scan_metric",
    "scan_scorer",
]

_HOME = {
    "Attack": "core.corpus",
    "CorpusError": "errors",
    "Family": "core.corpus",
    "Finding": "core.report",
    "Interrupted": "scan",
    "Judge": "core.judge",
    "JudgeInfo": "core.judge",
    "Progress": "progress",
    "Report": "core.report",
    "Sample": "core.sample",
    "Scored": "core.judge",
    "TargetError": "errors",
    "UnbudgedError": "errors",
    "Unscorable": "core.judge",
    "UsageError": "errors",
    "__version__": "version",
    "arun": "api",
    "assert_unbudged": "api",
    "load_corpus": "core.corpus",
    "run": "api",
    "scan_metric": "frameworks",
    "scan_scorer": "frameworks",
}


def __getattr__(name: str) -> object:
    """Load a public name on first use; raises AttributeError for any other name."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"{__name__}.{_HOME[name]}")
    value: object = getattr(module, "VERSION" if name == "__version__" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
