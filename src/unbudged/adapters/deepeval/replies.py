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
from typing import Any, cast

from .schemas import (
    WORDS,
    is_shipped,
    may_fail_in_silence,
    odd_word,
    read_reply,
    takes_any_word,
)

#: what a metric has extracted first and asked verdicts on after, one verdict each
_ITEMS = frozenset((
    "statements", "claims", "opinions", "advices", "misuses", "role_violations", "extracted_pii",
))  # fmt: skip
#: metrics that ask a verdict on each item they were given: their name for the items, whether the
#: test case holds them (else the metric), in which attribute
_GIVEN = {
    "HallucinationMetric": ("contexts", True, "context"),
    "PromptAlignmentMetric": ("instructions", False, "prompt_instructions"),
}


@dataclass(slots=True)
class Asked:
    """One question to the judge: what the model's method was given, what it gave back."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    reply: Any = None
    answered: bool = False

    @property
    def schema(self) -> Any:
        schema = self.kwargs.get("schema")
        return schema if isinstance(schema, type) else None  # a user's own may be anything

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
            if silent_only and not may_fail_in_silence(asked.schema):
                continue
            read = _answer(asked)
            if isinstance(read, str):
                return read
            if read is None:
                continue
            held = vars(read)
            lost = _lost(held.get("verdicts"), asked, passed_on) if passed_on else None
            if lost:
                return lost
            passed_on += [(n, v) for n, v in held.items() if n in _ITEMS and isinstance(v, list)]
        return None

    def steps(self) -> Iterator[tuple[str, list[str]]]:
        """Yield prompt and result of every request for evaluation steps."""
        for asked in self.asked:
            if asked.answered and getattr(asked.schema, "__name__", "") == "Steps":
                read = read_reply(asked.schema, _bare(asked.reply))
                steps = getattr(read, "steps", None)
                if isinstance(steps, list) and steps:
                    yield asked.prompt, steps


def lost_verdicts(metric: Any, case: Any) -> str | None:
    """Return, in one line, that the judge passed over a context or instruction it was given.

    DeepEval divides by the verdicts it got: an item without one is left out in silence.
    """
    verdicts = getattr(metric, "verdicts", None)
    for name, in_case, attribute in _given(cast("Any", type(metric))):
        items = getattr(case if in_case else metric, attribute, None)
        if isinstance(verdicts, list) and isinstance(items, list) and len(items) > len(verdicts):
            return _too_few(verdicts, items, name)
    return None


@lru_cache(maxsize=256)
def _given(kind: type) -> tuple[tuple[str, bool, str], ...]:
    return tuple(_GIVEN[base.__name__] for base in kind.__mro__ if base.__name__ in _GIVEN)


def _lost(verdicts: Any, asked: Asked, passed_on: list[tuple[str, list[Any]]]) -> str | None:
    """Return that there are fewer verdicts than items in the prompt they were asked on."""
    if not isinstance(verdicts, list):
        return None
    for name, items in passed_on:
        if len(items) > len(verdicts):
            said = _folded(asked.prompt)
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
    if not asked.answered or schema is None or not is_shipped(schema):
        return None  # how a metric of the user's own reads its replies is for the user to say
    reply = _bare(asked.reply)
    if reply is None or (isinstance(reply, str) and not reply.strip()):
        return "the judge's reply is empty"
    read = read_reply(schema, reply)
    if isinstance(read, str):
        return read
    odd = odd_word(read) if takes_any_word(schema) else None
    return read if odd is None else f"the judge's verdict {odd!r} is none of {', '.join(WORDS)}"


def _bare(reply: Any) -> Any:
    """Return the reply without the cost that some models return beside it."""
    return reply[0] if isinstance(reply, tuple) and len(reply) == 2 else reply
