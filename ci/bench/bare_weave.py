"""Weave without the adapter: a row for each text, and the call its evaluations make."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any

from adapters import Row
from weave.flow.casting import cast_to_scorer
from weave.flow.scorer import apply_scorer_async
from weave.scorers import LevenshteinScorer
from weave.trace.context.call_context import tracing_disabled

import weave
from unbudged.core.samples import load_samples

SAMPLE = load_samples()[0][0]  # what a scan uses when it is given none


@weave.op
def shared_words(output: str, reference: str) -> float:
    return float(len(set(output.split()) & set(reference.split())))


class Graded(weave.Scorer):
    """Ask an OpenAI-compatible judge for a grade."""

    url: str

    @weave.op
    def score(self, output: str, input: str, reference: str) -> dict[str, bool]:
        prompt = f"Question: {input}\nExpected: {reference}\nAnswer: {output}\nGRADE: C or I?"
        body = {"model": "judge", "messages": [{"role": "user", "content": prompt}]}
        request = urllib.request.Request(
            f"{self.url}/chat/completions",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as reply:
            said = json.load(reply)["choices"][0]["message"]["content"]
        return {"correct": "GRADE: C" in said}


def bare(target: Any) -> Callable[[str], Awaitable[float]]:
    scorer = cast_to_scorer(target)

    async def call(text: str) -> float:
        row = {
            **SAMPLE.metadata, "input": SAMPLE.input, "reference": SAMPLE.reference,
            "context": "\n\n".join(SAMPLE.context), "target": SAMPLE.reference,
        }  # fmt: skip
        with tracing_disabled():  # a scan is no evaluation to be logged
            result = (await apply_scorer_async(scorer, row, text)).result
        return float(next(iter(result.values())) if isinstance(result, dict) else result)

    return call


def rows(url: str) -> list[Row]:
    """Return an op, a shipped scorer without a model and a scorer over HTTP."""
    scorers = [
        ("an op, no model", shared_words, False),
        ("LevenshteinScorer, no model", LevenshteinScorer(), False),
        ("a Scorer, over HTTP", Graded(url=url), True),
    ]
    return [Row(name, scorer, bare(scorer), http) for name, scorer, http in scorers]
