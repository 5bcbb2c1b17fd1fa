"""Metrics of a user's own, around one function, and one reading of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from deepeval.metrics import BaseConversationalMetric, BaseMetric

from unbudged import Sample
from unbudged.adapters.deepeval import make_judge
from unbudged.core.samples import load_samples

WEAK, STRONG = load_samples()[0]


class Own(BaseMetric):
    """A metric of the user's own around one function of metric and test case."""

    def __init__(self, rate: Callable[[Any, Any], Any], threshold: float | None = 0.5) -> None:
        self.rate, self.threshold = rate, threshold

    async def a_measure(self, test_case: Any) -> Any:
        self.score = self.rate(self, test_case)
        self.success = self.threshold is not None and self.score >= self.threshold
        return self.score

    def is_successful(self) -> bool:
        return bool(self.success)


class Talk(BaseConversationalMetric):
    """The same for a conversation."""

    def __init__(self, rate: Callable[[Any, Any], Any]) -> None:
        self.rate, self.threshold = rate, None

    async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> Any:
        self.score = self.rate(self, test_case)
        return self.score


def read(metric: Any, sample: Sample = WEAK, **options: Any) -> Any:
    return asyncio.run(make_judge(metric, **options).read(sample))
