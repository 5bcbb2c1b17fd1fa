"""The judge made of a DeepEval metric: one call, one test case, one fresh copy."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ...core.judge import JudgeInfo, Reading, Scored, Unscorable
from ...core.reading import read_value
from ...core.sample import Sample
from ...errors import TargetError
from . import cases, traits
from .copies import fresh, inner_metrics
from .failures import read_failure
from .replies import Log, lost_verdicts
from .silence import prints_to_stderr

if TYPE_CHECKING:
    import asyncio

_CANARY = "quenderlaff7319"
#: what a metric makes up for itself when it was given none, and whether it depends on the input
_MADE_UP = {"evaluation_steps": False, "assessment_questions": True}


class MetricJudge:
    """Read scores from a DeepEval metric; see ``unbudged.core.judge.Judge``."""

    def __init__(
        self,
        metric: Any,
        kind: traits.Kind,
        version: str,
        key: str | None = None,
        scale: tuple[float, float] | None = None,
        pass_mark: float | None = None,
    ) -> None:
        self._kind, self._key = kind, key
        self._metric = fresh(metric)
        self._build = cases.builder(self._metric, kind)
        self._shipped = traits.is_shipped(metric)
        self._own_mark = pass_mark is None
        own = traits.threshold_of(metric)
        self._made: dict[tuple[str, str | None], Any] = {}
        self._locks: WeakKeyDictionary[Any, asyncio.Lock] = WeakKeyDictionary()
        self._method = _method(self._metric)
        self.info = JudgeInfo(
            name=traits.name_of(metric),
            scale=scale or ((0.0, 1.0) if self._shipped else None),
            pass_mark=own if pass_mark is None else pass_mark,
            higher_is_better=traits.higher_is_better(metric),
            is_async=True,
            settings={
                "metric": type(metric).__name__,
                "model": getattr(metric, "evaluation_model", None),
                "strict_mode": bool(getattr(metric, "strict_mode", False)),
            },
        )
        self.costs: dict[str, float] = {}
        self.versions = {"deepeval": version}

    def check(self, samples: Iterable[Sample]) -> None:
        """Raise UsageError when a sample lacks a field the metric requires."""
        cases.check(self._metric, self._kind, samples)

    async def preflight(self, samples: Sequence[Sample]) -> int:
        """Make one call to learn whether the judged text reaches the judge.

        Raises TargetError naming what the metric reads instead. A call that fails shows
        nothing and stops nothing: the scan reports it.
        """
        if not samples:
            return 0
        sample = samples[0]
        log = Log()
        case = self._build(sample.with_output(f"{sample.output}\n\n{_CANARY}"))
        reads = cases.watch(case) if self._kind == "single" else None
        reading = await self._measure(sample, case, log)
        skips = isinstance(reading, Unscorable) and reading.reason == "skipped" and self._shipped
        if isinstance(reading, Scored) or skips:
            seen = log.mentions(_CANARY) if log.asked else self._may_read(reads)
            if not seen:
                raise TargetError(self._blind(None if log.asked else reads))
        return 1

    async def read(self, sample: Sample) -> Reading:
        """Score one sample on a fresh copy of the metric."""
        hidden = cases.smuggled(sample.output)
        if hidden:
            return Unscorable(
                "blocked", f"not sent: DeepEval would open {hidden!r} as a file or an address"
            )
        try:
            case = self._build(sample)
        except Exception as error:  # noqa: BLE001 - pydantic and DeepEval raise many kinds
            return read_failure(error, None)
        return await self._measure(sample, case, Log())

    async def _measure(self, sample: Sample, case: Any, log: Log) -> Reading:
        missing = [name for name in _MADE_UP if self._wants(name, sample)]
        if not missing:
            return await self._once(sample, case, log)
        import asyncio

        # one lock a loop: a lock cannot be waited for in two
        async with self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            return await self._once(sample, case, log)

    async def _once(self, sample: Sample, case: Any, log: Log) -> Reading:
        metric = fresh(self._metric, log)
        for name in _MADE_UP:
            made = self._made.get(self._slot(name, sample))
            if made:
                vars(metric)[name] = list(made)
        failure: Unscorable | None = None
        try:
            with prints_to_stderr():
                await self._call(metric, case)
        except BaseException as error:
            if not _is_its_own(error):
                raise
            failure = read_failure(error, log.fault())
        self._count(metric, log)
        if failure is not None:
            return failure
        reading = self._result(metric, log)
        if isinstance(reading, Scored):
            self._keep(metric, sample, log)
        return reading

    async def _call(self, metric: Any, case: Any) -> None:
        if self._method == "a_measure":
            try:
                await metric.a_measure(case, **_keywords(metric.a_measure))
                return
            except NotImplementedError:
                if not callable(getattr(metric, "measure", None)):
                    raise
                self._method = "measure"
        import asyncio

        # in the loop's own thread DeepEval would patch asyncio for the whole process
        metric.async_mode = False
        await asyncio.to_thread(metric.measure, case, **_keywords(metric.measure))

    def _result(self, metric: Any, log: Log) -> Reading:
        if getattr(metric, "skipped", False):
            return Unscorable("skipped", f"{self.info.name} skipped this case{_why(metric)}")
        error = getattr(metric, "error", None)
        if error:
            return Unscorable("error", " ".join(str(error).split())[:300])
        fault = log.fault() or (lost_verdicts(metric) if self._shipped else None)
        if fault:
            return Unscorable("unreadable", fault)
        if metric.score is None:
            return Unscorable("no_answer", f"{self.info.name} left no score")
        reading = read_value(metric.score)
        if isinstance(reading, Unscorable):
            return Unscorable(reading.reason, f"score: {reading.detail}")
        score = reading.values.get("score")
        if score is None:
            return Unscorable("unreadable", f"score is a {type(metric.score).__name__}")
        scale = self.info.scale
        if scale is not None and not scale[0] - 1e-9 <= score <= scale[1] + 1e-9:
            kind = type(metric.score).__name__
            return Unscorable(
                "unreadable",
                f"score {score:g} ({kind}) lies outside {scale[0]:g} to {scale[1]:g};"
                f" DeepEval itself {'passes' if _passes(metric) else 'fails'} it",
            )
        values = {"score": score, **self._parts(metric)}
        if self._key is not None:
            if self._key not in values:
                return Unscorable("unreadable", f"no key {self._key!r} among {sorted(values)}")
            values = {self._key: values[self._key]}
        reason = getattr(metric, "reason", None)
        passed = _passes(metric) if self._own_mark and set(values) == {"score"} else None
        return Scored(values, passed, reason if isinstance(reason, str) else None)

    def _parts(self, metric: Any) -> dict[str, float]:
        """Return the score's parts: fixed for shipped metrics, on demand for others."""
        parts = getattr(metric, "score_breakdown", None)
        if not isinstance(parts, dict) or not (self._shipped or self._key is not None):
            return {}
        read = {str(name): read_value(value) for name, value in parts.items()}
        return {
            name: one.values["score"]
            for name, one in read.items()
            if isinstance(one, Scored) and set(one.values) == {"score"} and name != "score"
        }

    def _wants(self, name: str, sample: Sample) -> bool:
        own = vars(self._metric)
        return name in own and not own[name] and self._slot(name, sample) not in self._made

    def _slot(self, name: str, sample: Sample) -> tuple[str, str | None]:
        return name, sample.input if _MADE_UP[name] else None

    def _keep(self, metric: Any, sample: Sample, log: Log) -> None:
        """Keep what the metric made up, so that every text is judged by the same standard."""
        for name in _MADE_UP:
            if self._wants(name, sample):
                self._made[self._slot(name, sample)] = getattr(metric, name, None)
        for inner in inner_metrics(self._metric):
            criteria = getattr(inner, "criteria", None)
            if criteria and not getattr(inner, "evaluation_steps", None):
                found = next((made for said, made in log.steps() if criteria in said), None)
                inner.evaluation_steps = found

    def _count(self, metric: Any, log: Log) -> None:
        counted = {
            "model_calls": len(log.asked),
            "usd": getattr(metric, "evaluation_cost", None),
            "input_tokens": getattr(metric, "input_tokens", None),
            "output_tokens": getattr(metric, "output_tokens", None),
        }
        for name, number in counted.items():
            if isinstance(number, (int, float)) and number:
                self.costs[name] = self.costs.get(name, 0) + number

    def _may_read(self, reads: set[str] | None) -> bool:
        """Tell whether a metric that asks no model may have looked at the judged text."""
        if self._shipped and (reads is None or "AgentLoop" in type(self._metric).__name__):
            return False  # sound, or the tool and model steps of a trace
        return reads is None or bool(reads & {"actual_output", "_trace_dict", "__dict__"})

    def _blind(self, reads: set[str] | None) -> str:
        declared = traits.required_fields(self._metric, self._kind)
        fields = [n for n in declared if n not in ("actual_output", "content", "role", "input")]
        if traits.reads_trace(self._metric):
            fields = ["the steps in the trace"]
        elif self._kind == "conversation":
            fields = fields or ["the other turns"]
        elif reads is not None and not self._shipped:
            fields = sorted(reads & set(cases.FIELDS)) or ["nothing of the test case"]
        return (
            f"{self.info.name} never reads the judged text: it reads"
            f" {' and '.join(fields or ['input'])} instead; there is nothing to scan"
        )


