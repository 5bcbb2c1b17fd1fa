"""A fresh copy of the metric for every call, so that nothing of one call reaches the next."""

from __future__ import annotations

import copy
from importlib import import_module
from typing import Any

from .replies import Log
from .traits import is_metric, is_model

#: what a measurement leaves on a metric
_RESULTS: dict[str, Any] = {
    "score": None, "success": None, "error": None, "reason": None, "verbose_logs": None,
    "skipped": False,
}  # fmt: skip
#: a reason costs a call and cannot change the score; logs go to stdout
_QUIET = {"include_reason": False, "verbose_mode": False}
_METHODS = (
    "generate", "generate_with_schema", "generate_raw_response",
    "decide", "noul", "choice", "score",
)  # fmt: skip


def fresh(metric: Any, log: Log | None = None) -> Any:
    """Return a copy of the metric with no results, every metric inside it copied as well.

    With ``log`` its models, and those of metrics inside it, note what they are asked;
    calls still go to the user's own model objects. Not a deep copy: DeepEval's own models
    cannot be copied deeply.
    """
    return _fresh(metric, log, {})


def _fresh(metric: Any, log: Log | None, done: dict[int, Any]) -> Any:
    if id(metric) in done:
        return done[id(metric)]
    twin = done[id(metric)] = copy.copy(metric)
    own = vars(twin)
    for name, value in own.items():
        own[name] = _part(value, log, done)
    own.update(_RESULTS)
    for name, wanted in _QUIET.items():
        if getattr(twin, name, wanted) is not wanted:
            own[name] = wanted
    for name in ("evaluation_cost", "input_tokens", "output_tokens"):
        if own.get(name):
            own[name] = 0
    own["score_breakdown"] = {} if isinstance(own.get("score_breakdown"), dict) else None
    return twin


def _part(value: Any, log: Log | None, done: dict[int, Any]) -> Any:
    kind = type(value)
    if kind in (str, bool, int, float) or value is None:
        return value
    if kind is list:
        return [_part(entry, log, done) for entry in value]
    if kind is dict:
        return {name: _part(entry, log, done) for name, entry in value.items()}
    if kind is set:
        return set(value)
    if is_metric(value):
        return _fresh(value, log, done)
    if is_model(value):
        return value if log is None else _watched(value, log, done)
    if hasattr(value, "root_nodes") and hasattr(value, "multiturn"):
        return _graph(value, log, done)
    return value


def _watched(model: Any, log: Log, done: dict[int, Any]) -> Any:
    if id(model) in done:
        return done[id(model)]
    try:
        twin = copy.copy(model)
        own = vars(twin)
    except Exception:  # noqa: BLE001 - a model that cannot be copied is used as it is
        done[id(model)] = model
        return model
    for name in (*_METHODS, *(f"a_{name}" for name in _METHODS)):
        method = getattr(model, name, None)
        if callable(method):
            own[name] = log.watch(method, name.startswith("a_"))
    done[id(model)] = twin
    return twin


def _graph(graph: Any, log: Log | None, done: dict[int, Any]) -> Any:
    """Return a copy of a decision graph: until DeepEval 4 its nodes hold the last verdict."""
    twin = import_module("deepeval.metrics.dag.utils").copy_graph(graph)
    seen: set[int] = set()
    nodes = list(twin.root_nodes)
    while nodes:
        node = nodes.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        child = getattr(node, "child", None)
        if is_metric(child):
            node.child = _fresh(child, log, done)
        elif child is not None:
            nodes.append(child)
        nodes.extend(getattr(node, "children", None) or ())
    return twin


def inner_metrics(metric: Any) -> list[Any]:
    """Return the metrics inside a metric: in its attributes, lists and decision graph."""
    seen: set[int] = {id(metric)}
    found: list[Any] = []
    stack = list(vars(metric).values())
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_metric(value):
            found.append(value)
            stack.extend(vars(value).values())
        elif isinstance(value, (list, tuple)):
            stack.extend(value)
        elif isinstance(value, dict):
            stack.extend(value.values())
        elif type(value).__module__.startswith("deepeval.metrics."):
            stack.extend(vars(value).get(name) for name in ("root_nodes", "children", "child"))
    return found
