"""Inspect AI scorers as judges: recognise one, wrap it, scan it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.report import Report
from ...core.sample import Sample
from ...errors import TargetError, UsageError
from ..extras import check_extra, is_genuine

if TYPE_CHECKING:
    from .judge import InspectJudge

EXTRA = "inspect"
_INFO = "__registry_info__"
_PARAMS = "__registry_params__"


def recognises(target: Any) -> bool:
    """Tell whether an object is an Inspect AI scorer, or the decorated function that makes one.

    Judged by the mark the framework's own decorator leaves on it; an undecorated async
    callable counts when its first parameter is annotated with the framework's TaskState.
    """
    if not is_genuine(EXTRA) or isinstance(target, type):
        return False
    return _kind(target) == "scorer" or _takes_state(target)


def make_judge(
    target: Any,
    *,
    key: str | None = None,
    scale: tuple[float, float] | None = None,
    pass_mark: float | None = None,
    model: Any = None,
    model_roles: Mapping[str, Any] | None = None,
    values: Mapping[str, float] | None = None,
) -> InspectJudge:
    """Wrap a scorer for a scan.

    ``key`` picks one of several values of a score; ``model`` and ``model_roles`` are
    what ``get_model()`` and ``get_model(role=…)`` give inside the scorer (names or Model
    objects), as in an eval; ``values`` says what a grade outside C, P and I is worth.
    A function decorated with ``@scorer`` is called with its defaults first. Raises
    MissingExtra without the framework, TargetError when this scorer cannot be scanned.
    """
    version = check_extra(EXTRA)
    if not recognises(target):
        raise TargetError(
            "an Inspect AI scorer is needed, as model_graded_qa() makes one; this is"
            f" {getattr(target, '__name__', None) or type(target).__name__}"
        )
    from .judge import InspectJudge

    return InspectJudge(
        _made(target), version=version, key=key, scale=scale, pass_mark=pass_mark,
        model=model, model_roles=model_roles, values=values,
    )  # fmt: skip


def scan_scorer(
    scorer: Any,
    baselines: Sequence[str | Sample] | None = None,
    *,
    model: Any = None,
    model_roles: Mapping[str, Any] | None = None,
    values: Mapping[str, float] | None = None,
    **options: Any,
) -> Report:
    """Scan an Inspect AI scorer; ``options`` are those of ``unbudged.run``.

    See ``make_judge`` for ``model``, ``model_roles`` and ``values``. A scorer that asks
    for a model and is given none uses ``INSPECT_EVAL_MODEL``, as the framework does.
    """
    from ...api import run

    own = {name: options[name] for name in ("key", "scale", "pass_mark") if name in options}
    judge = make_judge(scorer, model=model, model_roles=model_roles, values=values, **own)
    return run(judge, baselines, **options)


def _kind(target: Any) -> str | None:
    info = getattr(target, _INFO, None)
    if type(info).__module__.partition(".")[0] != "inspect_ai":
        return None
    kind = getattr(info, "type", None)
    return kind if isinstance(kind, str) else None


def _takes_state(target: Any) -> bool:
    call = target if hasattr(target, "__code__") else getattr(type(target), "__call__", None)
    code = getattr(call, "__code__", None)
    if code is None or not code.co_flags & 0x80:  # inspect.CO_COROUTINE
        return False
    names = code.co_varnames[: code.co_argcount]
    names = names[1:] if call is not target or hasattr(call, "__self__") else names
    if len(names) < 2:
        return False
    mark = getattr(call, "__annotations__", {}).get(names[0])
    if isinstance(mark, str):
        mark = getattr(call, "__globals__", {}).get(mark)
    return (
        isinstance(mark, type)
        and mark.__name__ == "TaskState"
        and mark.__module__.partition(".")[0] == "inspect_ai"
    )


def _made(target: Any) -> Any:
    """Return the scorer itself: a decorated function makes one from its defaults."""
    if _kind(target) != "scorer" or hasattr(target, _PARAMS):
        return target
    import inspect

    missing = [
        p.name
        for p in inspect.signature(target).parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    name = getattr(target, "__name__", "it")
    if missing:
        raise UsageError(f"{name} makes scorers and needs {', '.join(missing)}: call it first")
    return target()
