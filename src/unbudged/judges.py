"""Which judge stands for a target: itself, its framework adapter's, or that of a callable."""

from __future__ import annotations

import sys
from typing import Any

from .core.judge import Judge, JudgeInfo
from .core.sample import Sample
from .core.target import make_judge

# framework's import name -> our adapter; imported by name, only when the framework is there
ADAPTERS: dict[str, str] = {
    "deepeval": "unbudged.adapters.deepeval",
    "inspect_ai": "unbudged.adapters.inspect_ai",
    "weave": "unbudged.adapters.weave",
}


def judge_of(
    target: Any, *, key: str | None = None, scale: tuple[float, float] | None = None,
    pass_mark: float | None = None, is_async: bool | None = None,
) -> Judge:
    """Return the neutral judge of a target: itself, an adapter's, or one of a callable."""
    if not isinstance(target, type) and isinstance(getattr(target, "info", None), JudgeInfo):
        judge: Judge = target
        return judge
    module = find_adapter(target)
    if module is not None:
        from importlib import import_module

        judge = import_module(module).make_judge(target, key=key, scale=scale, pass_mark=pass_mark)
        return judge
    return make_judge(target, key=key, scale=scale, pass_mark=pass_mark, is_async=is_async)


def find_adapter(target: Any) -> str | None:
    """Return the module of the adapter that recognises an object, None for none.

    Only adapters whose framework is already imported are asked: nothing is imported
    that the object's own class did not import before.
    """
    for framework, module in ADAPTERS.items():
        if framework in sys.modules:
            from importlib import import_module

            if import_module(module).recognises(target):
                return module
    return None


def built_in_samples(target: Any) -> tuple[tuple[Sample, Sample], ...]:
    """Return the pairs (weak, strong answer) a framework's object is scanned with by default."""
    return samples_of(judge_of(target))


def samples_of(judge: Judge) -> tuple[tuple[Sample, Sample], ...]:
    """Return the pairs (weak, strong answer) a judge is asked about by default."""
    from .core.samples import load_samples

    pairs: tuple[tuple[Sample, Sample], ...] = getattr(judge, "samples", load_samples)()
    return pairs
