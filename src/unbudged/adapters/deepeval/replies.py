"""What the judge was asked and what it replied, and whether the replies can be believed.

DeepEval reads loose JSON: a verdict outside the vocabulary is dropped, a missing list is an
empty one, and an empty list scores 1 or 0. So each reply is held against the schema it was
asked for, as strictly as DeepEval's own models do it and as leniently as DeepEval reads words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

#: what a verdict may say; DeepEval writes "borderline" since 4.2, "idk" before
_WORDS = ("yes", "no", "idk", "borderline")
_VERDICT = re.compile(r"(.*_)?verdict")
#: attributes in which a metric keeps what it asked verdicts on, one verdict each
_ITEMS = (
    "statements", "claims", "opinions", "advices", "misuses", "role_violations", "extracted_pii",
)  # fmt: skip


@dataclass(slots=True)
class Asked:
    """One question to the judge: the prompt as text, the reply as it came back."""

    prompt: str
    schema: Any = None
    reply: Any = None
    answered: bool = False


@dataclass(slots=True)
class Log:
    """Every question of one measurement, in order."""

    asked: list[Asked] = field(default_factory=list)

    def watch(self, method: Callable[..., Any], is_async: bool) -> Callable[..., Any]:
        """Return the method as it is, noting what goes in and comes out."""

        def note(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
            parts = [*args, *(v for k, v in kwargs.items() if k != "schema")]
            prompt = parts[0] if len(parts) == 1 and isinstance(parts[0], str) else _text(parts)
            asked = Asked(prompt, kwargs.get("schema"))
            self.asked.append(asked)
            return asked

        def call(*args: Any, **kwargs: Any) -> Any:
            asked = note(args, kwargs)
            asked.reply = method(*args, **kwargs)
            asked.answered = True
            return asked.reply

        async def acall(*args: Any, **kwargs: Any) -> Any:
            asked = note(args, kwargs)
            asked.reply = await method(*args, **kwargs)
            asked.answered = True
            return asked.reply

        return acall if is_async else call

    def mentions(self, word: str) -> bool:
        return any(word in asked.prompt for asked in self.asked)

    def fault(self) -> str | None:
        """Return what is wrong with the first reply that does not fit, in one line."""
        return next((said for asked in self.asked if (said := _fault(asked))), None)

    def steps(self) -> Iterator[tuple[str, list[str]]]:
        """Yield prompt and result of every request for evaluation steps."""
        for asked in self.asked:
            if asked.answered and getattr(asked.schema, "__name__", "") == "Steps":
                read = _read(asked.schema, _bare(asked.reply))
                steps = getattr(read, "steps", None)
                if isinstance(steps, list) and steps:
                    yield asked.prompt, steps


def lost_verdicts(metric: Any) -> str | None:
    """Return, in one line, that the judge passed over items the metric asked about.

    DeepEval divides by the verdicts it got: an item without one raises the score in silence.
    """
    verdicts = getattr(metric, "verdicts", None)
    if not isinstance(verdicts, list):
        verdicts = getattr(metric, "alignment_verdicts", None)
    if not isinstance(verdicts, list):
        return None
    for name in _ITEMS:
        items = getattr(metric, name, None)
        if isinstance(items, list) and len(items) > len(verdicts):
            return f"the judge gave {len(verdicts)} verdicts on {len(items)} {name}"
    return None


def _fault(asked: Asked) -> str | None:
    if not asked.answered or asked.schema is None or not hasattr(asked.schema, "model_fields"):
        return None
    reply = _bare(asked.reply)
    if reply is None or (isinstance(reply, str) and not reply.strip()):
        return "the judge's reply is empty"
    read = _read(asked.schema, reply)
    if isinstance(read, str):
        return read
    odd = _odd_word(read)
    return odd and f"the judge's verdict {odd!r} is none of {', '.join(_WORDS)}"


def _bare(reply: Any) -> Any:
    """Return the reply without the cost that some models return beside it."""
    return reply[0] if isinstance(reply, tuple) and len(reply) == 2 else reply


def _read(schema: Any, reply: Any) -> Any:
    """Return the reply as an instance of the schema, or a line saying why it is none."""
    if isinstance(reply, schema):
        return reply
    if not isinstance(reply, str):
        return f"the judge's reply is a {type(reply).__name__}, not text"
    try:
        data = import_module("deepeval.metrics.utils").trimAndLoadJson(reply, None)
    except Exception:  # noqa: BLE001 - whatever it raises, it could not read the reply
        return f"the judge's reply is no JSON: {_short(reply)}"
    for version in (data, _worded(data, "idk", "borderline"), _worded(data, "borderline", "idk")):
        try:
            return schema.model_validate(version)
        except Exception:  # noqa: BLE001 - pydantic's and a validator's own
            continue
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


def _odd_word(read: Any) -> str | None:
    """Return a verdict outside the vocabulary where the schema itself allows any text."""
    if isinstance(read, list):
        return next((odd for entry in read if (odd := _odd_word(entry))), None)
    fields = getattr(type(read), "model_fields", None)
    if not fields or ".dag." in type(read).__module__:  # a DAG's options are its author's
        return None
    for name, about in fields.items():
        value = getattr(read, name, None)
        if isinstance(value, list) or hasattr(type(value), "model_fields"):
            odd = _odd_word(value)
        elif _VERDICT.fullmatch(name) and about.annotation is str:
            odd = None if _word(str(value)) in _WORDS else value
        else:
            odd = None
        if odd:
            return str(odd)[:60]
    return None


def _text(parts: list[Any]) -> str:
    return " ".join(part if isinstance(part, str) else repr(part) for part in parts)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else line[:79] + "…")
