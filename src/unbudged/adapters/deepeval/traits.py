"""What a metric says about itself: its kind, its direction, its fields, where it comes from."""

from __future__ import annotations

import copy
import sys
from importlib import import_module
from typing import Any, Literal

Kind = Literal["single", "conversation", "arena", "classifier"]

_KINDS: tuple[tuple[str, str, Kind], ...] = (
    ("deepeval.metrics.base_metric", "BaseMetric", "single"),
    ("deepeval.metrics.base_metric", "BaseConversationalMetric", "conversation"),
    ("deepeval.metrics.base_metric", "BaseArenaMetric", "arena"),
    ("deepeval.classifiers.base_classifier", "BaseClassifier", "classifier"),
)
#: fields without which DeepEval cannot even build a test case
_BUILDS = {"single": ("actual_output",), "conversation": ("content",)}
#: fields whose need a metric of DeepEval 3 declares nowhere and checks in the middle of a call
_CHECKED_LATE = {
    "chatbot_role": ("RoleAdherenceMetric",),
    "mcp_servers": ("MCPTaskCompletionMetric", "MultiTurnMCPUseMetric"),
}


def kind_of(target: Any) -> Kind | None:
    """Return what kind of DeepEval object this is, None for any other; imports nothing."""
    if isinstance(target, type):
        return None
    for module, name, kind in _KINDS:
        base = getattr(sys.modules.get(module), name, None)
        if isinstance(base, type) and isinstance(target, base):
            return kind
    return None


def is_metric(value: Any) -> bool:
    return kind_of(value) in ("single", "conversation")


def is_model(value: Any) -> bool:
    """Tell whether this is something a metric asks for its opinion."""
    models = sys.modules.get("deepeval.models.base_model")
    kinds = (getattr(models, n, None) for n in ("DeepEvalBaseLLM", "DeepEvalBaseSystemOneModel"))
    return any(isinstance(kind, type) and isinstance(value, kind) for kind in kinds)


def name_of(metric: Any) -> str:
    """Return the metric's display name, as DeepEval's own reports show it."""
    try:
        name = metric.__name__
    except Exception:  # noqa: BLE001 - a property of the user's may raise anything
        name = None
    if isinstance(name, str) and name.strip() and not name.startswith("Base "):
        return name
    return type(metric).__name__


def is_shipped(metric: Any) -> bool:
    """Tell whether the scores are computed by DeepEval's own code, which stays in 0 to 1."""
    for name in ("a_measure", "measure"):
        module = str(getattr(getattr(type(metric), name, None), "__module__", ""))
        if module != "deepeval.metrics.base_metric":
            return module.startswith("deepeval.")
    return False


def higher_is_better(metric: Any) -> bool:
    """Ask a copy of the metric which of 0 and 1 passes; True where it does not tell."""
    passes = []
    for score in (0.0, 1.0):
        twin = copy.copy(metric)
        vars(twin).update(threshold=0.5, strict_mode=False, score=score, success=None, error=None)
        try:
            passes.append(bool(twin.is_successful()))
        except Exception:  # noqa: BLE001 - as above
            return True
    return passes != [True, False]


def keeps_verdict(metric: Any) -> bool:
    """Tell whether the metric says itself what passes, apart from score and threshold."""
    if threshold_of(metric) is None:
        return False
    said = []
    for success in (True, False):
        twin = copy.copy(metric)
        vars(twin).update(score=threshold_of(metric), success=success, error=None)
        try:
            said.append(twin.is_successful())
        except Exception:  # noqa: BLE001 - as above
            return False
    return said == [True, False]


def threshold_of(metric: Any) -> float | None:
    value = getattr(metric, "threshold", None)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return None


def required_fields(metric: Any, kind: Kind) -> tuple[str, ...]:
    """Return DeepEval's names of the test case fields the metric asks for."""
    declared = "_required_params" if kind == "single" else "_required_test_case_params"
    names: list[str] = []
    for holder in (declared, "evaluation_params"):
        names += _names(getattr(metric, holder, None))
    dag = getattr(metric, "dag", None)
    if dag is not None and hasattr(dag, "root_nodes"):
        utils = import_module("deepeval.metrics.dag.utils")
        names += _names(utils.extract_required_params(dag.root_nodes, dag.multiturn))
    for field, where in _CHECKED_LATE.items():
        by_name = any(kind.__name__ in where for kind in type(metric).__mro__)
        if getattr(metric, f"_requires_{field}", by_name):
            names.append(field)
    if ".metrics.voice." in type(metric).__module__:
        names.append("audio")  # checked by the metric itself, only when it is too late
    return tuple(dict.fromkeys((*names, *_BUILDS[kind])))


def _names(fields: Any) -> list[str]:
    if not isinstance(fields, (list, tuple, set)):
        return []  # a metric that declares none inherits a typing construct
    names = [str(getattr(field, "value", field)) for field in fields]
    return sorted(names) if isinstance(fields, set) else names


def reads_trace(metric: Any) -> bool:
    """Tell whether the metric is blind without an agent's trace."""
    # Task completion takes input and output where a test case has no trace.
    takes_fields = hasattr(metric, "_is_task_provided")
    return bool(getattr(metric, "requires_trace", False)) and not takes_fields


def needs_image(metric: Any) -> bool:
    """Tell whether the metric fails over an answer without an image; none of them declares it."""
    return any(".multimodal_metrics." in kind.__module__ for kind in type(metric).__mro__)


def needs_user_turn(metric: Any) -> bool:
    """Tell whether the metric scores pairs of a user turn and the answer to it.

    Such a metric gives 1 or 0 without a word when there is no user turn.
    """
    return any(
        hasattr(sys.modules.get(kind.__module__), "get_unit_interactions")
        for kind in type(metric).__mro__
    )
