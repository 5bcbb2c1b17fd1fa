"""What the judge was asked and what it replied, and whether the replies can be believed.

DeepEval reads loose JSON: a verdict outside the vocabulary is dropped, a missing list is an
empty one, and an empty list scores 1 or 0. So each reply is held against the schema it was
asked for, as strictly as DeepEval's own models do it and as leniently as DeepEval reads words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any, cast, get_args

#: what a verdict may say; DeepEval writes "borderline" since 4.2, "idk" before
_WORDS = ("yes", "no", "idk", "borderline")
_VERDICT = re.compile(r"(.*_)?verdict")
#: what a metric has extracted first and asked verdicts on after, one verdict each
_ITEMS = (
    "statements", "claims", "opinions", "advices", "misuses", "role_violations", "extracted_pii",
)  # fmt: skip


@dataclass(slots=True)
class Asked:
    """One question to the judge: what the model's method was given, what it gave back."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    reply: Any = None
    answered: bool = False

    @property
    def schema(self) -> Any:
        return self.kwargs.get("schema")

    @property
    def prompt(self) -> str:
        parts = (*self.args, *(v for k, v in self.kwargs.items() if k != "schema"))
        return " ".join(part if isinstance(part, str) else repr(part) for part in parts)


@dataclass(slots=True)
class Log:
    """Every question of one measurement, in order."""

    asked: list[Asked] = field(default_factory=list)

    def watch(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method as it is, noting what goes in and comes out."""

        def call(*args: Any, **kwargs: Any) -> Any:
            asked = Asked(args, kwargs)
            self.asked.append(asked)
            asked.reply = method(*args, **kwargs)
            asked.answered = True
            return asked.reply

        return call

    def watch_async(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Do the same for a method that is awaited."""

        async def call(*args: Any, **kwargs: Any) -> Any:
            asked = Asked(args, kwargs)
            self.asked.append(asked)
            asked.reply = await method(*args, **kwargs)
            asked.answered = True
            return asked.reply

        return call

    def mentions(self, word: str) -> bool:
        return any(word in asked.prompt for asked in self.asked)

    def fault(self, silent_only: bool = False) -> str | None:
        """Return what is wrong with the first reply that does not fit, in one line.

        With ``silent_only`` a reply is passed over whose faults cannot stay silent.
        """
        passed_on: list[tuple[str, list[Any]]] = []
        for asked in self.asked:
            if silent_only and not _may_fail_in_silence(asked.schema):
                continue
            read = _answer(asked)
            if isinstance(read, str):
                return read
            if read is None:
                continue
            lost = _lost(read, asked.prompt, passed_on)
            if lost:
                return lost
            held = vars(read)
            passed_on += [(n, held[n]) for n in _ITEMS if isinstance(held.get(n), list)]
        return None

    def steps(self) -> Iterator[tuple[str, list[str]]]:
        """Yield prompt and result of every request for evaluation steps."""
        for asked in self.asked:
            if asked.answered and getattr(asked.schema, "__name__", "") == "Steps":
                read = _read(asked.schema, _bare(asked.reply))
                steps = getattr(read, "steps", None)
                if isinstance(steps, list) and steps:
                    yield asked.prompt, steps


def lost_verdicts(metric: Any, case: Any) -> str | None:
    """Return, in one line, that the judge passed over a context or instruction it was given.

    DeepEval divides by the verdicts it got: an item without one is left out in silence.
    """
    given = {
        "HallucinationMetric": ("contexts", getattr(case, "context", None)),
        "PromptAlignmentMetric": ("instructions", getattr(metric, "prompt_instructions", None)),
    }
    verdicts = getattr(metric, "verdicts", None)
    for kind in type(metric).__mro__:
        name, items = given.get(kind.__name__, ("", None))
        if isinstance(verdicts, list) and isinstance(items, list) and len(items) > len(verdicts):
            return _too_few(verdicts, items, name)
    return None


def _lost(read: Any, prompt: str, passed_on: list[tuple[str, list[Any]]]) -> str | None:
    """Return that there are fewer verdicts than items in the prompt they were asked on."""
    verdicts = vars(read).get("verdicts")
    if not passed_on or not isinstance(verdicts, list):
        return None
    for name, items in passed_on:
        if len(items) > len(verdicts):
            said = _folded(prompt)
            if all(_folded(str(item)) in said for item in items):
                return _too_few(verdicts, items, name)
    return None


def _too_few(verdicts: list[Any], items: list[Any], name: str) -> str:
    return f"the judge gave {len(verdicts)} verdicts on {len(items)} {name}"


def _folded(text: str) -> str:
    """Return letters and digits alone: a prompt may hold an item as JSON or as a Python repr."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)
    return re.sub(r"[\W_]+", "", re.sub(r"\\[nrt]", "", text))


def _answer(asked: Asked) -> Any:
    """Return what the reply says, a line saying why it cannot be read, None without a schema."""
    schema = asked.schema
    if not asked.answered or not hasattr(schema, "model_fields"):
        return None
    if not schema.__module__.startswith("deepeval."):
        return None  # how a metric of the user's own reads its replies is for the user to say
    reply = _bare(asked.reply)
    if reply is None or (isinstance(reply, str) and not reply.strip()):
        return "the judge's reply is empty"
    read = _read(schema, reply)
    if isinstance(read, str):
        return read
    odd = _odd_word(read) if _takes_any_word(schema) else None
    return read if odd is None else f"the judge's verdict {odd!r} is none of {', '.join(_WORDS)}"


def _bare(reply: Any) -> Any:
    """Return the reply without the cost that some models return beside it."""
    return reply[0] if isinstance(reply, tuple) and len(reply) == 2 else reply


def _read(schema: Any, reply: Any) -> Any:
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


def _odd_word(read: Any) -> str | None:
    """Return a verdict outside the vocabulary where DeepEval's schema itself allows any text."""
    if isinstance(read, list):
        return next((odd for entry in read if (odd := _odd_word(entry)) is not None), None)
    if not hasattr(type(read), "model_fields"):
        return None
    free = _free_fields(cast("Any", type(read)))
    for name, value in vars(read).items():
        if name in free:
            said = value if isinstance(value, list) else [value]
            odd = next((str(word) for word in said if _word(str(word)) not in _WORDS), None)
        else:
            odd = _odd_word(value)
        if odd is not None:
            return odd[:60]
    return None


@lru_cache(maxsize=256)
def _takes_any_word(schema: Any) -> bool:
    """Tell whether a verdict of this schema, or of one inside it, may be any text."""
    inside = (
        part
        for about in schema.model_fields.values()
        for part in (about.annotation, *get_args(about.annotation))
        if hasattr(part, "model_fields")
    )
    return bool(_free_fields(schema)) or any(_takes_any_word(part) for part in inside)


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
def _may_fail_in_silence(schema: Any) -> bool:
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
