"""What a target returned, read as a score or as the reason why there is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .judge import Reading, Reason, Scored, Unscorable
from .transient import overloaded, wait_after

CHANNEL = "score"
LARGEST = 1e150  # beyond that a difference squared is no float any more: no score
_EXPLANATIONS = ("explanation", "reason", "rationale", "reasoning", "comment")
#: what a mapping may tell of the call beside its scores
_META = ("model", "temperature", "usage")
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
_BLOCKED = re.compile(
    r"content[ _-]?(filter|management policy)|jailbreak|blocked by.{0,20}polic", re.I
)


def read_value(value: object, key: str | None = None) -> Reading:
    """Read a returned value: a number, a numeric string, or a mapping of channels.

    ``key`` picks one channel of a mapping. Anything that is not a finite number is
    ``Unscorable`` naming type and value; nothing is guessed.
    """
    if type(value) is float and key is None and -LARGEST <= value <= LARGEST:
        return Scored({CHANNEL: value})
    if isinstance(value, (Scored, Unscorable)):
        return checked(value, key)
    if isinstance(value, Mapping):
        return _read_mapping(value, key)
    if key is not None:
        return Unscorable("unreadable", f"no key {key!r} in {_show(value)}")
    number, passed = _number(value)
    if isinstance(number, Unscorable):
        return number
    return Scored({CHANNEL: number}, passed)


def checked(reading: Reading, key: str | None = None) -> Reading:
    """Return a judge's own reading when it holds what it must: finite floats by name."""
    if isinstance(reading, Unscorable):
        return reading
    values: Any = reading.values  # whatever a judge of the user's own put there
    if not isinstance(values, Mapping):
        return Unscorable("unreadable", f"values must be a mapping: {_show(values)}")
    if key is not None:
        if key not in values:
            return Unscorable("unreadable", f"no key {key!r} among {sorted(map(str, values))}")
        values = {key: values[key]}
    for number in values.values():
        if type(number) is not float or not -LARGEST <= number <= LARGEST:
            break
    else:
        same = values is reading.values
        return (reading if same else replace(reading, values=values)) if values else _empty()
    clean: dict[str, float] = {}
    for name, value in values.items():
        number_or, _ = _number(value)
        if isinstance(number_or, Unscorable):
            return Unscorable(number_or.reason, f"{name}: {number_or.detail}")
        clean[str(name)] = number_or
    return replace(reading, values=clean)


def told(reading: Reading, **meta: Any) -> Reading:
    """Return a score with what else is known of its call: model, temperature, usage.

    What is None, or an empty mapping, is not known; a reading that is no score stays.
    """
    known = {name: value for name, value in meta.items() if value is not None and value != {}}
    return replace(reading, meta=known) if known and isinstance(reading, Scored) else reading


def _empty() -> Unscorable:
    return Unscorable("no_answer", "an empty mapping")


def _read_mapping(value: Mapping[object, object], key: str | None) -> Reading:
    if key is not None:
        if key not in value:
            return Unscorable("unreadable", f"no key {key!r} among {sorted(map(str, value))}")
        number, passed = _number(value[key])
        if isinstance(number, Unscorable):
            return Unscorable(number.reason, f"{key}: {number.detail}")
        return Scored({key: number}, passed)
    values: dict[str, float] = {}
    explanation, meta = None, dict[str, Any]()
    for name, entry in value.items():
        if isinstance(entry, str) and name in _EXPLANATIONS:
            explanation = entry
            continue
        if name in _META and len(value) > 1:
            meta[name] = entry
            continue
        number, _ = _number(entry)
        if isinstance(number, Unscorable):
            return Unscorable(number.reason, f"{name}: {number.detail}")
        if str(name) in values:
            return Unscorable("unreadable", f"two channels are named {str(name)!r}")
        values[str(name)] = number
    return Scored(values, None, explanation, meta or None) if values else _empty()


def _number(value: object) -> tuple[float | Unscorable, bool | None]:
    if value is None:
        return Unscorable("no_answer", "returned None"), None
    numpy_bool = type(value).__name__ in ("bool_", "bool") and hasattr(value, "dtype")
    if isinstance(value, bool) or numpy_bool:
        return (1.0 if value else 0.0), bool(value)
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return Unscorable("unreadable", f"text where a number should be: {_show(value)}"), None
    elif isinstance(value, (bytes, bytearray, list, tuple, set, frozenset, complex)):
        return Unscorable("unreadable", f"not a number: {_show(value)}"), None
    elif getattr(value, "ndim", 0) or not hasattr(value, "__float__"):
        return Unscorable("unreadable", f"not a number: {_show(value)}"), None
    try:
        number = float(value)
    except OverflowError:
        return Unscorable("not_finite", f"too large for a float: {_show(value)}"), None
    except Exception as error:  # a __float__ of the user's may raise anything
        return Unscorable("unreadable", f"{_show(value)}: {type(error).__name__}"), None
    if not -LARGEST <= number <= LARGEST:
        return Unscorable("not_finite", f"returned {_show(value)}"), None
    return number, None


def _show(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        text = "<no repr>"
    return f"{type(value).__name__} {text[:80]}{'…' if len(text) > 80 else ''}"


def read_error(error: BaseException) -> Unscorable:
    """Turn what a target raised into the reason there is no score."""
    try:
        text = str(error)
    except Exception:
        text = "<no message>"
    first = " ".join(text.split())[:300]
    detail = f"{type(error).__name__}: {first}" if first else type(error).__name__
    reason: Reason = "error"
    if isinstance(error, TimeoutError) or type(error).__name__ == "TimeoutError":
        reason = "timeout"
    elif _BLOCKED.search(text):
        reason = "blocked"
    if reason == "blocked":  # a filter's word is final, whatever status it comes with
        return Unscorable(reason, detail)
    try:
        return Unscorable(reason, detail, wait_after(error), overloaded(error))
    except Exception:  # a property of a user's exception may raise anything
        return Unscorable(reason, detail)
