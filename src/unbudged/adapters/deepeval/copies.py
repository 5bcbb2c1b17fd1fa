"""A fresh copy of the metric for every call, so that nothing of one call reaches the next."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

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

#: makes the copy's value of the template's, for one measurement
_Make = Callable[[Any, Log, dict[int, Any]], Any]


class Template:
    """A metric without results, from which a copy is made for every call.

    Metrics inside it (in its attributes, lists, dicts or decision graph) are copied with
    it, its models note what they are asked and pass it on to the user's own objects. Not
    a deep copy: DeepEval's own models cannot be copied deeply.
    """

    def __init__(self, metric: Any) -> None:
        self.metric = _clean(metric, {})
        self._own: list[tuple[str, _Make]] | None = None
        self._methods: dict[int, tuple[Any, list[tuple[str, Any, bool]]]] = {}

    def copy(self, log: Log) -> Any:
        """Return a fresh copy whose models write into the log."""
        return self._copy(self.metric, log, {})

    def inner(self) -> list[Any]:
        """Return the metrics inside the template's metric."""
        return [found for found in _inside(vars(self.metric)) if found is not self.metric]

    def _copy(self, metric: Any, log: Log, done: dict[int, Any]) -> Any:
        if id(metric) in done:
            return done[id(metric)]
        twin = done[id(metric)] = _shallow(metric)
        own = vars(twin)
        for name, make in self._plan(metric):
            own[name] = make(own[name], log, done)
        return twin

    def _plan(self, metric: Any) -> list[tuple[str, _Make]]:
        if metric is self.metric and self._own is not None:
            return self._own
        found = ((name, self._maker(value)) for name, value in vars(metric).items())
        plan = [(name, make) for name, make in found if make is not None]
        if metric is self.metric:
            self._own = plan
        return plan

    def _maker(self, value: Any) -> _Make | None:
        kind = type(value)
        if is_metric(value):
            return self._copy
        if is_model(value):
            return self._watched
        if kind in (list, dict, set):
            parts = value.values() if kind is dict else value
            if kind is set or not any(self._maker(part) for part in parts):
                return lambda held, log, done: held.copy()
            return self._held
        if _is_graph(value) and (_nodes_remember() or next(_inside([value]), None) is not None):
            return self._graph
        return None

    def _held(self, value: Any, log: Log, done: dict[int, Any]) -> Any:
        def made(part: Any) -> Any:
            make = self._maker(part)
            return part if make is None else make(part, log, done)

        if isinstance(value, dict):
            return {name: made(part) for name, part in value.items()}
        return [made(part) for part in value]

    def _watched(self, model: Any, log: Log, done: dict[int, Any]) -> Any:
        if id(model) in done:
            return done[id(model)]
        if id(model) not in self._methods:
            names = [(prefix + name, bool(prefix)) for name in _METHODS for prefix in ("", "a_")]
            found = ((name, getattr(model, name, None), is_async) for name, is_async in names)
            # the model is held with them: an id lasts as long as its object
            self._methods[id(model)] = model, [entry for entry in found if callable(entry[1])]
        try:
            twin = _shallow(model)
            own = vars(twin)
        except Exception:  # noqa: BLE001 - a model that cannot be copied is used as it is
            return model
        for name, method, is_async in self._methods[id(model)][1]:
            own[name] = log.watch_async(method) if is_async else log.watch(method)
        done[id(model)] = twin
        return twin

    def _graph(self, graph: Any, log: Log, done: dict[int, Any]) -> Any:
        twin = import_module("deepeval.metrics.dag.utils").copy_graph(graph)
        for node in nodes_of(twin):
            if is_metric(getattr(node, "child", None)):
                node.child = self._copy(node.child, log, done)
        return twin


def _shallow(value: Any) -> Any:
    """Do what copy.copy does, in a quarter of its time for an object without slots or hooks."""
    kind = type(value)
    if not _is_plain(cast("Any", kind)):
        return copy.copy(value)
    twin = object.__new__(kind)
    vars(twin).update(vars(value))
    return twin


@lru_cache(maxsize=256)
def _is_plain(kind: type) -> bool:
    hooks = ("__copy__", "__getstate__", "__reduce__", "__reduce_ex__", "__new__")
    plain = all(getattr(kind, h, None) is getattr(object, h, None) for h in hooks)
    return plain and not any(vars(base).get("__slots__") for base in kind.__mro__)


def _clean(metric: Any, done: dict[int, Any]) -> Any:
    """Return a copy of a metric without results, and of every metric inside it."""
    if id(metric) in done:
        return done[id(metric)]
    twin = done[id(metric)] = copy.copy(metric)
    own = vars(twin)
    for name, value in own.items():
        own[name] = _clean_part(value, done)
    own.update(_RESULTS)
    for name, wanted in _QUIET.items():
        if getattr(twin, name, wanted) is not wanted:
            own[name] = wanted
    for name in ("evaluation_cost", "input_tokens", "output_tokens"):
        if own.get(name):
            own[name] = 0
    own["score_breakdown"] = {} if isinstance(own.get("score_breakdown"), dict) else None
    return twin


def _clean_part(value: Any, done: dict[int, Any]) -> Any:
    if is_metric(value):
        return _clean(value, done)
    if type(value) is list:
        return [_clean_part(part, done) for part in value]
    if type(value) is dict:
        return {name: _clean_part(part, done) for name, part in value.items()}
    if _is_graph(value):
        twin = import_module("deepeval.metrics.dag.utils").copy_graph(value)
        for node in nodes_of(twin):
            if is_metric(getattr(node, "child", None)):
                node.child = _clean(node.child, done)
        return twin
    return value


def _nodes_remember() -> bool:
    """Tell whether the nodes of a decision graph keep the last call's verdict: until DeepEval 4."""
    return find_spec("deepeval.metrics.dag.runner") is None


def _is_graph(value: Any) -> bool:
    return hasattr(value, "root_nodes") and hasattr(value, "multiturn")


def nodes_of(graph: Any) -> Iterator[Any]:
    """Yield every node of a decision graph once."""
    seen: set[int] = set()
    left = list(graph.root_nodes)
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        child = getattr(node, "child", None)
        left += [] if child is None or is_metric(child) else [child]
        left += getattr(node, "children", None) or ()


def _inside(values: Any) -> Iterator[Any]:
    """Yield every metric inside some values, and those inside it."""
    seen: set[int] = set()
    left = list(values.values() if isinstance(values, dict) else values)
    while left:
        value = left.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_metric(value):
            yield value
            left += vars(value).values()
        elif isinstance(value, (list, tuple)):
            left += value
        elif isinstance(value, dict):
            left += value.values()
        elif _is_graph(value):
            left += [getattr(node, "child", None) for node in nodes_of(value)]
