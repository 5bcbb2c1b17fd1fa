"""Does the judged text reach the judge: a word of ours, and where it arrives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.judge import Unscorable
from ...core.sample import Sample
from ...errors import TargetError
from .state import FreshState

#: no word of any language, so that no judge finds a meaning in it
WORD = "quorvexlim"
_ANSWER = ("output", "messages", "choices")
_LEAST = 3  # characters of a field that count as seen in a prompt


def watched(touched: set[str]) -> type[FreshState]:
    """Return a TaskState that notes which of its fields are looked at."""

    def field(name: str) -> property:
        own = getattr(FreshState, name, None)

        def read(self: Any) -> Any:
            touched.add(name)
            if isinstance(own, property) and own.fget:
                return own.fget(self)
            return self.__dict__["_" + name]

        def write(self: Any, value: Any) -> None:
            if isinstance(own, property) and own.fset:
                own.fset(self, value)
            else:
                self.__dict__["_" + name] = value

        return property(read, write)

    names = ("input", "input_text", "metadata", "output", "messages", "choices")
    return type("WatchedState", (FreshState,), {name: field(name) for name in names})


def check(
    name: str, sample: Sample, asked: Sequence[Any], touched: set[str],
    failed: BaseException | None,
) -> None:
    """Raise TargetError when the answer reached neither a model nor the scorer.

    ``asked`` are the model events of a call on ``sample``, whose output holds ``WORD``.
    """
    if asked:
        prompts = [text for event in asked for text in _texts(event)]
        if any(WORD in text for text in prompts):
            return
        reads = [f for f, text in _fields(sample) if any(text in p for p in prompts)]
        raise TargetError(
            f"{name} never shows its model the judged text (state.output):"
            f" it reads {_listed(reads)}"
        )
    if failed is None and not touched.intersection(_ANSWER):
        reads = sorted(touched.intersection(("metadata", "input", "input_text")))
        raise TargetError(
            f"{name} never looks at the judged text (state.output): it reads"
            f" {_listed([f'state.{field}' for field in reads])}"
        )


def refused(events: Sequence[Any]) -> Unscorable | None:
    """Return why there is no score when the provider filtered the judge's reply."""
    for event in events:
        if event.event == "model" and event.output and event.output.choices:
            choice = event.output.choices[0]
            if choice.stop_reason == "content_filter":
                said = " ".join(choice.message.text.split())[:200]
                return Unscorable("blocked", f"the judge's reply was filtered: {said}".rstrip(" :"))
    return None


def _texts(event: Any) -> Iterator[str]:
    for message in event.input:
        yield message.text


def _fields(sample: Sample) -> Iterator[tuple[str, str]]:
    if sample.input:
        yield "input", sample.input
    if sample.reference:
        yield "reference (target)", sample.reference
    for passage in sample.context:
        yield "context", passage
    for key, value in sample.metadata.items():
        for text in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(text, str) and len(text) >= _LEAST:
                yield f"metadata['{key}']", text


def _listed(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(names)) or "nothing of the sample"
