"""DeepEval: scan any of its metrics, shipped or your own, single turn or conversation."""

from __future__ import annotations

from typing import Any

from ...api import Baselines, run
from ...core.report import Report
from ...errors import TargetError
from ..extras import check_extra, is_genuine, keep_quiet
from .judge import MetricJudge
from .traits import kind_of


def recognises(target: Any) -> bool:
    """Tell whether an object is a metric of the installed DeepEval, by its own class."""
    return kind_of(target) is not None and is_genuine("deepeval")


def make_judge(
    target: Any,
    *,
    key: str | None = None,
    scale: tuple[float, float] | None = None,
    pass_mark: float | None = None,
) -> MetricJudge:
    """Wrap a DeepEval metric.

    ``key`` picks "score" or one entry of the metric's score breakdown. ``scale`` and
    ``pass_mark`` default to the metric's own: 0 to 1 for those DeepEval ships, and its
    threshold. Raises MissingExtra when DeepEval is missing or too old, TargetError for
    an object that gives no score.
    """
    version = check_extra("deepeval")
    keep_quiet()
    kind = kind_of(target)
    if isinstance(target, type):
        raise TargetError(
            f"{target.__name__} is a class: give an object, as in {target.__name__}(...)"
        )
    name = type(target).__name__
    if kind == "arena":
        raise TargetError(
            f"{name} names a winner among several answers and gives no score:"
            " scan a GEval with the same criteria"
        )
    if kind == "classifier":
        raise TargetError(f"{name} gives a label and no score: scan a metric")
    if kind is None:
        raise TargetError(f"a DeepEval metric is needed, not an object of class {name}")
    return MetricJudge(target, kind, version, key, scale, pass_mark)


def scan_metric(metric: Any, baselines: Baselines | None = None, **options: Any) -> Report:
    """Scan a DeepEval metric; the built-in samples are used where no baselines are given.

    Takes the options of ``unbudged.run``. A ``Sample``'s output is the judged answer, its
    input, reference and context are DeepEval's input, expected_output (for conversations
    expected_outcome), context and retrieval_context; every other field of a test case is
    an entry of ``Sample.metadata`` under DeepEval's own name. In a conversation the answer
    is the last assistant turn, after ``metadata["turns"]`` or the input alone. A metric
    that reads an agent's trace gets ``metadata["trace"]``, the answer as its output.
    Raises MissingExtra, UsageError when a field is missing that the metric requires,
    TargetError when the judged answer never reaches the metric's judge.
    """
    own = {name: options.pop(name, None) for name in ("scale", "pass_mark")}
    judge = make_judge(metric, key=options.get("key"), **own)
    return run(judge, baselines, **options)


# read by DeepEval when it is imported, which may be next
keep_quiet()
