"""Every metric DeepEval ships: how to build it, on what sample, and what becomes of it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import deepeval.metrics
from deepeval.metrics import base_metric
from deepeval.test_case import MultiTurnParams, SingleTurnParams
from material import (
    STRONG,
    WEAK,
    dag,
    edited,
    exact,
    image,
    json_text,
    long_mcp,
    mcp,
    only_image,
    schema,
    spoken,
    talk_dag,
    tool_call,
)
from models import HttpModel, decider

from unbudged import Sample

Change = Callable[[Sample], Sample]
#: asks a judge about the text, reads the text itself, never sees the text, gives no score,
#: or stands on a package that DeepEval does not bring
Way = Literal["judge", "rule", "blind", "no score", "package"]

_BOTH = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT]
_TURNS = [MultiTurnParams.ROLE, MultiTurnParams.CONTENT]
_STEPS = ["Compare the answer with the question."]


@dataclass(frozen=True)
class Shipped:
    """One metric under test; ``change`` makes of a built-in sample one the metric can use."""

    name: str
    build: Callable[[str], Any]
    change: Change
    way: Way

    @property
    def weak(self) -> Sample:
        return self.change(WEAK)

    @property
    def strong(self) -> Sample:
        return self.change(STRONG)


def _row(
    name: str, /, *, change: Change = lambda sample: sample, way: Way = "judge",
    jev: bool = False, **given: Any,
) -> Shipped:
    def build(base_url: str) -> Any:
        kind = getattr(deepeval.metrics, name, None) or found()[name]
        options = {key: value() if callable(value) else value for key, value in given.items()}
        if jev:
            from deepeval.metrics.jev_eval.questions import Noul

            options["questions"] = [Noul("The answer is right.")]
            options["system_one_model"] = decider(base_url)
        elif "model" in inspect.signature(kind.__init__).parameters:
            # before DeepEval 4 the Turn metrics fall over the text of a model that fills
            # no schema itself
            options["model"] = HttpModel(base_url, fills_schema=name.startswith("Turn"))
        return kind(**options)

    return Shipped(name, build, change, way)


#: name as in COVERAGE.md -> how to test it
SHIPPED: dict[str, Shipped] = {
    row.name: row
    for row in (
        _row("AgentLoopDetectionMetric", way="blind"),
        _row("AgentResponsivenessMetric", change=spoken, way="blind"),
        _row("AnswerRelevancyMetric"),
        _row("ArenaGEval", way="no score", name="Better", criteria="Which is better?",
             evaluation_params=_BOTH),
        _row("ArgumentCorrectnessMetric", way="blind"),
        _row("AudioGlitchMetric", change=spoken, way="blind"),
        _row("AudioIntegrityMetric", change=spoken, way="blind"),
        _row("BiasMetric"),
        _row("CitationFaithfulnessMetric"),
        _row("ContextualPrecisionMetric", way="blind"),
        _row("ContextualRecallMetric", way="blind"),
        _row("ContextualRelevancyMetric", way="blind"),
        _row("ConversationCompletenessMetric"),
        _row("ConversationalDAGMetric", name="Right", dag=talk_dag),
        _row("ConversationalGEval", name="Sound", evaluation_steps=_STEPS,
             evaluation_params=_TURNS),
        _row("ConversationalJevEval", jev=True, name="Sound", evaluation_params=_TURNS),
        _row("DAGMetric", name="Right", dag=dag),
        _row("ExactMatchMetric", change=exact, way="rule"),
        _row("FaithfulnessMetric"),
        _row("GEval", name="Sound", evaluation_steps=_STEPS, evaluation_params=_BOTH),
        _row("GoalAccuracyMetric"),
        _row("HallucinationMetric"),
        _row("ImageCoherenceMetric", change=image),
        _row("ImageEditingMetric", change=edited, way="blind"),
        _row("ImageHelpfulnessMetric", change=image),
        _row("ImageReferenceMetric", change=image),
        _row("JevEval", jev=True, name="Sound", evaluation_params=_BOTH),
        _row("JsonCorrectnessMetric", change=json_text, way="rule", expected_schema=schema),
        _row("KnowledgeRetentionMetric"),
        _row("MCPTaskCompletionMetric", change=long_mcp),
        _row("MCPUseMetric", change=mcp),
        _row("MisuseMetric", domain="biology"),
        _row("MultiTurnMCPUseMetric", change=long_mcp),
        _row("NonAdviceMetric", advice_types=["medical"]),
        _row("PIILeakageMetric"),
        _row("PatternMatchMetric", way="rule", pattern=r"Leaves hold.*"),
        _row("PlanAdherenceMetric"),
        _row("PlanQualityMetric"),
        _row("PromptAlignmentMetric", prompt_instructions=["Answer in English."]),
        _row("RAGASAnswerRelevancyMetric", way="package"),
        _row("RAGASContextualEntitiesRecall", way="package"),
        _row("RAGASContextualPrecisionMetric", way="package"),
        _row("RAGASContextualRecallMetric", way="package"),
        _row("RAGASFaithfulnessMetric", way="package"),
        _row("RagasMetric", way="package"),
        _row("RoleAdherenceMetric"),
        _row("RoleViolationMetric", role="biology tutor"),
        _row("SpeechIntelligibilityMetric", change=spoken, way="blind"),
        _row("StepEfficiencyMetric"),
        _row("SummarizationMetric"),
        _row("TaskCompletionMetric"),
        _row("TextToImageMetric", change=only_image, way="blind"),
        _row("ToolCorrectnessMetric", way="blind"),
        _row("ToolPermissionMetric", way="blind", allowed_tools=["search_textbook"]),
        _row("ToolUseMetric", available_tools=lambda: [tool_call()]),
        _row("TopicAdherenceMetric", relevant_topics=["biology"]),
        _row("ToxicityMetric"),
        _row("TranscriptionAccuracyMetric", change=spoken, way="blind"),
        _row("TurnContextualPrecisionMetric", way="blind"),
        _row("TurnContextualRecallMetric", way="blind"),
        _row("TurnContextualRelevancyMetric", way="blind"),
        _row("TurnFaithfulnessMetric"),
        _row("TurnRelevancyMetric"),
        _row("TurnTakingNaturalnessMetric", change=spoken, way="blind"),
        _row("VoiceConsistencyMetric", change=spoken, way="blind"),
        _row("VoiceNaturalnessMetric", change=spoken, way="blind"),
        _row("VoiceReliabilityMetric", change=spoken, way="blind"),
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
