"""Weave scorers as judges: scored through Weave's own chain, as an Evaluation would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...api import read_baselines, run
from ...core.report import Report
from ...core.sample import Sample
from ..extras import check_extra, is_genuine
from .judge import WeaveJudge, make_judge

__all__ = ["WeaveJudge", "make_judge", "recognises", "scan_scorer"]


def recognises(target: Any) -> bool:
    """Tell whether an object is a Weave scorer: a Scorer instance, or an op with ``output``.

    An op that takes nothing but the text is a callable like any other and is not claimed.
    """
    if isinstance(target, type) or not is_genuine("weave"):
        return False
    from weave.flow.scorer import Scorer
    from weave.trace.isinstance import weave_isinstance
    from weave.trace.op import is_op
    from weave.trace.refs import OpRef

    if weave_isinstance(target, Scorer) or isinstance(target, OpRef):
        return True
    if not is_op(target):
        return False
    import inspect

    names = inspect.signature(target).parameters
    return "output" in names or "model_output" in names


def scan_scorer(
    scorer: Any,
    baselines: Sequence[str | Sample] | None = None,
    *,
    key: str | None = None,
    scale: tuple[float, float] | None = None,
    pass_mark: float | None = None,
    higher_is_better: bool | None = None,
    output_key: str | None = None,
    publish: bool = False,
    **options: Any,
) -> Report:
    """Scan a Weave scorer: a Scorer instance, an op, or a function with ``output``.

    Takes the options of ``unbudged.run`` and: ``key`` one channel, dotted where the result
    is nested (``metadata.score``); ``higher_is_better`` False where a low score is the good
    one (known for the scorers Weave ships); ``output_key`` where the scorer reads a dict,
    the entry of it that holds the judged text; ``publish`` to log the scan as a Weave
    evaluation, for which ``weave.init`` must have been called.

    Raises MissingExtra when Weave is not installed or too old, TargetError for an object
    Weave would not accept as a scorer, UsageError when a sample lacks what it needs.
    """
    check_extra("weave")
    judge = make_judge(
        scorer, key=key, scale=scale, pass_mark=pass_mark,
        higher_is_better=higher_is_better, output_key=output_key,
    )  # fmt: skip
    options.update(key=key, scale=scale, pass_mark=pass_mark)
    if not publish:
        return run(judge, baselines, **options)
    from .publish import log_report, need_client

    need_client()  # before the scan is paid for
    report = run(judge, baselines, **options)
    weak = [pair[0] for pair in judge.samples()] if baselines is None else read_baselines(baselines)
    log_report(report, samples=weak)
    return report
