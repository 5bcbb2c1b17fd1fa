"""Everything Inspect AI looks up by name: the entry point of the package loads this module."""

from __future__ import annotations

import functools
from typing import Any

from inspect_ai import task

from .forging import (
    forging_by_kind,
    forging_detected,
    forging_rate,
    forging_rate_control,
    forging_stderr,
    verdict_forging,
)
from .injection import verdict_injection
from .metrics import (
    attack_success_by_family,
    attack_success_rate,
    control_flip_rate,
    mean_excess,
    stderr,
    undecided_probes,
)
from .mock import unbudged_mock
from .scoring import grader_under_attack

__all__ = [
    "attack_success_by_family",
    "attack_success_rate",
    "control_flip_rate",
    "forging_by_kind",
    "forging_detected",
    "forging_rate",
    "forging_rate_control",
    "forging_stderr",
    "grader_under_attack",
    "mean_excess",
    "stderr",
    "unbudged_mock",
    "undecided_probes",
    "verdict_forging",
    "verdict_injection",
]  # fmt: skip


def _bare(made: Any, name: str) -> None:
    """Register a task under its name alone, beside unbudged/name."""

    @functools.wraps(made)
    def alias(*args: Any, **options: Any) -> Any:
        return made(*args, **options)

    # A registered name starts with the package of the function's module: this one has none.
    alias.__module__ = "__no_package__"
    task(name=name)(alias)


_bare(verdict_injection, "verdict_injection")
_bare(verdict_forging, "verdict_forging")
