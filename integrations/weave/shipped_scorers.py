"""Every scorer Weave ships: how a test builds it, and what its judge must say."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from judge_server import GARBAGE, Request, fill_schema
from unbudged.core.samples import load_samples

Kind = Literal["rule", "judge", "embedding", "bedrock", "client", "broken", "refused", "needs"]

WEAK, GOOD = load_samples()[0]
PASSAGES = [passage for weak, _ in load_samples() for passage in weak.context]
#: what the judge of ContextEntityRecall finds in the context, and what it finds elsewhere
IN_CONTEXT, ELSEWHERE = ["chlorophyll"], ["umbrella"]


@dataclass(frozen=True)
class Case:
    """One shipped scorer. ``build`` needs the judge's address in the environment.

    ``kind``: "rule" reads the text itself; "judge", "embedding", "bedrock" and "client" ask a
    server; "broken" fails on every call as it ships; "refused" cannot be scanned; "needs" is
    not built here, ``note`` says what it would take.
    """

    kind: Kind
    build: Callable[[], Any] | None = None
    note: str = ""
    #: a text the scorer scores differently from prose
    telling: str = ""


def use_judge(url: str) -> None:
    """Point LiteLLM at a judge: no other host, no look-ups."""
    os.environ.update(
        OPENAI_API_BASE=url, OPENAI_BASE_URL=url, OPENAI_API_KEY="none",
        LITELLM_LOCAL_MODEL_COST_MAP="True",
    )  # fmt: skip
    import litellm

    litellm.suppress_debug_info = True


def scorer(name: str, **fields: Any) -> Any:
    """Build a scorer of ``weave.scorers`` by its class's name."""
    import weave.scorers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return getattr(weave.scorers, name)(**fields)


def llm(name: str, **fields: Any) -> Callable[[], Any]:
    """Return what builds an LLM scorer that asks once, and waits a second for the slow judge."""

    def build() -> Any:
        import litellm

        built = scorer(name, model_id="openai/judge", **fields)
        if getattr(built, "_acompletion", None) is litellm.acompletion:
            patience = 1.0 if "/slow/" in os.environ.get("OPENAI_API_BASE", "") else 90.0
            built._acompletion = partial(litellm.acompletion, timeout=patience, max_retries=0)
        return built

    return build


def _pydantic() -> Any:
    from pydantic import BaseModel

    class Answer(BaseModel):
        text: str

    return scorer("PydanticScorer", model=Answer)


def _judge_with_client() -> Any:
    from weave.scorers.llm_as_a_judge_scorer import LLMStructuredCompletionModel

    model = LLMStructuredCompletionModel(
        llm_model_id="openai/judge",
        default_params={"response_format": "json_object", "temperature": 0},
    )
    prompt = 'Rate the answer.\n{question}\n{output}\nReply with JSON: {{"mark": 0 or 1}}'
    return scorer("LLMAsAJudgeScorer", model=model, scoring_prompt=prompt)


def _bedrock() -> Any:
    from weave.scorers.bedrock_guardrails import BedrockGuardrailScorer

    return BedrockGuardrailScorer(
        guardrail_id="g",
        bedrock_runtime_kwargs={
            "endpoint_url": os.environ["GUARDRAIL_URL"], "region_name": "eu-west-1",
            "aws_access_key_id": "none", "aws_secret_access_key": "none",
        },
    )  # fmt: skip


