"""Calling a metric as DeepEval's own evaluation would, without its side effects."""

from __future__ import annotations

import sys
from typing import Any

from ...errors import TargetError
from .silence import prints_to_stderr

_BASES = ("BaseMetric", "BaseConversationalMetric")


class Caller:
    """Call a metric's ``a_measure``, or ``measure`` where that is all it has."""

    def __init__(self, metric: Any) -> None:
        """Raise TargetError for a metric that has neither."""
        base = sys.modules["deepeval.metrics.base_metric"]
        kind = type(metric)
        for name in ("a_measure", "measure"):
            empty = [getattr(vars(base).get(b), name, None) for b in _BASES]
            method = getattr(kind, name, None)
            if method is not None and method not in empty:
                self._name, self._keywords = name, _keywords(method)
                break
        else:
            raise TargetError(f"{kind.__name__} has neither measure nor a_measure")

    async def __call__(self, metric: Any, case: Any) -> None:
        """Measure one test case; raises whatever the metric raises."""
        with prints_to_stderr:
            if self._name == "a_measure":
                try:
                    await metric.a_measure(case, **self._keywords)
                    return
                except NotImplementedError:
                    if not callable(getattr(metric, "measure", None)):
                        raise
                    self._name, self._keywords = "measure", _keywords(type(metric).measure)
            import asyncio

            # in the loop's own thread DeepEval would patch asyncio for the whole process
            metric.async_mode = False
            await asyncio.to_thread(metric.measure, case, **self._keywords)


def _keywords(method: Any) -> dict[str, bool]:
    """Return what DeepEval passes beside the test case, as far as the method takes it."""
    import inspect

    wanted = {"_show_indicator": False, "_in_component": False}
    try:
        parameters = inspect.signature(method).parameters
    except (TypeError, ValueError):
        return {}
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return wanted
    return {name: value for name, value in wanted.items() if name in parameters}


def failed_by_itself(error: BaseException) -> bool:
    """Tell whether the metric failed, rather than somebody stopping the scan."""
    if isinstance(error, (Exception, SystemExit)):
        return True
    import asyncio

    task = asyncio.current_task()
    cancelling = getattr(task, "cancelling", lambda: 1)  # Python 3.10 cannot tell
    return isinstance(error, asyncio.CancelledError) and not cancelling()
