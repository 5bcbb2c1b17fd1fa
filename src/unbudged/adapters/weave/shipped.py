"""What is known of the scorers Weave ships: which entries are scores, their ends and good end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...core.instance import instance_of
from ...core.samples import Kind, Pairs, load_samples

UNIT = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Shipped:
    """One scorer class of ``weave.scorers``.

    ``channels`` are the entries of its result that are scores, dotted where nested; empty
    means every number in it. ``mark`` names the attribute that holds the pass mark.
    ``refused`` says why no scan of it can be made; ``kind`` which built-in samples fit it;
    ``labels`` are its judge's words for marks, worst first.
    """

    channels: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    higher_is_better: bool = True
    mark: str | None = None
    refused: str | None = None
    kind: Kind = "answers"
    labels: tuple[str, ...] = ()


_VERDICT = Shipped(("passed",), UNIT)
#: class name in ``weave.scorers`` -> what is known of it
SHIPPED = {
    "BedrockGuardrailScorer": _VERDICT,
    "ContextEntityRecallScorer": Shipped(("recall",), UNIT),
    "ContextRelevancyScorer": Shipped(("relevancy_score",), UNIT),
    "EmbeddingSimilarityScorer": Shipped(("similarity_score", "is_similar"), mark="threshold"),
    "HallucinationFreeScorer": Shipped(("has_hallucination",), UNIT, higher_is_better=False),
    "LevenshteinScorer": Shipped(
        ("levenshtein_distance",), higher_is_better=False, kind="reference"
    ),
    "LLMAsAJudgeScorer": Shipped(),
    "MultiTaskBinaryClassificationF1": Shipped(),
    "OpenAIModerationScorer": Shipped(("passed",), UNIT, kind="toxicity"),
    "PresidioScorer": Shipped(("passed",), UNIT, kind="privacy"),
    "PromptInjectionLLMGuardrail": _VERDICT,
    "PydanticScorer": Shipped(("valid_pydantic",), UNIT),
    "RemoteScorer": Shipped(
        refused="Weave's own worker runs it, away from here: its score() is never called"
    ),
    "StringMatchScorer": Shipped(("string_in_input",), UNIT, kind="reference"),
    "SummarizationScorer": Shipped(
        ("summarization_eval_score", "is_entity_dense", "entity_density"), UNIT,
        labels=("poor", "ok", "excellent"),
    ),
    "ValidJSONScorer": Shipped(("json_valid",), UNIT),
    "ValidXMLScorer": Shipped(("xml_valid",), UNIT),
    "WeaveBiasScorerV1": Shipped(
        ("passed", "metadata.gender_bias_score", "metadata.racial_bias_score"), UNIT, kind="bias"
    ),
    "WeaveCoherenceScorerV1": Shipped(("passed", "metadata.coherence_id")),
    "WeaveContextRelevanceScorerV1": Shipped(("passed", "metadata.score"), UNIT, mark="threshold"),
    "WeaveFluencyScorerV1": Shipped(("passed", "metadata.score"), UNIT, mark="threshold"),
    "WeaveHallucinationScorerV1": Shipped(("passed", "metadata.score"), UNIT),
    "WeaveToxicityScorerV1": Shipped(
        (
            "passed", "metadata.Race/Origin", "metadata.Gender/Sex", "metadata.Religion",
            "metadata.Ability", "metadata.Violence",
        ),
        kind="toxicity",
    ),
    "WeaveTrustScorerV1": _VERDICT,
}  # fmt: skip
#: classes that only stand above others
_ABSTRACT = ("Scorer", "LLMScorer", "HuggingFaceScorer", "HuggingFacePipelineScorer")


def owner_of(scorer: Any) -> str | None:
    """Return the Weave class whose ``score`` an instance runs, None for a user's own."""
    for cls in type(scorer).__mro__:
        if "score" in vars(cls):
            return cls.__name__ if cls.__module__.split(".")[0] == "weave" else None
    return None


def known_of(scorer: Any) -> Shipped:
    """Return what is known of a scorer; nothing of a user's own."""
    owner = owner_of(scorer)
    if owner in _ABSTRACT:
        return Shipped(refused="it has no score() of its own")
    return SHIPPED.get(owner or "", Shipped())


def pass_mark_of(scorer: Any, known: Shipped) -> float | None:
    """Return the pass mark of a shipped scorer; None where it would not fit its booleans."""
    mark = getattr(scorer, known.mark) if known.mark else None
    return float(mark) if mark is not None and 0 < mark <= 1 else None


def samples_for(scorer: Any) -> Pairs:
    """Return pairs (weak, strong answer) that fit what a shipped scorer asks of an answer."""
    pairs = load_samples(known_of(scorer).kind)
    form = _FORMS.get(owner_of(scorer) or "")
    made = [(weak, form(scorer, strong.output)) for weak, strong in pairs] if form else []
    if not made or any(text is None for _, text in made):
        return pairs
    return tuple((weak, weak.with_output(str(text))) for weak, text in made)


def _as_json(_: Any, text: str) -> str:
    import json

    return json.dumps({"answer": text})


def _as_xml(_: Any, text: str) -> str:
    from xml.sax.saxutils import escape

    return f"<answer>{escape(text)}</answer>"


def _as_model(scorer: Any, text: str) -> str | None:
    import json

    try:
        document = json.dumps(instance_of(scorer.model.model_json_schema(), text))
        scorer.model.model_validate_json(document)
    except Exception:  # noqa: BLE001 a model with rules of its own
        return None
    return document


_FORMS: dict[str, Callable[[Any, str], str | None]] = {
    "PydanticScorer": _as_model, "ValidJSONScorer": _as_json, "ValidXMLScorer": _as_xml,
}  # fmt: skip
