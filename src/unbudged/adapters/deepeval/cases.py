"""From a sample to DeepEval's test case, and what a sample lacks for a metric."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from ...core.sample import Sample
from ...errors import UsageError
from . import traits

#: DeepEval's field -> where a Sample keeps it; every other field is an entry of its metadata
_HOME = {
    "input": "input", "actual_output": "output", "content": "output", "role": "output",
    "expected_output": "reference", "context": "context",
    "retrieval_context": 'context (or metadata["retrieval_context"])',
    "expected_outcome": 'reference (or metadata["expected_outcome"])',
    "audio": 'metadata["turns"] with audio', "provider_transcript": 'metadata["turns"] with it',
}  # fmt: skip
_SINGLE = (
    "metadata", "tags", "comments", "name", "mcp_servers", "mcp_tools_called",
    "mcp_resources_called", "mcp_prompts_called", "custom_column_key_values",
)  # fmt: skip
FIELDS = (
    "input", "expected_output", "context", "retrieval_context", "tools_called", "expected_tools",
    *_SINGLE,
)  # fmt: skip
_CONVERSATION = (
    "scenario", "user_description", "chatbot_role", "metadata", "tags", "comments", "name",
    "mcp_servers",
)  # fmt: skip
_TURN = ("mcp_tools_called", "mcp_resources_called", "mcp_prompts_called")
_MARK = re.compile(r"\[DEEPEVAL:(?:IMAGE|PDF):(.*?)\]")

Build = Callable[[Sample], Any]


def builder(metric: Any, kind: traits.Kind) -> Build:
    """Return the function that makes a metric's test case of a sample."""
    if kind == "conversation":
        return conversation
    if traits.reads_trace(metric):
        return _with_trace
    return single


def single(sample: Sample) -> Any:
    """Return the LLMTestCase of a sample; the judged text goes in unchanged."""
    module = import_module("deepeval.test_case")
    fields = {name: value for name, value in _single(sample).items() if value is not None}
    for name in ("tools_called", "expected_tools"):
        if name in fields:
            fields[name] = [_tool(module, tool) for tool in fields[name]]
    return module.LLMTestCase(**{"input": "", **fields})


def conversation(sample: Sample) -> Any:
    """Return the ConversationalTestCase in which the judged text is the last assistant turn."""
    module = import_module("deepeval.test_case")
    fields = {name: value for name, value in _conversation(sample).items() if value is not None}
    last = {"role": "assistant", "content": sample.output, **fields.pop("last")}
    if "tools_called" in last:
        last["tools_called"] = [_tool(module, tool) for tool in last["tools_called"]]
    fields["turns"] = [_turn(module, turn) for turn in (*fields["turns"], last)]
    return module.ConversationalTestCase(**fields)


def _with_trace(sample: Sample) -> Any:
    case = single(sample)
    given = sample.metadata.get("trace")
    trace: dict[str, Any] = {"name": "agent", "type": "agent", "children": []}
    if isinstance(given, Mapping):
        trace.update(given)
    elif sample.input is not None:
        trace["input"] = sample.input
    trace["output"] = sample.output
    case._trace_dict = trace
    return case


def check(metric: Any, kind: traits.Kind, samples: Iterable[Sample]) -> None:
    """Raise UsageError, one line, when a sample lacks what the metric requires."""
    name = traits.name_of(metric)
    needed = traits.required_fields(metric, kind)
    for sample in samples:
        found = _conversation(sample) if kind == "conversation" else _single(sample)
        turns = found.get("turns") or ()
        for field in needed:
            if not _has(field, found, turns):
                home = _HOME.get(field, f'metadata["{field}"]')
                raise UsageError(
                    f"{name} needs {field}, which sample {_label(sample)} lacks:"
                    f" give its Sample {home}"
                )
        asks_user = kind == "conversation" and traits.needs_user_turn(metric)
        if asks_user and not any(_part(turn, "role") == "user" for turn in turns):
            raise UsageError(
                f"{name} needs a user turn before the answer, which sample {_label(sample)}"
                ' lacks: give its Sample input (or metadata["turns"])'
            )
        hidden = smuggled(sample.output)
        if hidden:
            raise UsageError(
                f"sample {_label(sample)} holds {hidden!r}, which DeepEval would open as a"
                " file or an address: take it out, or make the image before the scan"
            )
        try:
            builder(metric, kind)(sample)
        except Exception as error:  # noqa: BLE001 - pydantic and DeepEval raise many kinds
            first = " ".join(str(error).split())[:200]
            raise UsageError(
                f"DeepEval refuses the test case of sample {_label(sample)}: {first}"
            ) from None


