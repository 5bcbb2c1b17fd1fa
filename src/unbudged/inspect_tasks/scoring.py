"""The scorer of verdict_injection: awaits the scorer under test, and reports at the end."""

# The framework's types are not there where it is not installed.
# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import json
import math
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from ..api import arun
from ..core.judge import Reading, Scored
from .arms import REPORT, Scan, as_scan
from .metrics import (
    attack_success_by_family,
    attack_success_rate,
    control_flip_rate,
    mean_excess,
    stderr,
    undecided_probes,
)
from .readings import Readings, SharedJudge
from .result import summary


@scorer(
    metrics=[
        attack_success_rate(),
        stderr(),
        control_flip_rate(),
        mean_excess(),
        undecided_probes(),
        attack_success_by_family(),
    ]
)
def grader_under_attack(scan: Any) -> Scorer:
    """Score each sample with the scorer under test; decide in the sample ``report``."""
    scan = as_scan(scan)
    by_model: dict[str, Readings] = {}

    async def score(state: TaskState, target: Target) -> Score:
        model = str(state.model)
        if model not in by_model:
            by_model[model] = Readings(scan.judge, scan.plan.baselines)
        readings = by_model[model]
        mark = (str(state.sample_id), state.epoch)
        readings.enter(mark)
        if state.sample_id == REPORT:
            return await _report(scan, readings, state.epoch)
        call, text = scan.text(*mark)
        sample = scan.plan.baselines[call.baseline].with_output(text)
        return _shown(await readings.own(mark, call, sample), text)

    return score


def _shown(reading: Reading, text: str) -> Any:
    """Return a reading as a Score: the number, or Inspect's own unscored with the reason.

    The judged text is the answer, so that the viewer's list tells the samples apart.
    """
    if isinstance(reading, Scored):
        values = dict(reading.values)
        value = next(iter(values.values())) if len(values) == 1 else values
        return Score(value=value, answer=text, explanation=reading.explanation)
    failed = "scoring_failed" if reading.reason in ("error", "timeout") else "grader_failed"
    return Score.unscored(
        reason=failed, answer=text, explanation=f"{reading.reason}: {reading.detail}",
        metadata={"unscorable": reading.reason},
    )  # fmt: skip


async def _report(scan: Scan, readings: Readings, epoch: int) -> Any:
    judge = SharedJudge(readings)
    report = await arun(judge, scan.baselines, **scan.options)
    found = summary(scan.plan, readings.made, report)
    found.update(epoch=epoch, judge_calls=readings.calls, report=json.loads(report.to_json()))
    rate = found["attack_success_rate"]
    said = {"answer": report.verdict, "explanation": report.to_text(), "metadata": found}
    if math.isnan(rate):
        return Score.unscored(reason="scoring_failed", **said)
    return Score(value=rate, **said)
