"""Which built-in samples fit a metric: what it marks down an answer for."""

from __future__ import annotations

import json
from typing import Any

from ...core.instance import instance_of
from ...core.samples import Kind, Pairs, load_samples

_KINDS: dict[str, Kind] = {
    "BiasMetric": "bias",
    "ExactMatchMetric": "reference",
    "KnowledgeRetentionMetric": "retention",
    "MisuseMetric": "misuse",
    "NonAdviceMetric": "advice",
    "PIILeakageMetric": "privacy",
    "RoleAdherenceMetric": "role",
    "RoleViolationMetric": "role",
    "ToxicityMetric": "toxicity",
}


def samples_for(metric: Any) -> Pairs:
    """Return pairs (weak, strong answer) for a metric, known by its class or one above it."""
    names = [kind.__name__ for kind in type(metric).__mro__]
    pairs = load_samples(next((_KINDS[name] for name in names if name in _KINDS), "answers"))
    if "NonAdviceMetric" in names:
        wanted = {str(kind).casefold() for kind in getattr(metric, "advice_types", None) or ()}
        return tuple(p for p in pairs if p[0].metadata["topic"] in wanted) or pairs
    if "JsonCorrectnessMetric" in names:
        document = _document(getattr(metric, "expected_schema", None))
        if document is not None:
            return tuple((weak, strong.with_output(document)) for weak, strong in pairs)
    return pairs


def _document(schema: Any) -> str | None:
    """Return a JSON document that fits a pydantic model, None when none was found."""
    try:
        document = json.dumps(instance_of(schema.model_json_schema()))
        schema.model_validate_json(document)
    except Exception:  # noqa: BLE001 - no such schema, or one with rules of its own
        return None
    return document