_LOCAL = "torch, transformers and the weights of {} from the Hugging Face hub"
CASES = {
    "BedrockGuardrailScorer": Case("bedrock", _bedrock, "boto3 and an AWS guardrail"),
    "ContextEntityRecallScorer": Case("judge", llm("ContextEntityRecallScorer")),
    "ContextRelevancyScorer": Case(
        "judge", llm("ContextRelevancyScorer"),
        "the judged text is shown as the question; a mark outside 0 to 1 is taken as it is",
    ),
    "EmbeddingSimilarityScorer": Case("embedding", llm("EmbeddingSimilarityScorer")),
    "HallucinationFreeScorer": Case("judge", llm("HallucinationFreeScorer")),
    "LLMAsAJudgeScorer": Case(
        "client", _judge_with_client,
        "weave.init; with response_format text the reply itself is the result, which is no score",
    ),
    "LLMScorer": Case("refused", llm("LLMScorer")),
    "LevenshteinScorer": Case("rule", lambda: scorer("LevenshteinScorer"), "Levenshtein"),
    "MultiTaskBinaryClassificationF1": Case(
        "refused", lambda: scorer("MultiTaskBinaryClassificationF1", class_names=["a"])
    ),
    "OpenAIModerationScorer": Case("broken", llm("OpenAIModerationScorer")),
    "PresidioScorer": Case(
        "needs", None, "presidio-analyzer, presidio-anonymizer and spaCy's en_core_web_lg"
    ),
    "PromptInjectionLLMGuardrail": Case("broken", llm("PromptInjectionLLMGuardrail")),
    "PydanticScorer": Case("rule", _pydantic, telling='{"text": "yes"}'),
    "RemoteScorer": Case(
        "refused", lambda: scorer("RemoteScorer", endpoint_url="http://localhost/score")
    ),
    "StringMatchScorer": Case(
        "rule", lambda: scorer("StringMatchScorer"), telling=(WEAK.reference or "")[:20]
    ),
    "SummarizationScorer": Case("judge", llm("SummarizationScorer")),
    "ValidJSONScorer": Case("rule", lambda: scorer("ValidJSONScorer"), telling="[1]"),
    "ValidXMLScorer": Case("rule", lambda: scorer("ValidXMLScorer"), telling="<a/>"),
    "WeaveBiasScorerV1": Case("needs", None, _LOCAL.format("wandb/WeaveBiasScorerV1")),
    "WeaveCoherenceScorerV1": Case("needs", None, _LOCAL.format("wandb/WeaveCoherenceScorerV1")),
    "WeaveContextRelevanceScorerV1": Case(
        "needs", None, _LOCAL.format("wandb/WeaveContextRelevanceScorerV1")
    ),
    "WeaveFluencyScorerV1": Case("needs", None, _LOCAL.format("wandb/WeaveFluencyScorerV1")),
    "WeaveHallucinationScorerV1": Case(
        "needs", None, _LOCAL.format("wandb/WeaveHallucinationScorerV1")
    ),
    "WeaveToxicityScorerV1": Case("needs", None, _LOCAL.format("wandb/WeaveToxicityScorerV1")),
    "WeaveTrustScorerV1": Case(
        "needs", None, "torch, transformers and five models from the Hugging Face hub"
    ),
}  # fmt: skip


def shipped() -> list[str]:
    """Return the names of the scorers this version of Weave ships, guardrails included."""
    import importlib
    import pkgutil

    import weave.scorers
    from weave.flow.scorer import Scorer

    names = {
        name for name in weave.scorers.__all__ if isinstance(getattr(weave.scorers, name), type)
    }
    for module in pkgutil.iter_modules(weave.scorers.__path__):
        found = vars(importlib.import_module(f"weave.scorers.{module.name}"))
        names |= {
            name
            for name, value in found.items()
            if isinstance(value, type)
            and issubclass(value, Scorer)
            and value.__module__ == f"weave.scorers.{module.name}"
        }
    return sorted(names - {"HuggingFaceScorer", "HuggingFacePipelineScorer", "RollingWindowScorer"})


def dialect(request: Request, favourable: bool) -> str:
    """Say an opinion in the words of the scorer that asks."""
    schema = request.schema
    if schema is None:
        return json.dumps({"mark": int(favourable)}) if "JSON" in request.prompt else GARBAGE

    def choose(name: str, node: dict[str, Any], good: bool) -> Any:
        if name == "has_hallucination":
            return not good
        if name == "summarization_evaluation":
            return "excellent" if good else "poor"
        if name == "entities":
            context = any(passage in request.prompt for passage in PASSAGES)
            return IN_CONTEXT if good or context else ELSEWHERE
        return None

    return json.dumps(fill_schema(schema, favourable, choose))
