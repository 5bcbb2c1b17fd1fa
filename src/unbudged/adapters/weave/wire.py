"""The calls an LLM scorer makes, watched on a copy of it: what is sent, what it costs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

#: where Weave's LLM scorers keep the functions that call a model
_CALLS = ("_acompletion", "_aembedding", "_amoderation")


@dataclass(slots=True)
class Exchange:
    """What one reading sent, to which model, what it used, and whether the provider cut a
    reply off."""

    sent: list[Any] = field(default_factory=list)
    filtered: bool = False
    model: str | None = None
    temperature: float | None = None
    usage: dict[str, float] = field(default_factory=dict)

    def text(self) -> str:
        """Return every text that was sent, one after the other."""
        return "\n".join(texts_in(self.sent))


_NOTHING = Exchange()
_current: ContextVar[Exchange | None] = ContextVar("unbudged_weave_exchange", default=None)


class Wire:
    """Watch the model calls of one scorer; ``costs`` sums tokens, and money where counted."""

    def __init__(self) -> None:
        self.costs: dict[str, float] = {}
        self.tapped = False

    def tap(self, scorer: Any) -> Any:
        """Return a copy of an LLM scorer whose calls are watched; anything else as it is."""
        private = getattr(scorer, "__pydantic_private__", None) or {}
        calls = [name for name in _CALLS if callable(private.get(name))]
        if not calls:
            return scorer
        self.tapped = True
        copy = scorer.model_copy()
        for name in calls:
            setattr(copy, name, self._watched(private[name]))
        return copy

    @contextmanager
    def exchange(self) -> Iterator[Exchange]:
        """Collect what the calls within send; a reading's own tasks included.

        An exchange within an exchange is the outer one.
        """
        if not self.tapped:
            yield _NOTHING
            return
        outer = _current.get()
        if outer is not None:
            yield outer
            return
        seen = Exchange()
        token = _current.set(seen)
        try:
            yield seen
        finally:
            _current.reset(token)

    def _watched(self, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def watched(*args: Any, **kwargs: Any) -> Any:
            seen = _current.get()
            if seen is not None:
                seen.sent += [kwargs.get("messages"), kwargs.get("input"), *args]
            response = await call(*args, **kwargs)
            used = _used(response)
            _add(self.costs, used)
            if seen is not None:
                seen.filtered = seen.filtered or _filtered(response)
                seen.model = kwargs.get("model") or seen.model
                seen.temperature = kwargs.get("temperature", seen.temperature)
                _add(seen.usage, used)
            return response

        return watched


def _used(response: Any) -> dict[str, float]:
    """Return the tokens, and the US dollars where counted, that a reply says it took."""
    usage = getattr(response, "usage", None)
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    found = {name: getattr(usage, name, None) for name in names}
    found["usd"] = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    return {k: v for k, v in found.items() if isinstance(v, (int, float)) and v > 0}


def _add(sums: dict[str, float], more: dict[str, float]) -> None:
    for name, number in more.items():
        sums[name] = sums.get(name, 0) + number


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in nested lists and dicts, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_in(item)


def _filtered(response: Any) -> bool:
    choices = getattr(response, "choices", None) or ()
    return any(getattr(choice, "finish_reason", None) == "content_filter" for choice in choices)
