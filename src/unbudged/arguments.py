"""What the user passed, checked: one clear line for each thing that cannot be used."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from .core.corpus import Attack, shipped_with
from .core.sample import Sample
from .errors import UsageError

Baselines = Sequence["str | Sample"]


def check_options(
    tolerance: Any, alpha: Any, trials: Any, max_calls: Any, seed: Any, direction: Any,
    scale: Any, pass_mark: Any, separator: Any, key: Any,
) -> None:
    """Raise UsageError naming the first option that is of the wrong type or range."""
    if not _number(tolerance) or not 0 <= tolerance < math.inf:
        raise UsageError(f"tolerance must be a finite number of at least 0, not {tolerance!r}")
    if not _number(alpha) or not 0 < alpha <= 0.5:
        raise UsageError(f"alpha must lie above 0 and at most at 0.5, not {alpha!r}")
    for name, count in (("trials", trials), ("max_calls", max_calls)):
        if count is not None and not (type(count) is int and 1 <= count <= 10**9):
            raise UsageError(f"{name} must be a whole number from 1 to {10**9}, not {count!r}")
    if type(seed) is not int:
        raise UsageError(f"seed must be a whole number, not {seed!r}")
    if direction not in ("both", "up", "down"):
        raise UsageError(f"direction {direction!r} is not one of both, up, down")
    if scale is not None:
        pair = isinstance(scale, (tuple, list)) and len(scale) == 2
        if not pair or not all(_number(end) and math.isfinite(end) for end in scale):
            raise UsageError(f"scale must be a pair (lowest, highest) of numbers, not {scale!r}")
        if not scale[0] < scale[1]:
            raise UsageError(f"scale needs its lower end first, not {scale!r}")
    if pass_mark is not None:
        if not _number(pass_mark) or not math.isfinite(pass_mark):
            raise UsageError(f"pass_mark must be a finite number, not {pass_mark!r}")
        if scale is not None and not scale[0] <= pass_mark <= scale[1]:
            low, high = scale
            raise UsageError(f"pass_mark {pass_mark:g} lies outside the scale {low:g} to {high:g}")
    if not isinstance(separator, str):
        raise UsageError(f"separator must be a string, not {separator!r}")
    if key is not None and not isinstance(key, str):
        raise UsageError(f"key must be a string, not {key!r}")


def check_keeping(journal: Any, explanations: Any, progress: Any) -> None:
    """Raise UsageError for a journal, explanations or progress of the wrong type."""
    if journal is not None and not (isinstance(journal, (str, os.PathLike)) and str(journal)):
        raise UsageError(f"journal must be a path, not {journal!r}")
    if not isinstance(explanations, bool):
        raise UsageError(f"explanations must be True or False, not {explanations!r}")
    if progress is not None and not callable(progress):
        raise UsageError(f"progress must be a function of a Progress, not {progress!r}")


def check_choosing(compose: Any, budget: Any, worst: Any) -> None:
    """Raise UsageError for an option of the choice of attacks that cannot be used."""
    for name, flag in (("compose", compose), ("worst", worst)):
        if not isinstance(flag, bool):
            raise UsageError(f"{name} is True or False, not {flag!r}")
    if budget is not None and not (type(budget) is int and 1 <= budget <= 10**9):
        raise UsageError(f"budget must be a whole number from 1 to {10**9}, not {budget!r}")


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def names(option: str, value: Any) -> tuple[str, ...] | None:
    """Return an option that takes one name or several as a tuple; raises UsageError."""
    if value is None:
        return None
    items = (value,) if isinstance(value, str) else value
    if not isinstance(items, (list, tuple, set, frozenset)) or not items:
        raise UsageError(f"{option} must be a list of names, not {value!r}")
    if not all(isinstance(item, str) for item in items):
        raise UsageError(f"{option} must hold names only, not {value!r}")
    return tuple(items)


def _has(pattern: str, attack: Attack) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(attack.id, pattern)


def pick_attacks(
    attacks: tuple[Attack, ...], wanted: Sequence[str] | None
) -> tuple[Attack, ...]:
    """Return the attacks whose id matches; every id or glob must match something."""
    if wanted is None:
        return attacks
    for pattern in wanted:
        if not any(_has(pattern, a) for a in attacks):
            import difflib

            if there := shipped_with(partial(_has, pattern)):
                raise UsageError(f"no attack {pattern!r} in this corpus{there}")
            near = difflib.get_close_matches(pattern, [a.id for a in attacks], 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError(f"no attack {pattern!r} in this corpus{hint}")
    return tuple(a for a in attacks if any(_has(p, a) for p in wanted))


def read_baselines(baselines: Baselines) -> list[Sample]:
    """Return the baselines as samples, duplicates once; raises UsageError."""
    if isinstance(baselines, (str, Sample)) or not isinstance(baselines, (list, tuple)):
        raise UsageError(
            "baselines must be a list of strings or Samples, not"
            f" {type(baselines).__name__}"
        )
    samples: list[Sample] = []
    for i, item in enumerate(baselines, 1):
        sample = Sample(item) if isinstance(item, str) else item
        if not isinstance(sample, Sample):
            raise UsageError(f"baseline {i} must be a string or Sample, not {type(item).__name__}")
        sample = _checked(sample, i)
        if not sample.output.strip():
            raise UsageError(f"baseline {i} is blank: give a realistic answer")
        samples.append(sample)
    seen: dict[tuple[object, ...], Sample] = {}
    for sample in samples:
        seen.setdefault(_mark(sample), sample)
    if not seen:
        raise UsageError("no baselines: give at least one realistic answer")
    return list(seen.values())


def _checked(sample: Sample, i: int) -> Sample:
    """Return the sample with a list of context as a tuple; raises UsageError for a field
    of the wrong type."""
    if not isinstance(sample.output, str):
        raise UsageError(f"baseline {i}: output must be text, not {type(sample.output).__name__}")
    for name in ("input", "reference", "id"):
        value = getattr(sample, name)
        if value is not None and not isinstance(value, str):
            raise UsageError(f"baseline {i}: {name} must be text, not {type(value).__name__}")
    context: Any = sample.context
    if isinstance(context, str) or not isinstance(context, (list, tuple)):
        raise UsageError(f"baseline {i}: context must be a tuple of texts, not {context!r}")
    if not all(isinstance(part, str) for part in context):
        raise UsageError(f"baseline {i}: context must hold texts only")
    if not isinstance(sample.metadata, Mapping):
        raise UsageError(f"baseline {i}: metadata must be a mapping")
    return sample if type(context) is tuple else replace(sample, context=tuple(context))


def _mark(sample: Sample) -> tuple[object, ...]:
    """Return all a judge may be shown of a sample: what makes two samples the same."""
    try:
        metadata = repr(sample.metadata)
    except Exception:  # noqa: BLE001 - whatever a user's object does when it is shown
        metadata = str(id(sample.metadata))
    return sample.output, sample.input, sample.reference, sample.context, metadata


def read_contrast(contrast: Any, text_only: bool) -> tuple[tuple[Sample, ...], tuple[Sample, ...]]:
    """Return the good and the bad answers; raises UsageError where they are the same."""
    if not isinstance(contrast, (list, tuple)) or len(contrast) != 2:
        raise UsageError(f"contrast must be a pair (good, bad), not {contrast!r}")
    good, bad = tuple(_side(contrast[0], "good")), tuple(_side(contrast[1], "bad"))
    # a judge of the text alone sees no other difference
    marks = [{(s.output,) if text_only else _mark(s) for s in side} for side in (good, bad)]
    if marks[0] == marks[1]:
        raise UsageError("contrast needs a good and a bad answer: both sides are the same")
    return good, bad


def _side(side: Any, name: str) -> list[Sample]:
    items = [side] if isinstance(side, (str, Sample)) else side
    try:
        return read_baselines(items)
    except UsageError as error:
        raise UsageError(f"contrast, {name} side: {error}") from None