def _method(metric: Any) -> str:
    base = sys.modules["deepeval.metrics.base_metric"]
    for name in ("a_measure", "measure"):
        method = getattr(type(metric), name, None)
        empty = [getattr(vars(base).get(b), name, None) for b in _BASES]
        if method is not None and method not in empty:
            return name
    raise TargetError(f"{type(metric).__name__} has neither measure nor a_measure")


_BASES = ("BaseMetric", "BaseConversationalMetric")


def _is_its_own(error: BaseException) -> bool:
    """Tell whether the metric failed, rather than somebody stopping the scan."""
    if isinstance(error, (Exception, SystemExit)):
        return True
    import asyncio

    task = asyncio.current_task()
    cancelling = getattr(task, "cancelling", lambda: 1)  # Python 3.10 cannot tell
    return isinstance(error, asyncio.CancelledError) and not cancelling()


def _keywords(method: Any) -> dict[str, bool]:
    import inspect

    wanted = {"_show_indicator": False, "_in_component": False}
    try:
        parameters = inspect.signature(method).parameters
    except (TypeError, ValueError):
        return {}
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return wanted
    return {name: value for name, value in wanted.items() if name in parameters}


def _passes(metric: Any) -> bool | None:
    if traits.threshold_of(metric) is None:
        return None
    try:
        passed = metric.is_successful()
    except Exception:  # noqa: BLE001 - a user's own
        return None
    return passed if isinstance(passed, bool) else None


def _why(metric: Any) -> str:
    reason = getattr(metric, "reason", None)
    return f": {' '.join(reason.split())[:200]}" if isinstance(reason, str) and reason else ""
