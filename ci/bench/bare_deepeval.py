"""DeepEval without the adapter: a fresh copy of the metric for each test case."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from typing import Any

from adapters import Row
from deepeval.metrics import (
    AnswerRelevancyMetric,
    BaseConversationalMetric,
    ConversationalGEval,
    ExactMatchMetric,
    GEval,
)
from deepeval.test_case import (
    ConversationalTestCase,
    LLMTestCase,
    MultiTurnParams,
    SingleTurnParams,
    ToolCall,
    Turn,
)
from models import HttpModel

from deepeval.models import DeepEvalBaseLLM
from unbudged.core.samples import load_samples

SAMPLE = load_samples()[0][0]  # what a scan uses when it is given none
REPLIES = {
    "Statements": {"statements": ["Leaves are green.", "Chlorophyll absorbs light."]},
    "Verdicts": {"verdicts": [{"verdict": "yes"}, {"verdict": "no", "reason": "beside it"}]},
    "ReasonScore": {"reason": "compared", "score": 7},
}


class Canned(DeepEvalBaseLLM):
    """A model of a user's own that answers at once, in the schema it is asked for."""

    def load_model(self) -> Canned:
        return self

    def generate(self, prompt: str, schema: Any) -> Any:
        return schema(**REPLIES[schema.__name__])

    async def a_generate(self, prompt: str, schema: Any) -> Any:
        return self.generate(prompt, schema)

    def get_model_name(self) -> str:
        return "canned"


FIELDS = {
    "input": SAMPLE.input, "expected_output": SAMPLE.reference, "context": list(SAMPLE.context),
    "retrieval_context": SAMPLE.metadata["retrieval_context"],
    "tools_called": [ToolCall(**tool) for tool in SAMPLE.metadata["tools_called"]],
    "expected_tools": [ToolCall(**tool) for tool in SAMPLE.metadata["expected_tools"]],
}  # fmt: skip
TURNS = [Turn(**turn) for turn in SAMPLE.metadata["turns"]]


def single(text: str) -> Any:
    return LLMTestCase(actual_output=text, **FIELDS)


def conversation(text: str) -> Any:
    last = Turn(
        role="assistant", content=text,
        retrieval_context=FIELDS["retrieval_context"], tools_called=FIELDS["tools_called"],
    )  # fmt: skip
    return ConversationalTestCase(
        turns=[*TURNS, last], context=FIELDS["context"], expected_outcome=SAMPLE.reference,
        chatbot_role=SAMPLE.metadata["chatbot_role"],
    )  # fmt: skip


def bare(metric: Any) -> Callable[[str], Awaitable[float]]:
    build = conversation if isinstance(metric, BaseConversationalMetric) else single

    async def call(text: str) -> float:
        fresh = copy.copy(metric)  # a metric keeps its last results
        fresh.score = fresh.success = fresh.error = fresh.reason = None
        await fresh.a_measure(build(text), _show_indicator=False)
        if fresh.error is not None:
            raise ValueError(fresh.error)
        return float(fresh.score)

    return call


def rows(url: str) -> list[Row]:
    """Return a metric without a model, three with one in memory, two over HTTP."""

    def g_eval(model: DeepEvalBaseLLM) -> GEval:
        return GEval(
            name="Correctness", model=model,
            evaluation_steps=["Compare the answer with the expected one."],
            evaluation_params=[SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT],
        )  # fmt: skip

    def relevancy(model: DeepEvalBaseLLM) -> AnswerRelevancyMetric:
        return AnswerRelevancyMetric(model=model, include_reason=False)

    memory, http = Canned("canned"), HttpModel(url, fills_schema=True)
    talk = ConversationalGEval(
        name="Manners", model=memory, evaluation_steps=["Is the last answer polite?"],
        evaluation_params=[MultiTurnParams.ROLE, MultiTurnParams.CONTENT],
    )  # fmt: skip
    metrics: list[tuple[str, Any, bool]] = [
        ("ExactMatchMetric, no model", ExactMatchMetric(), False),
        ("GEval, model in memory", g_eval(memory), False),
        ("AnswerRelevancyMetric, model in memory", relevancy(memory), False),
        ("ConversationalGEval, model in memory", talk, False),
        ("GEval, over HTTP", g_eval(http), True),
        ("AnswerRelevancyMetric, text over HTTP", relevancy(HttpModel(url)), True),
    ]
    return [Row(name, metric, bare(metric), over_http) for name, metric, over_http in metrics]
