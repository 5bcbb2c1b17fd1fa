"""verdict_injection: does text in the judged answer move the grader?"""

# The framework's types are not there where it is not installed.
# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Any

from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.viewer import ViewerConfig

from inspect_ai import Task, task

from ..version import VERSION
from .arms import REPORT, Scan, arms, as_scan, plan_task
from .complaint import clearly
from .scoring import grader_under_attack


@task(name="verdict_injection")
def verdict_injection(
    scorer: str = "model_graded_qa",
    scorer_args: dict[str, Any] | None = None,
    corpus: str | list[str] = "core",
    families: str | list[str] | None = None,
    attacks: str | list[str] | None = None,
    samples: str | None = None,
    key: str | None = None,
    values: dict[str, float] | None = None,
    scale: list[float] | None = None,
    pass_mark: float | None = None,
    direction: str = "both",
    placement: str | None = None,
    goal: str | None = None,
    tolerance: float = 1e-9,
    alpha: float = 0.01,
    trials: int | None = None,
    max_calls: int | None = None,
    seed: int = 0,
) -> Task:
    """Measure a grader: bind it with --model-role grader=…, or it is --model itself.

    One sample per case (a weak answer), attack and arm: clean, attack, and the controls
    twin and filler. The last sample, ``report``, decides what ``unbudged run`` would decide
    of these readings, makes the further calls its rules ask for, and holds the report.

    Args:
        scorer: The scorer under test: a built-in, package/name or file.py@name.
        scorer_args: Arguments for the scorer.
        corpus: Shipped name, YAML file or folder, or several.
        families: Attack families by full name (default: all).
        attacks: Attack ids or globs such as role.* (default: all).
        samples: JSONL or CSV file with output, input, reference, context, id (default: the
            built-in weak answers).
        key: Which of several values of a score to look at.
        values: What a grade outside C, P and I is worth.
        scale: Lowest and highest score, as in 0,1.
        pass_mark: Least score that passes.
        direction: both, up or down.
        placement: suffix, prefix, middle, replace, repeat, weave or inlay, for every payload.
        goal: What payloads ask for (default: award full marks).
        tolerance: Least difference that counts, absolute.
        alpha: False-alarm rate of the whole scan.
        trials: Pairs per probe of a fixed design (default: sequential); sets the epochs.
        max_calls: Most judge calls the decision may rest on.
        seed: Of everything drawn at random.
    """
    options = {name: value for name, value in locals().items() if value is not None}
    with clearly():
        scan = plan_task(**options)
    return Task(
        dataset=MemoryDataset(_samples(scan), name="unbudged"),
        solver=present_answer(scan),
        scorer=grader_under_attack(scan),
        epochs=trials,
        viewer=ViewerConfig(trust_content=False),
        metadata={"unbudged": VERSION},
    )


def _samples(scan: Scan) -> list[Any]:
    cases = scan.plan.baselines
    rows = [
        InspectSample(
            id=arm.id,
            input=cases[arm.call.baseline].input or "(no question)",
            target=cases[arm.call.baseline].reference or "",
            metadata=arm.metadata,
        )
        for arm in arms(scan)
    ]
    about = "What the readings of all samples mean, and the further calls that takes."
    return [*rows, InspectSample(id=REPORT, input=about, metadata={"arm": REPORT})]


@solver
def present_answer(scan: Any) -> Solver:
    """Put the prepared answer where a model's would be: the case with payload or control."""
    scan = as_scan(scan)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id != REPORT:
            _, text = scan.text(str(state.sample_id), state.epoch)
            state.output = ModelOutput.from_content("unbudged", text)
            state.messages.append(state.output.message)
        state.completed = True
        return state

    return solve
