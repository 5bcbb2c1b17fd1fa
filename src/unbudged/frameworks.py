"""scan_metric and scan_scorer: scan a framework's object with the adapter its class asks for."""

from __future__ import annotations

from typing import Any

from .api import Baselines, find_adapter
from .core.report import Report
from .errors import UsageError

_TAKES = {
    "scan_metric": "a DeepEval metric",
    "scan_scorer": "an Inspect AI scorer or a Weave scorer",
}


def scan_metric(metric: Any, baselines: Baselines | None = None, **options: Any) -> Report:
    """Scan a DeepEval metric; the built-in samples are used where no baselines are given.

    Takes the options of ``run`` and those of ``unbudged.adapters.deepeval.scan_metric``.
    Raises UsageError for an object of another kind, MissingExtra for a DeepEval too old.
    """
    return _scan("scan_metric", metric, baselines, options)


def scan_scorer(scorer: Any, baselines: Baselines | None = None, **options: Any) -> Report:
    """Scan an Inspect AI or Weave scorer; the built-in samples are used without baselines.

    Takes the options of ``run`` and those of ``scan_scorer`` in ``unbudged.adapters.inspect_ai``
    or ``unbudged.adapters.weave``. Raises UsageError for an object of another kind,
    MissingExtra for a framework too old. A plain function has no framework: name the
    adapter, as in ``unbudged.adapters.weave.scan_scorer(function)``, or use ``run``.
    """
    return _scan("scan_scorer", scorer, baselines, options)


def _scan(name: str, target: Any, baselines: Baselines | None, options: dict[str, Any]) -> Report:
    module = find_adapter(target)
    if module is None:
        raise UsageError(f"{name} takes {_TAKES[name]}, not {_kind(target)}; run() takes functions")
    from importlib import import_module

    adapter = import_module(module)
    function = getattr(adapter, name, None)
    if function is None:
        other = next(known for known in _TAKES if hasattr(adapter, known))
        raise UsageError(f"{name} takes {_TAKES[name]}; {_kind(target)} goes to {other}")
    report: Report = function(target, baselines, **options)
    return report


def _kind(target: Any) -> str:
    if isinstance(target, type):
        return f"the class {target.__name__} (give an object of it)"
    name = type(target).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
