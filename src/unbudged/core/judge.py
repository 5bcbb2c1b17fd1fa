"""The neutral judge the core sees, and what it may answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from .sample import Sample

Reason = Literal[
    "error", "skipped", "unreadable", "not_finite", "timeout", "blocked", "no_answer"
]


@dataclass(frozen=True, slots=True)
class Scored:
    """One score: a finite number per channel, and the verdict if the judge gave one.

    ``meta`` holds what else the judge told of the call, its model, temperature and usage:
    no part of the score, so readings that differ in nothing else are equal.
    """

    values: Mapping[str, float]
    passed: bool | None = None
    explanation: str | None = None
    meta: Mapping[str, Any] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Unscorable:
    """No score: why not, in one word of ``Reason`` and one line of detail.

    ``retry_after`` is the least seconds to wait where the same call may work later, None
    where it will not; ``overloaded`` says that the judge gets too many calls.
    """

    reason: Reason
    detail: str
    retry_after: float | None = field(default=None, compare=False)
    overloaded: bool = field(default=False, compare=False)


Reading = Scored | Unscorable


@dataclass(frozen=True, slots=True)
class JudgeInfo:
    """What is known of a judge before it is called.

    ``scale`` is (lowest, highest) possible score or None; ``pass_mark`` the least
    score that passes or None; ``parallel`` whether two calls may run at once;
    ``is_async`` whether ``read`` may suspend and so needs an event loop; ``labels`` the
    words or letters of a judge that has such for marks, worst first.
    """

    name: str
    scale: tuple[float, float] | None = None
    pass_mark: float | None = None
    higher_is_better: bool = True
    parallel: bool = True
    is_async: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()


class Judge(Protocol):
    """Anything that reads a sample and answers with a score or why there is none.

    Four more members are used where a judge has them: ``samples()`` gives pairs (weak
    answer, strong answer) for a scan without baselines; ``check(samples)`` raises
    UsageError before any call when a sample lacks what the judge needs;
    ``async preflight(samples) -> int`` may make calls before the scan (is the judge
    there, does the judged text reach it), returns how many and raises TargetError to
    stop; ``costs`` and ``versions`` are mappings the report takes over at the end.
    """

    @property
    def info(self) -> JudgeInfo: ...

    async def read(self, sample: Sample) -> Reading:
        """Score one sample; never raises for a bad reading, returns ``Unscorable``."""
        ...
