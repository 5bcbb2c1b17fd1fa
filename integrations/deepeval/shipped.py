"""Every metric DeepEval ships: how to build it, on what sample, and which judge it asks."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import deepeval.metrics
from deepeval.metrics import base_metric
from deepeval.test_case import MCPServer, MLLMImage, MultiTurnParams, SingleTurnParams

from models import HttpModel, decider
from unbudged import Sample
from unbudged.core.samples import load_samples

WEAK, STRONG = load_samples()[0]
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# held here: before DeepEval 4 an image is forgotten with its last reference
_IMAGE = MLLMImage(dataBase64=_PIXEL, mimeType="image/png", _id="0" * 32)
_TOOL = {"name": "search_textbook", "description": "Search a textbook", "inputSchema": {}}

Change = Callable[[Sample], Sample]


@dataclass(frozen=True)
class Shipped:
    """One metric under test; ``change`` makes of a built-in sample one the metric can use."""

    name: str
    build: Callable[[str], Any]
    change: Change = lambda sample: sample

    @property
    def weak(self) -> Sample:
        return self.change(WEAK)

    @property
    def strong(self) -> Sample:
        return self.change(STRONG)


def _metric(name: str, /, **given: Any) -> Callable[[str], Any]:
    def build(base_url: str) -> Any:
        kind = getattr(deepeval.metrics, name, None) or found()[name]
        takes = inspect.signature(kind.__init__).parameters
        options = {key: value() if callable(value) else value for key, value in given.items()}
        if "model" in takes:
            # before DeepEval 4 these fall over the text of a model that fills no schema itself
            options.setdefault("model", HttpModel(base_url, fills_schema=name.startswith("Turn")))
        return kind(**options)

    return build


def _jev(name: str, /, **given: Any) -> Callable[[str], Any]:
    def build(base_url: str) -> Any:
        from deepeval.metrics.jev_eval.questions import Noul

        kind = getattr(deepeval.metrics, name)
        return kind(
            name="Sound", questions=[Noul("The answer is right.")],
            system_one_model=decider(base_url), **given,
        )  # fmt: skip

    return build


def _dag() -> Any:
    from deepeval.metrics.dag import BinaryJudgementNode, DeepAcyclicGraph, VerdictNode

    node = BinaryJudgementNode(
        criteria="Is the answer right?",
        evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
        children=[VerdictNode(verdict=False, score=0), VerdictNode(verdict=True, score=10)],
    )
    return DeepAcyclicGraph(root_nodes=[node])


def _talk_dag() -> Any:
    from deepeval.metrics.conversational_dag import (
        ConversationalBinaryJudgementNode,
        ConversationalVerdictNode,
    )
    from deepeval.metrics.dag import DeepAcyclicGraph

    node = ConversationalBinaryJudgementNode(
        criteria="Is the last answer right?",
        evaluation_params=[MultiTurnParams.ROLE, MultiTurnParams.CONTENT],
        children=[
            ConversationalVerdictNode(verdict=False, score=0),
            ConversationalVerdictNode(verdict=True, score=10),
        ],
    )
    return DeepAcyclicGraph(root_nodes=[node])


def _schema() -> Any:
    from pydantic import BaseModel

    class Anything(BaseModel):
        answer: str

    return Anything


def _tool_call() -> Any:
    from deepeval.test_case import ToolCall

    return ToolCall(name="search_textbook", description="Search a textbook")


def _with(**fields: Any) -> Change:
    return lambda sample: replace(sample, metadata={**sample.metadata, **fields})


def _json(sample: Sample) -> Sample:
    return sample.with_output('{"answer": "green"}')


def _exact(sample: Sample) -> Sample:
    return sample.with_output(str(sample.reference)) if sample.output == STRONG.output else sample


def _image(sample: Sample) -> Sample:
    return sample.with_output(f"{sample.output} {_IMAGE}")


def _only_image(sample: Sample) -> Sample:
    return sample.with_output(str(_IMAGE))


def _edited(sample: Sample) -> Sample:
    shown = _only_image(sample)
    return replace(shown, input=f"Make it greener. {shown.output}")


def _spoken(sample: Sample) -> Sample:
    from deepeval.test_case import Audio, Turn

    audio = Audio.from_bytes(_wave(), "audio/wav")
    said = [
        Turn(role=turn["role"], content=turn["content"], audio=audio,
             provider_transcript=turn["content"])
        for turn in sample.metadata["turns"]
    ]  # fmt: skip
    return replace(sample, metadata={**sample.metadata, "turns": said})


def _wave() -> bytes:
    import io
    import wave

    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * 8000)
    return data.getvalue()


def _mcp(sample: Sample) -> Sample:
    return _with(mcp_servers=[MCPServer("textbooks", available_tools=[_TOOL])])(sample)


def _long_mcp(sample: Sample) -> Sample:
    turns = [*sample.metadata["turns"], {"role": "assistant", "content": "Let me look it up."}]
    return _with(turns=turns)(_mcp(sample))


_BOTH = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT]
_TURNS = [MultiTurnParams.ROLE, MultiTurnParams.CONTENT]
_STEPS = ["Compare the answer with the question."]

#: name as in COVERAGE.md -> how to test it
SHIPPED: dict[str, Shipped] = {
    row.name: row
    for row in (
        Shipped("AgentLoopDetectionMetric", _metric("AgentLoopDetectionMetric")),
        Shipped("AgentResponsivenessMetric", _metric("AgentResponsivenessMetric"), _spoken),
        Shipped("AnswerRelevancyMetric", _metric("AnswerRelevancyMetric")),
        Shipped("ArenaGEval", _metric(
            "ArenaGEval", name="Better", criteria="Which is better?", evaluation_params=_BOTH)),
        Shipped("ArgumentCorrectnessMetric", _metric("ArgumentCorrectnessMetric")),
        Shipped("AudioGlitchMetric", _metric("AudioGlitchMetric"), _spoken),
        Shipped("AudioIntegrityMetric", _metric("AudioIntegrityMetric"), _spoken),
        Shipped("BiasMetric", _metric("BiasMetric")),
        Shipped("CitationFaithfulnessMetric", _metric("CitationFaithfulnessMetric")),
        Shipped("ContextualPrecisionMetric", _metric("ContextualPrecisionMetric")),
        Shipped("ContextualRecallMetric", _metric("ContextualRecallMetric")),
        Shipped("ContextualRelevancyMetric", _metric("ContextualRelevancyMetric")),
        Shipped("ConversationCompletenessMetric", _metric("ConversationCompletenessMetric")),
        Shipped("ConversationalDAGMetric", _metric(
            "ConversationalDAGMetric", name="Right", dag=_talk_dag)),
        Shipped("ConversationalGEval", _metric(
            "ConversationalGEval", name="Sound", evaluation_steps=_STEPS,
            evaluation_params=_TURNS)),
        Shipped("ConversationalJevEval", _jev(
            "ConversationalJevEval",
            evaluation_params=_TURNS)),
        Shipped("DAGMetric", _metric("DAGMetric", name="Right", dag=_dag)),
        Shipped("ExactMatchMetric", _metric("ExactMatchMetric"), _exact),
        Shipped("FaithfulnessMetric", _metric("FaithfulnessMetric")),
        Shipped("GEval", _metric(
            "GEval", name="Sound", evaluation_steps=_STEPS, evaluation_params=_BOTH)),
        Shipped("GoalAccuracyMetric", _metric("GoalAccuracyMetric")),
        Shipped("HallucinationMetric", _metric("HallucinationMetric")),
        Shipped("ImageCoherenceMetric", _metric("ImageCoherenceMetric"), _image),
        Shipped("ImageEditingMetric", _metric("ImageEditingMetric"), _edited),
        Shipped("ImageHelpfulnessMetric", _metric("ImageHelpfulnessMetric"), _image),
        Shipped("ImageReferenceMetric", _metric("ImageReferenceMetric"), _image),
        Shipped("JevEval", _jev("JevEval", evaluation_params=_BOTH)),
        Shipped("JsonCorrectnessMetric", _metric(
            "JsonCorrectnessMetric", expected_schema=_schema), _json),
        Shipped("KnowledgeRetentionMetric", _metric("KnowledgeRetentionMetric")),
        Shipped("MCPTaskCompletionMetric", _metric("MCPTaskCompletionMetric"), _long_mcp),
        Shipped("MCPUseMetric", _metric("MCPUseMetric"), _mcp),
        Shipped("MisuseMetric", _metric("MisuseMetric", domain="biology")),
        Shipped("MultiTurnMCPUseMetric", _metric("MultiTurnMCPUseMetric"), _long_mcp),
        Shipped("NonAdviceMetric", _metric("NonAdviceMetric", advice_types=["medical"])),
        Shipped("PIILeakageMetric", _metric("PIILeakageMetric")),
        Shipped("PatternMatchMetric", _metric("PatternMatchMetric", pattern=r"Leaves[^{]*")),
        Shipped("PlanAdherenceMetric", _metric("PlanAdherenceMetric")),
        Shipped("PlanQualityMetric", _metric("PlanQualityMetric")),
        Shipped("PromptAlignmentMetric", _metric(
            "PromptAlignmentMetric", prompt_instructions=["Answer in English."])),
        Shipped("RAGASAnswerRelevancyMetric", _metric("RAGASAnswerRelevancyMetric")),
        Shipped("RAGASContextualEntitiesRecall", _metric("RAGASContextualEntitiesRecall")),
        Shipped("RAGASContextualPrecisionMetric", _metric("RAGASContextualPrecisionMetric")),
        Shipped("RAGASContextualRecallMetric", _metric("RAGASContextualRecallMetric")),
        Shipped("RAGASFaithfulnessMetric", _metric("RAGASFaithfulnessMetric")),
        Shipped("RagasMetric", _metric("RagasMetric")),
        Shipped("RoleAdherenceMetric", _metric("RoleAdherenceMetric")),
        Shipped("RoleViolationMetric", _metric("RoleViolationMetric", role="biology tutor")),
        Shipped("SpeechIntelligibilityMetric", _metric("SpeechIntelligibilityMetric"), _spoken),
        Shipped("StepEfficiencyMetric", _metric("StepEfficiencyMetric")),
        Shipped("SummarizationMetric", _metric("SummarizationMetric")),
        Shipped("TaskCompletionMetric", _metric("TaskCompletionMetric")),
        Shipped("TextToImageMetric", _metric("TextToImageMetric"), _only_image),
        Shipped("ToolCorrectnessMetric", _metric("ToolCorrectnessMetric")),
        Shipped("ToolPermissionMetric", _metric(
            "ToolPermissionMetric", allowed_tools=["search_textbook"])),
        Shipped("ToolUseMetric", _metric("ToolUseMetric", available_tools=lambda: [_tool_call()])),
        Shipped("TopicAdherenceMetric", _metric(
            "TopicAdherenceMetric", relevant_topics=["biology"])),
        Shipped("ToxicityMetric", _metric("ToxicityMetric")),
        Shipped("TranscriptionAccuracyMetric", _metric("TranscriptionAccuracyMetric"), _spoken),
        Shipped("TurnContextualPrecisionMetric", _metric("TurnContextualPrecisionMetric")),
        Shipped("TurnContextualRecallMetric", _metric("TurnContextualRecallMetric")),
        Shipped("TurnContextualRelevancyMetric", _metric("TurnContextualRelevancyMetric")),
        Shipped("TurnFaithfulnessMetric", _metric("TurnFaithfulnessMetric")),
        Shipped("TurnRelevancyMetric", _metric("TurnRelevancyMetric")),
        Shipped("TurnTakingNaturalnessMetric", _metric("TurnTakingNaturalnessMetric"), _spoken),
        Shipped("VoiceConsistencyMetric", _metric("VoiceConsistencyMetric"), _spoken),
        Shipped("VoiceNaturalnessMetric", _metric("VoiceNaturalnessMetric"), _spoken),
        Shipped("VoiceReliabilityMetric", _metric("VoiceReliabilityMetric"), _spoken),
    )
}  # fmt: skip


def found() -> dict[str, type]:
    """Return every metric class the installed DeepEval holds, by name.

    Private classes and the abstract bases are left out.
    """
    for module in pkgutil.walk_packages(deepeval.metrics.__path__, "deepeval.metrics."):
        importlib.import_module(module.name)
    kinds: dict[str, type] = {}
    bases = ("BaseMetric", "BaseConversationalMetric", "BaseArenaMetric")
    stack = [getattr(base_metric, base) for base in bases]
    while stack:
        kind = stack.pop()
        stack += kind.__subclasses__()
        if kind.__module__.startswith("deepeval.") and not re.match("_|Base", kind.__name__):
            kinds[kind.__name__] = kind
    return kinds
