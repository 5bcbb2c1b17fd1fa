"""What a metric asks of an answer: the built-in samples that fit it, the words of its verdicts."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace
from typing import Any

from ...core.instance import instance_of
from ...core.samples import Kind, Pairs, load_samples
from .copies import nodes_of
from .traits import higher_is_better, is_shipped

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


def labels_of(metric: Any) -> tuple[str, ...]:
    """Return the words a metric's judge has for marks, worst first; empty where it has none.

    A decision graph holds its verdicts and what each is worth. A shipped metric that counts
    verdicts is asked what one "yes" and one "no" are worth: bias is bad, relevance is good.
    """
    graph = getattr(metric, "dag", None)
    if hasattr(graph, "root_nodes"):
        worth = {
            str(node.verdict).lower() if isinstance(node.verdict, bool) else str(node.verdict):
            node.score
            for node in nodes_of(graph)
            if isinstance(getattr(node, "score", None), (int, float)) and hasattr(node, "verdict")
        }
    elif is_shipped(metric):
        worth = {word: _worth(metric, word) for word in ("yes", "no")}
        if not higher_is_better(metric):
            worth = {word: None if mark is None else -mark for word, mark in worth.items()}
    else:
        return ()
    known = {word: mark for word, mark in worth.items() if mark is not None}
    if len(known) < len(worth) or len({*known.values()}) < 2:
        return ()
    return tuple(sorted(known, key=lambda word: known[word]))


def _worth(metric: Any, verdict: str) -> float | None:
    """Return what the metric's own arithmetic makes of one verdict."""
    twin = copy.copy(metric)
    try:
        twin.verdicts = [SimpleNamespace(verdict=verdict, reason="")]
        mark = twin._calculate_score()
    except Exception:  # noqa: BLE001 - it counts something else
        return None
    return float(mark) if isinstance(mark, (int, float)) else None