def smuggled(text: str) -> str | None:
    """Return the first marker that DeepEval would open as a file or fetch, None without one.

    The marker of an image made beforehand names an image in memory, and is harmless.
    """
    module = sys.modules.get("deepeval.test_case.llm_test_case")
    known = getattr(module, "_MLLM_IMAGE_REGISTRY", {})
    return next((m[0] for m in _MARK.finditer(text) if m[1] not in known), None)


def _single(sample: Sample) -> dict[str, Any]:
    own, context = sample.metadata, list(sample.context) or None
    return {
        "input": sample.input,
        "actual_output": sample.output,
        "expected_output": sample.reference,
        "context": context,
        "retrieval_context": _listed(own.get("retrieval_context")) or context,
        "tools_called": _listed(own.get("tools_called")),
        "expected_tools": _listed(own.get("expected_tools")),
        **{name: own.get(name) for name in _SINGLE},
    }


def _conversation(sample: Sample) -> dict[str, Any]:
    own, context = sample.metadata, list(sample.context) or None
    turns = list(own.get("turns") or ())
    if not turns and sample.input is not None:
        turns = [{"role": "user", "content": sample.input}]
    last = {
        "retrieval_context": _listed(own.get("retrieval_context")) or context,
        "tools_called": _listed(own.get("tools_called")),
        **{name: own.get(name) for name in _TURN},
    }
    return {
        "turns": turns,
        "last": {name: value for name, value in last.items() if value is not None},
        "context": context,
        "expected_outcome": own.get("expected_outcome") or sample.reference,
        **{name: own.get(name) for name in _CONVERSATION},
    }


def _has(field: str, found: Mapping[str, Any], turns: Iterable[Any]) -> bool:
    if field in ("content", "role"):
        return True
    if field in ("audio", "provider_transcript"):
        return any(_part(turn, field) is not None for turn in turns)
    return any(place.get(field) is not None for place in (found, found.get("last", {})))


def _listed(value: Any) -> list[Any] | None:
    if value is None:
        return None
    return [value] if isinstance(value, (str, Mapping)) else list(value)


def _tool(module: Any, tool: Any) -> Any:
    if isinstance(tool, Mapping):
        return module.ToolCall(**tool)
    return module.ToolCall(name=tool) if isinstance(tool, str) else tool


def _turn(module: Any, turn: Any) -> Any:
    return module.Turn(**turn) if isinstance(turn, Mapping) else turn


def _part(turn: Any, name: str) -> Any:
    return turn.get(name) if isinstance(turn, Mapping) else getattr(turn, name, None)


def _label(sample: Sample) -> str:
    if sample.id:
        return repr(sample.id)
    text = " ".join(sample.output.split())
    return repr(text if len(text) <= 40 else text[:37] + "...")


def watch(case: Any) -> set[str]:
    """Make a test case note which of its attributes are read; return the set it fills."""
    reads: set[str] = set()
    kind = type(case)

    class Watched(kind):  # type: ignore[misc, valid-type]
        def __getattribute__(self, name: str) -> Any:
            reads.add(name)
            return super().__getattribute__(name)

    object.__setattr__(case, "__class__", Watched)
    return reads
