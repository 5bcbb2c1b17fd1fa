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
_PLAIN = (str, int, float, bool, type(None))


async def make_state(sample: Sample, epoch: int, kind: type[Any] = TaskState) -> Any:
    """Return a state as after the last solver: the answer is the output and the last message.

    ``metadata['choices']`` become the choices, marked as Inspect's own multiple choice
    solver marks them; ``metadata['messages']`` (role and content each) is the
    conversation before the answer, else it is the question alone. ``context`` joins the
    metadata. Nothing mutable is shared with the sample or with another state.
    """
    metadata = _metadata(sample)
    output = ModelOutput.from_content(_MODEL, sample.output)
    before = metadata.get("messages")
    question: Any = sample.input or ""
    if before:
        question = [message(entry) for entry in before]
    asked = list(question) if before else [ChatMessageUser(content=question)]
    choices = metadata.get("choices")
    state = kind(
        model=_NAME, sample_id=sample.id or 1, epoch=epoch, input=question,
        messages=asked if choices else [*asked, output.message],
        target=make_target(sample), choices=list(choices) if choices else None,
        output=output, completed=True, metadata=metadata,
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
    metadata = dict(sample.metadata)
    if not all(isinstance(value, _PLAIN) for value in metadata.values()):
        metadata = copy.deepcopy(metadata)
    if sample.context:
        metadata.setdefault("context", list(sample.context))
    return metadata


async def _marked(state: Any, output: Any) -> Any:
    async def generate(state: Any, *args: Any, **options: Any) -> Any:
        state.output = output
        state.messages.append(output.message)
        return state

    several = len(state.target) > 1 or len(state.target.text.replace(",", "").split()) > 1
    return await multiple_choice(multiple_correct=several)(state, generate)
