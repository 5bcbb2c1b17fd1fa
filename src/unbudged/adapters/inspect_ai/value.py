"""A Score of Inspect AI read as a reading: grades mapped here, nothing guessed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...core.judge import Reading, Reason, Scored, Unscorable

CHANNEL = "score"

# The framework's own reasons for a score that says nothing about the answer. The others
# (no_response, refusal, invalid_response_format) are its verdicts on the answer.
_NO_VERDICT: dict[str, Reason] = {"grader_failed": "unreadable", "scoring_failed": "error"}
_GRADES: dict[str, tuple[float, bool | None]] = {
    "C": (1.0, True), "I": (0.0, False), "P": (0.5, None),
}  # fmt: skip
_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def read_score(
    score: Any, key: str | None = None, values: Mapping[str, float] | None = None
) -> Reading:
    """Read what a scorer returned; ``key`` picks one of several values.

    Grades are worth what Inspect's own ``value_to_float`` says (C 1, P 0.5, I 0, yes and
    true 1, no and false 0); any other text must be a number or stand in ``values``,
    where ``value_to_float`` would silently say 0.
    """
    if score is None:
        return Unscorable("no_answer", "the scorer returned None")
    if key is None and values is None and type(score).__name__ == "Score" and not score.reason:
        grade = _GRADES.get(score.value) if type(score.value) is str else None
        if grade is not None:  # by far the most frequent score, and the quickest
            return Scored({CHANNEL: grade[0]}, grade[1], score.explanation)
    if not hasattr(score, "value") or not hasattr(score, "explanation"):
        return Unscorable("unreadable", f"not a Score: {_show(score)}")
    why = getattr(score, "reason", None)
    if why in _NO_VERDICT:
        return Unscorable(_NO_VERDICT[why], _detail(why, score.explanation))
    value, single = _picked(score.value, key)
    if isinstance(value, Unscorable):
        return value
    read: dict[str, float] = {}
    passed: bool | None = None
    for name, entry in value.items():
        number, passed = _number(entry, values or {}, why)
        if isinstance(number, Unscorable):
            where = "" if single else f"{name}: "
            said = f" ({_line(score.explanation)})" if score.explanation else ""
            return Unscorable(number.reason, f"{where}{number.detail}{said}")
        read[name] = number
    return Scored(read, passed if len(read) == 1 else None, score.explanation)


def _picked(value: Any, key: str | None) -> tuple[dict[str, Any] | Unscorable, bool]:
    if isinstance(value, Mapping):
        found = {str(name): entry for name, entry in value.items()}
    elif isinstance(value, (list, tuple)):
        found = {str(place): entry for place, entry in enumerate(value)}
    elif key is not None:
        return Unscorable("unreadable", f"no key {key!r} in a single value"), True
    else:
        return {CHANNEL: value}, True
    if not found:
        return Unscorable("no_answer", f"an empty {type(value).__name__}"), False
    if key is None:
        return found, False
    if key not in found:
        return Unscorable("unreadable", f"no key {key!r} among {sorted(found)}"), False
    return {key: found[key]}, False


def _number(
    value: Any, values: Mapping[str, float], why: str | None
) -> tuple[float | Unscorable, bool | None]:
    if isinstance(value, str):
        if value in values:
            return float(values[value]), None
        if value in _GRADES:
            return _GRADES[value]
        if value == "N":  # a verdict on the answer only where the framework says so
            if why is not None:
                return 0.0, False
            return Unscorable("no_answer", "the scorer answered N (no answer)"), None
        if (word := _WORDS.get(value.lower())) is not None:
            return float(word), word
        try:
            number = float(value)
        except ValueError:
            return Unscorable(
                "unreadable",
                f"{_show(value)} is no grade of Inspect's (C, P, I, yes, no) and no number:"
                " say what it is worth with values={…}",
            ), None
    elif isinstance(value, bool):
        return float(value), value
    elif isinstance(value, (int, float)):
        number = float(value)
    elif value is None:
        return Unscorable("no_answer", "None where a value should be"), None
    else:
        return Unscorable("unreadable", f"not a number: {_show(value)}"), None
    if not math.isfinite(number):
        return Unscorable("not_finite", f"the value is {number}"), None
    return number, None


def _detail(why: str, explanation: str | None) -> str:
    return f"{why}: {_line(explanation)}" if explanation else why


def _line(text: str | None) -> str:
    return " ".join((text or "").split())[:300]


def _show(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text[:80]}{'…' if len(text) > 80 else ''}"
