"""The samples of verdict_injection: which call of a scan each of them stands for."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import Any

from ..adapters.inspect_ai import make_judge
from ..core.plan import Arm, Call, Plan
from ..core.sample import Sample
from ..errors import UsageError
from ..prepare import plan_scan

REPORT = "report"
_SCAN = (
    "corpus", "families", "attacks", "direction", "placement", "goal", "tolerance", "alpha",
    "trials", "max_calls", "seed",
)  # fmt: skip
_JUDGE = ("key", "values", "scale", "pass_mark")


@dataclass(frozen=True)
class Scan:
    """A task's scan: its plan, the judge, and what ``arun`` is given to decide it."""

    plan: Plan
    judge: Any
    baselines: tuple[Sample, ...] | None
    options: dict[str, Any]
    given: dict[str, Any]

    def _repr_params_(self) -> dict[str, Any]:
        """Return what a log records of the scan: enough to plan it again."""
        return self.given

    def text(self, sample_id: str, epoch: int) -> tuple[Call, str]:
        """Return the call of a sample in an epoch, and its judged text."""
        call = call_of(self.calls[sample_id], epoch, self.options.get("trials"))
        return call, self.plan.text(call)

    @functools.cached_property
    def calls(self) -> dict[str, Call]:
        return {arm.id: arm.call for arm in arms(self)}


@dataclass(frozen=True, slots=True)
class SampleArm:
    """One sample of the task: its id, its call in epoch 1, its metadata."""

    id: str
    call: Call
    metadata: dict[str, Any]


def plan_task(**given: Any) -> Scan:
    """Build scorer, judge and plan from a task's arguments; raises UsageError."""
    logged = given
    given = dict(given)
    for name in ("families", "attacks"):
        if isinstance(given.get(name), str):
            given[name] = [given[name]]
    if "scale" in given:
        given["scale"] = _scale(given["scale"])
    judge = make_judge(
        find_scorer(given["scorer"], given.get("scorer_args") or {}),
        **{name: given[name] for name in _JUDGE if name in given},
    )
    baselines = None
    if "samples" in given:
        from ..cli.samples import read_samples

        baselines = read_samples(given["samples"])
    options = {name: given[name] for name in _SCAN if name in given}
    plan = plan_scan(judge, baselines, **options).plan
    return Scan(plan, judge, baselines, options, logged)


def as_scan(scan: Any) -> Scan:
    """Return a scan as it is, or plan it again from what a log recorded of it."""
    return scan if isinstance(scan, Scan) else plan_task(**scan)


def find_scorer(scorer: Any, args: dict[str, Any]) -> Any:
    """Return the scorer a name stands for: a built-in, package/name or file.py@name."""
    if not isinstance(scorer, str):
        return scorer
    from inspect_ai._eval.loader import scorer_from_spec
    from inspect_ai.scorer._scorer import ScorerSpec

    file, at, _ = scorer.rpartition("@")
    if at and not os.path.isfile(file):
        raise UsageError(f"scorer {scorer}: no such file: {file}")
    return scorer_from_spec(ScorerSpec(scorer=scorer), None, **args)


def arms(scan: Scan) -> list[SampleArm]:
    """Return every sample's arm: the clean cases, then attack, twin and filler of each cell.

    What is compared with each other stands next to each other, so that a grader that
    drifts while the eval runs drifts for all of it alike.
    """
    plan = scan.plan
    rows = [
        SampleArm(f"{case_id(plan, b)}/clean", Call("base", -1, b), _about(plan, b, None, "clean"))
        for b in range(len(plan.baselines))
    ]
    kinds: tuple[Arm, ...] = ("attack", "twin", "filler")
    for a, attack in enumerate(plan.attacks):
        for b in plan.cells(a):
            case = case_id(plan, b)
            rows += [
                SampleArm(f"{case}/{attack.id}/{arm}", Call(arm, a, b), _about(plan, b, a, arm))
                for arm in kinds
            ]
    return rows


def call_of(call: Call, epoch: int, trials: int | None) -> Call:
    """Return the call a sample stands for in an epoch: epochs are the rounds of a scan.

    A sequential scan starts with round 0, the baseline as it is; a fixed design
    (``trials``) compares in rounds 1 to ``trials``. Every round has a twin of its own.
    """
    if call.arm == "base":
        return call._replace(round=epoch - 1)
    r = epoch if trials else epoch - 1
    return call._replace(k=0 if call.arm == "attack" else r, round=r)


def case_id(plan: Plan, b: int) -> str:
    """Return the id of a case: the baseline's own, else its number from 1."""
    return plan.baselines[b].id or f"case {b + 1}"


def _about(plan: Plan, b: int, a: int | None, arm: str) -> dict[str, Any]:
    about: dict[str, Any] = {"case": case_id(plan, b), "arm": arm, "attack": None, "family": None}
    if a is not None:
        about["attack"], about["family"] = plan.attacks[a].id, plan.attacks[a].family
        about["placement"] = plan.placement_of(a)
    return about


def _scale(given: Any) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in given)
    except (TypeError, ValueError):
        raise UsageError(f"scale {given!r}: two numbers are needed, as in 0,1") from None
    return low, high
