"""What a measured metric holds, read as a score or as the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.judge import Reading, Scored, Unscorable
from ...core.reading import read_value
from . import traits
from .replies import Log, lost_verdicts


@dataclass(frozen=True, slots=True)
class Reader:
    """Read one metric's results.

    ``shipped``: DeepEval's own code computes the score; ``apart``: the metric keeps a
    verdict that score and threshold do not decide, read as the channel "success";
    ``own_mark``: the pass mark is the metric's own.
    """

    name: str
    scale: tuple[float, float] | None
    key: str | None
    shipped: bool
    apart: bool
    own_mark: bool

    def read(self, metric: Any, case: Any, log: Log) -> Reading:
        """Read a metric after its call; looks at what says "no score" before the score."""
        reading = self._failure(metric, case, log) or self._score(metric)
        if isinstance(reading, Unscorable) and reading.reason != "skipped":
            fault = log.fault()  # says more than what came of it
            return reading if fault is None else Unscorable("unreadable", fault)
        return reading

    def _failure(self, metric: Any, case: Any, log: Log) -> Unscorable | None:
        if getattr(metric, "skipped", False):
            reason = getattr(metric, "reason", None)
            why = f": {_line(reason)}" if isinstance(reason, str) and reason else ""
            return Unscorable("skipped", f"{self.name} skipped this case{why}")
        error = getattr(metric, "error", None)
        if error:
            return Unscorable("error", _line(str(error)))
        fault = log.fault(silent_only=metric.score is not None)
        if fault is None and self.shipped:
            fault = lost_verdicts(metric, case)
        if fault:
            return Unscorable("unreadable", fault)
        if metric.score is None:
            return Unscorable("no_answer", f"{self.name} left no score")
        return None

    def _score(self, metric: Any) -> Reading:
        reading = read_value(metric.score)
        kind = type(metric.score).__name__
        if isinstance(reading, Unscorable):
            return Unscorable(reading.reason, f"score: {reading.detail}")
        score = reading.values.get("score")
        if score is None:
            return Unscorable("unreadable", f"score is a {kind}")
        passed = passes(metric)
        # outside the scale it is a score all the same: DeepEval passes or fails a test by it
        values = {"score": score, **self._parts(metric)}
        if self.apart:
            if passed is None:
                return Unscorable("unreadable", f"{self.name} does not say whether it passes")
            values["success"] = float(passed)
        if self.key is not None:
            if self.key not in values:
                return Unscorable("unreadable", f"no key {self.key!r} among {sorted(values)}")
            values = {self.key: values[self.key]}
        if not self.own_mark or self.scale is None:
            passed = None  # without a scale the core would take a verdict for the whole answer
        reason = getattr(metric, "reason", None)
        return Scored(values, passed, reason if isinstance(reason, str) else None)

    def _parts(self, metric: Any) -> dict[str, float]:
        """Return the score's parts: fixed for shipped metrics, on demand for others."""
        parts = getattr(metric, "score_breakdown", None)
        if not isinstance(parts, dict) or not (self.shipped or self.key is not None):
            return {}
        read = {str(name): read_value(value) for name, value in parts.items()}
        return {
            name: one.values["score"]
            for name, one in read.items()
            if isinstance(one, Scored) and set(one.values) == {"score"} and name != "score"
        }


def passes(metric: Any) -> bool | None:
    """Return the metric's own verdict, None where it has none."""
    if traits.threshold_of(metric) is None:
        return None
    try:
        passed = metric.is_successful()
    except Exception:  # noqa: BLE001 - a user's own
        return None
    return passed if isinstance(passed, bool) else None


def _line(text: str) -> str:
    return " ".join(text.split())[:300]
