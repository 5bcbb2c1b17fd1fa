"""The judge made of a DeepEval metric: one call, one test case, one fresh copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ...core.judge import JudgeInfo, Reading, Scored, Unscorable
from ...core.reading import told
from ...core.sample import Sample
from ...core.samples import Pairs
from ...errors import TargetError
from . import asked, cases, traits
from .calls import Caller, failed_by_itself
from .copies import Template
from .failures import read_failure
from .replies import Log
from .results import Reader

if TYPE_CHECKING:
    import asyncio

_CANARY = "quenderlaff7319"
_COUNTED = (
    ("usd", "evaluation_cost"), ("input_tokens", "input_tokens"), ("output_tokens", "output_tokens")
)  # fmt: skip
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
        self._kind = kind
        self._template = Template(metric)
        self._metric = self._template.metric
        self._build = cases.builder(self._metric, kind)
        self._call = Caller(self._metric)
        self._shipped = traits.is_shipped(metric)
        own = vars(self._metric)
        self._makes_up = [name for name in _MADE_UP if name in own and not own[name]]
        self._made: dict[tuple[str, str | None], Any] = {}
        self._locks: WeakKeyDictionary[Any, asyncio.Lock] = WeakKeyDictionary()
        self.info = JudgeInfo(
            name=traits.name_of(metric),
            scale=scale or ((0.0, 1.0) if self._shipped else None),
            pass_mark=traits.threshold_of(metric) if pass_mark is None else pass_mark,
            higher_is_better=traits.higher_is_better(metric),
            is_async=True,
            labels=asked.labels_of(metric),
            settings={
                "metric": type(metric).__name__,
                "model": getattr(metric, "evaluation_model", None),
                "strict_mode": bool(getattr(metric, "strict_mode", False)),
            },
        )
        self._reader = Reader(
            self.info.name,
            self.info.scale,
            key,
            self._shipped,
            apart=not self._shipped and traits.keeps_verdict(metric),
            own_mark=pass_mark is None,
        )
        self._stepless = [
            inner
            for inner in self._template.inner()
            if getattr(inner, "criteria", None) and not getattr(inner, "evaluation_steps", True)
        ]
        self.costs: dict[str, float] = {}
        self.versions = {"deepeval": version}

    def check(self, samples: Iterable[Sample]) -> None:
        """Raise UsageError when a sample lacks a field the metric requires."""
        cases.check(self._metric, self._kind, samples)

    def samples(self) -> Pairs:
        """Return the built-in samples that fit what the metric asks of an answer."""
        return asked.samples_for(self._metric)

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
            seen = log.mentions(_CANARY)
            if not (self._shipped and log.asked):  # code of the user's own may look by itself
                seen = seen or self._may_read(reads)
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
        if not (self._makes_up and any(self._wants(name, sample) for name in self._makes_up)):
            return await self._once(sample, case, log)
        import asyncio

        # one lock a loop: a lock cannot be waited for in two
        async with self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            return await self._once(sample, case, log)

    async def _once(self, sample: Sample, case: Any, log: Log) -> Reading:
        metric = self._template.copy(log)
        for name in self._makes_up:
            made = self._made.get(self._slot(name, sample))
            if made:
                vars(metric)[name] = list(made)
        failure: Unscorable | None = None
        try:
            await self._call(metric, case)
        except BaseException as error:
            if not failed_by_itself(error):
                raise
            failure = read_failure(error, log.fault())
        self._count(metric, log)
        if failure is not None:
            return failure
        reading = self._reader.read(metric, case, log)
        if isinstance(reading, Scored):
            self._keep(metric, sample, log)
        model = getattr(metric, "evaluation_model", None)
        usage = {
            name: number
            for name in ("evaluation_cost", "input_tokens", "output_tokens")
            if isinstance(number := getattr(metric, name, None), (int, float)) and number
        }
        return told(
            reading,
            model=model if isinstance(model, str) else None,
            temperature=_number(getattr(getattr(metric, "model", None), "temperature", None)),
            usage={**usage, "calls": len(log.asked)} if log.asked else usage,
        )

    def _wants(self, name: str, sample: Sample) -> bool:
        return self._slot(name, sample) not in self._made

    def _slot(self, name: str, sample: Sample) -> tuple[str, str | None]:
        return name, sample.input if _MADE_UP[name] else None

    def _keep(self, metric: Any, sample: Sample, log: Log) -> None:
        """Keep what the metric made up, so that every text is judged by the same standard."""
        for name in self._makes_up:
            if self._wants(name, sample):
                self._made[self._slot(name, sample)] = getattr(metric, name, None)
        for inner in self._stepless:
            steps = next((made for said, made in log.steps() if inner.criteria in said), None)
            if steps:
                # with criteria beside them a decision graph would have steps made again
                inner.evaluation_steps, inner.criteria = steps, None
                self._stepless = [other for other in self._stepless if other is not inner]

    def _count(self, metric: Any, log: Log) -> None:
        if log.asked:
            self.costs["model_calls"] = self.costs.get("model_calls", 0) + len(log.asked)
        for name, attribute in _COUNTED:
            number = getattr(metric, attribute, None)
            if number and isinstance(number, (int, float)):
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


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
