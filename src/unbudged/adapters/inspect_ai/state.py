"""A Sample as the TaskState and Target a scorer of Inspect AI is given."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelName,
    ModelOutput,
)
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState, multiple_choice

from ...core.sample import Sample
from ...errors import UsageError

_MODEL = "none/none"
_NAME = ModelName(_MODEL)
_ROLES: dict[str, Any] = {
    "system": ChatMessageSystem, "user": ChatMessageUser,
    "assistant": ChatMessageAssistant, "tool": ChatMessageTool,
}  # fmt: skip
_PLAIN = frozenset((str, int, float, bool, type(None)))


class FreshState(TaskState):  # type: ignore[misc, unused-ignore]
    """A state that copies the sample's metadata only when the scorer looks at it."""

    def __init__(self, sample: Sample, **given: Any) -> None:
        super().__init__(sample_id=sample.id or 1, **given)
        self._sample: Sample | None = sample

    @property
    def metadata(self) -> dict[str, Any]:
        if self._sample is not None:
            self._metadata, self._sample = _metadata(self._sample), None
        made: dict[str, Any] = self._metadata
        return made

    @metadata.setter
    def metadata(self, metadata: dict[str, Any]) -> None:
        self._metadata, self._sample = metadata, None


async def make_state(
    sample: Sample, target: Any, epoch: int, kind: type[FreshState] = FreshState
) -> Any:
    """Return a state as after the last solver: the answer is the output and the last message.

    ``metadata['choices']`` become the choices, marked as Inspect's own multiple choice
    solver marks them; ``metadata['messages']`` (role and content each) is the
    conversation before the answer, else it is the question alone. ``context`` joins the
    metadata. Nothing mutable is shared with the sample or with another state.
    """
    output = ModelOutput.from_content(_MODEL, sample.output)
    before, choices = sample.metadata.get("messages"), sample.metadata.get("choices")
    question: Any = [message(entry) for entry in before] if before else sample.input or ""
    asked = list(question) if before else [ChatMessageUser(content=question)]
    state = kind(
        sample, model=_NAME, epoch=epoch, input=question,
        messages=asked if choices else [*asked, output.message],
        target=target, choices=list(choices) if choices else None,
        output=output, completed=True,
    )  # fmt: skip
    return await _marked(state, output) if choices else state


def make_target(sample: Sample) -> Any:
    """Return the Target: ``metadata['target']`` when it is a list, else the reference."""
    several = sample.metadata.get("target")
    if isinstance(several, (list, tuple)):
        return Target([str(entry) for entry in several])
    return Target(sample.reference or "")


def message(entry: Any) -> Any:
    """Return a chat message of a mapping with role and content; raises UsageError."""
    if not isinstance(entry, Mapping):
        if hasattr(entry, "role") and hasattr(entry, "content"):
            return copy.deepcopy(entry)
        raise UsageError("metadata['messages'] holds mappings with role and content")
    make = _ROLES.get(str(entry.get("role")))
    if make is None:
        raise UsageError(f"role {entry.get('role')!r} is not one of {', '.join(_ROLES)}")
    return make(content=str(entry.get("content", "")))


def _metadata(sample: Sample) -> dict[str, Any]:
    metadata = {name: _fresh(value) for name, value in sample.metadata.items()}
    if sample.context:
        metadata.setdefault("context", list(sample.context))
    return metadata


def _fresh(value: Any) -> Any:
    """Return a deep copy; several times faster than the library's for plain containers."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list:
        return [entry if type(entry) is str else _fresh(entry) for entry in value]
    if kind is dict:
        return {key: v if type(v) is str else _fresh(v) for key, v in value.items()}
    return copy.deepcopy(value)


async def _marked(state: Any, output: Any) -> Any:
    async def generate(state: Any, *args: Any, **options: Any) -> Any:
        state.output = output
        state.messages.append(output.message)
        return state

    several = len(state.target) > 1 or len(state.target.text.replace(",", "").split()) > 1
    return await multiple_choice(multiple_correct=several)(state, generate)
