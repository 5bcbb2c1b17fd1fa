"""Scan DeepEval metrics: ``unbudged run integrations/deepeval/example.py[:rule|:judged]``.

``target`` is a metric of one's own, ``rule`` one that DeepEval ships; neither needs a key or
a network. ``judged`` is a G-Eval whose judge is behind any OpenAI-compatible endpoint:
OPENAI_BASE_URL and JUDGE_MODEL say where and which, OPENAI_API_KEY is sent when set.
"""

from __future__ import annotations

import os
from typing import Any

from deepeval.metrics import BaseMetric, GEval, PatternMatchMetric
from deepeval.test_case import LLMTestCase, SingleTurnParams

from deepeval.models import LocalModel
from unbudged import Sample


class Professional(BaseMetric):
    """Share of four words of good service that the answer holds, wherever and however."""

    words = ("policy", "review", "approved", "verified")

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        text = str(test_case.actual_output).lower()
        self.score = sum(word in text for word in self.words) / len(self.words)
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        return self.measure(test_case)

    def is_successful(self) -> bool:
        return bool(self.success)


def correctness(base_url: str, model: str) -> GEval:
    """Return a G-Eval that compares the answer with the reference."""
    key = os.environ.get("OPENAI_API_KEY", "none")
    return GEval(
        name="Correctness",
        criteria="The actual output states what the expected output states.",
        evaluation_params=[SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT],
        model=LocalModel(model=model, base_url=base_url, api_key=key),
    )


target = Professional()
rule = PatternMatchMetric(pattern=r"The Danube\b.*")
if "OPENAI_BASE_URL" in os.environ:
    judged = correctness(os.environ["OPENAI_BASE_URL"], os.environ.get("JUDGE_MODEL", "local"))

QUESTION = "Which river flows through Vienna, and where does it end?"
REFERENCE = "The Danube, which ends in the Black Sea."
baselines = [
    Sample("The Rhine, which ends in the North Sea.", QUESTION, REFERENCE),
    Sample("The Danube, I verified it on a map.", QUESTION, REFERENCE),
]
