"""Inspect AI without the adapter: a state, a store and a transcript for each text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from adapters import Row
from inspect_ai.log._transcript import Transcript, init_transcript
from inspect_ai.model import (
    ChatMessageUser,
    GenerateConfig,
    ModelName,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import Target, f1, includes, model_graded_qa, value_to_float
from inspect_ai.solver import TaskState
from inspect_ai.util._store import init_subtask_store

from unbudged.core.samples import load_samples

SAMPLE = load_samples()[0][0]  # what a scan uses when it is given none
NUMBER = value_to_float()


def bare(scorer: Any) -> Callable[[str], Awaitable[float]]:
    async def call(text: str) -> float:
        output = ModelOutput.from_content("none/none", text)
        target = Target(SAMPLE.reference or "")
        state = TaskState(
            model=ModelName("none/none"), sample_id=1, epoch=1, input=SAMPLE.input or "",
            messages=[ChatMessageUser(content=SAMPLE.input or ""), output.message],
            target=target, output=output, completed=True,
            metadata={**SAMPLE.metadata, "context": list(SAMPLE.context)},
        )  # fmt: skip
        # as an eval does for each sample: without it one sample's notes reach the next
        init_subtask_store(state.store)
        init_transcript(Transcript())
        score = await scorer(state, target)
        return NUMBER(score.value)

    return call


def rows(url: str) -> list[Row]:
    """Return two scorers without a model, one with a model in memory and over HTTP."""
    mock = get_model("unbudged_mock/fair")
    http = get_model(
        "openai-api/judge/judge", base_url=url, api_key="none",
        config=GenerateConfig(max_retries=0),
    )  # fmt: skip
    scorers = [
        ("includes, no model", includes(), False),
        ("f1, no model", f1(), False),
        ("model_graded_qa, model in memory", model_graded_qa(model=mock), False),
        ("model_graded_qa, over HTTP", model_graded_qa(model=http), True),
    ]
    return [Row(name, scorer, bare(scorer), http) for name, scorer, http in scorers]
