"""DeepEval's reply schemas: whether a reply fits, read as leniently as DeepEval reads words."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import Any, cast, get_args

#: what a verdict may say; DeepEval writes "borderline" since 4.2, "idk" before
WORDS = ("yes", "no", "idk", "borderline")
_VERDICT = re.compile(r"(.*_)?verdict")


def read_reply(schema: Any, reply: Any) -> Any:
    """Return the reply as an instance of the schema, or a line saying why it is none."""
    if isinstance(reply, schema):
        holds = reply.model_fields_set or not schema.model_fields
        return reply if holds else f"the judge's reply holds no field of {schema.__name__}"
    if not isinstance(reply, str):
        return f"the judge's reply is a {type(reply).__name__}, not text"
    try:
        data = import_module("deepeval.metrics.utils").trimAndLoadJson(reply, None)
    except Exception:  # noqa: BLE001 - whatever it raises, it could not read the reply
        return f"the judge's reply is no JSON: {_short(reply)}"
    for words in ((), ("idk", "borderline"), ("borderline", "idk")):
        try:
            read = schema.model_validate(_worded(data, *words) if words else data)
        except Exception:  # noqa: BLE001 - pydantic's and a validator's own
            continue
        if read.model_fields_set or not schema.model_fields:
            return read
    return f"the judge's reply does not fit {schema.__name__}: {_short(reply)}"


def _worded(data: Any, old: str, new: str) -> Any:
    """Return the data with each verdict cut to its first word, one word replaced."""
    if isinstance(data, list):
        return [_worded(entry, old, new) for entry in data]
    if not isinstance(data, dict):
        return data
    return {
        name: _word(value).replace(old, new)
        if isinstance(value, str) and _VERDICT.fullmatch(str(name))
        else _worded(value, old, new)
        for name, value in data.items()
    }


def _word(text: str) -> str:
    match = re.match(r"[a-z]+", text.strip().lower())
    return match[0] if match else text


def odd_word(read: Any) -> str | None:
    """Return a verdict outside the vocabulary where DeepEval's schema itself allows any text."""
    if isinstance(read, list):
        return next((odd for entry in read if (odd := odd_word(entry)) is not None), None)
    if not hasattr(type(read), "model_fields"):
        return None
    free = _free_fields(cast("Any", type(read)))
    for name, value in vars(read).items():
        if name in free:
            said = value if isinstance(value, list) else [value]
            odd = next((str(word) for word in said if _word(str(word)) not in WORDS), None)
        else:
            odd = odd_word(value)
        if odd is not None:
            return odd[:60]
    return None


@lru_cache(maxsize=256)
def is_shipped(schema: Any) -> bool:
    """Tell whether this is one of DeepEval's own reply schemas."""
    return hasattr(schema, "model_fields") and schema.__module__.startswith("deepeval.")


@lru_cache(maxsize=256)
def takes_any_word(schema: Any) -> bool:
    """Tell whether a verdict of this schema, or of one inside it, may be any text."""
    inside = (
        part
        for about in schema.model_fields.values()
        for part in (about.annotation, *get_args(about.annotation))
        if hasattr(part, "model_fields")
    )
    return bool(_free_fields(schema)) or any(takes_any_word(part) for part in inside)


@lru_cache(maxsize=256)
def _free_fields(schema: Any) -> frozenset[str]:
    """Return the fields in which one of DeepEval's schemas takes any text for yes or no."""
    module = schema.__module__
    if ".dag." in module:
        return frozenset()  # its options are its author's
    if ".summarization." in module and "answers" in schema.model_fields:
        return frozenset(("answers",))
    return frozenset(
        name
        for name, about in schema.model_fields.items()
        if about.annotation is str and _VERDICT.fullmatch(name)
    )


@lru_cache(maxsize=256)
def may_fail_in_silence(schema: Any) -> bool:
    """Tell whether DeepEval could read a score out of a reply that does not fit the schema.

    A missing text or number raises, and a number that is none shows in the score; a list
    that is missing counts as empty, and a word outside a choice is dropped.
    """
    fields = getattr(schema, "model_fields", None)
    if not fields:
        return False
    return any(f.annotation not in (str, float, int, bool) for f in fields.values()) or bool(
        _free_fields(schema)
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else line[:79] + "…")
