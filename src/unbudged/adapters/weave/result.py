"""What a Weave scorer returned, read as a score or as the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Number
from typing import Any

from ...core.judge import Reading, Reason, Scored, Unscorable
from ...core.reading import CHANNEL, read_error, read_value

_ERRORS = ("error", "errors", "exception")
_EXPLANATIONS = ("reason", "rationale", "explanation", "comment", "conclusion", "chain_of_thought")


def read_result(
    result: Any,
    wanted: Sequence[str] = (),
    needed: Sequence[str] = (),
    higher_is_better: bool = True,
) -> Reading:
    """Read a scorer's result: a number, a dict, or a record such as WeaveScorerResult.

    ``wanted`` names the entries to read, dotted where nested; without it every number
    counts, and text, lists and None beside numbers are left out, as in Weave's own
    summary. An entry of ``needed`` that is no finite number makes the whole result
    unscorable, and so does an error entry that holds one.
    """
    if hasattr(result, "__await__"):
        close = getattr(result, "close", None)
        if close:
            close()
        return Unscorable(
            "unreadable", "returned a coroutine nobody awaited: declare the scorer async"
        )
    fields = _fields(result)
    if fields is None:
        if [*wanted] not in ([], [CHANNEL]):
            return Unscorable("unreadable", f"no {wanted[0]!r} in {_show(result)}")
        return _alone(result, higher_is_better)
    entries = dict(_flat(fields))
    failure = _failure(fields)
    if failure is not None:
        return failure
    if not entries:
        return Unscorable("no_answer", "an empty result")
    if not wanted:
        wanted = [n for n, v in entries.items() if _is_number(v)] or needed
    if not wanted:  # "10": not summed up by Weave, but a score
        wanted = [n for n, v in entries.items() if isinstance(read_value(v), Scored)]
    if not wanted:
        return Unscorable("unreadable", f"no number in {_show(result)}")
    return _read(entries, wanted, needed, higher_is_better)


def _read(
    entries: Mapping[str, Any],
    wanted: Sequence[str],
    needed: Sequence[str],
    higher_is_better: bool,
) -> Reading:
    values: dict[str, float] = {}
    verdicts = []
    for name in dict.fromkeys((*wanted, *needed)) if needed else wanted:
        if name not in entries:
            return Unscorable("unreadable", f"no {name!r} in the result: it has {[*entries]}")
        one = read_value(entries[name])
        if isinstance(one, Unscorable):
            return Unscorable(one.reason, f"{name}: {one.detail}")
        if name in wanted:
            values[name] = one.values[CHANNEL]
            verdicts.append(one.passed)
    # a verdict only where every channel is one: the core takes scale and pass mark from it
    passed = None if None in verdicts else all(v == higher_is_better for v in verdicts)
    return Scored(values, passed, _explanation(entries))


def _alone(result: Any, higher_is_better: bool) -> Reading:
    reading = read_value(result)
    if isinstance(reading, Scored) and reading.passed is not None and not higher_is_better:
        return Scored(reading.values, not reading.passed)
    return reading


def _fields(result: Any) -> Mapping[Any, Any] | None:
    """Return the entries of a dict or of a pydantic record, None for anything else."""
    if isinstance(result, Mapping):
        return result
    if hasattr(type(result), "model_fields"):
        return dict(result)
    return None


def _flat(fields: Mapping[Any, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        path = f"{prefix}{name}"
        inner = _fields(value) if depth < 8 else None
        if inner is None:
            yield path, value
        else:
            yield from _flat(inner, f"{path}.", depth + 1)


def _failure(fields: Mapping[Any, Any]) -> Unscorable | None:
    """Return why there is no score when the result says so itself: a guardrail's API error."""
    for place, prefix in ((fields, ""), (_fields(fields.get("metadata")), "metadata.")):
        for name in _ERRORS:
            said = place.get(name) if place else None
            if said and not _is_number(said):
                text = " ".join(str(said).split())[:300]
                return Unscorable("error", f"{prefix}{name}: {text}")
    return None


def _is_number(value: Any) -> bool:
    if isinstance(value, (bool, Number)):
        return True
    return hasattr(value, "dtype") and not getattr(value, "ndim", 0)


def _explanation(entries: Mapping[str, Any]) -> str | None:
    for name, value in entries.items():
        last = name.rsplit(".", 1)[-1].casefold()
        if isinstance(value, str) and any(word in last for word in _EXPLANATIONS):
            return value
    return None


def _show(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 a user's __repr__ may raise anything
        text = "<no repr>"
    text = " ".join(text.split())
    return f"{type(value).__name__} {text[:80]}{'…' if len(text) > 80 else ''}"


def read_failure(error: BaseException) -> Unscorable:
    """Turn what a scorer raised into the reason there is no score, its cause included."""
    reading = read_error(error)
    reason: Reason = reading.reason
    detail = reading.detail
    cause = error.__cause__
    if cause is not None and type(error) is RuntimeError:
        inner = read_failure(cause)
        return Unscorable(inner.reason, f"{detail} ({inner.detail})"[:400])
    kind = type(error).__name__
    if reason == "error":
        if "Timeout" in kind:
            reason = "timeout"
        elif "ContentPolicy" in kind or "ContentFilter" in kind:
            reason = "blocked"
        elif kind in ("ValidationError", "JSONDecodeError"):
            reason = "unreadable"
    return Unscorable(reason, detail)
