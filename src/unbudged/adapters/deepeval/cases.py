"""From a sample to DeepEval's test case, and what a sample lacks for a metric."""

from __future__ import annotations

import copy
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
    fixed: dict[int, tuple[Sample, dict[str, Any]]] = {}
    talks, with_trace = kind == "conversation", traits.reads_trace(metric)
    make = import_module("deepeval.test_case").LLMTestCase

    def build(sample: Sample) -> Any:
        # a scan changes nothing but the output of a few samples
        known, fields = fixed.get(id(sample.metadata), (None, {}))
        if known is None or not _same_but_output(known, sample):
            fields = _talk_fields(sample) if talks else _fields(sample)
            fixed[id(sample.metadata)] = sample, fields
        if talks:
            return _conversation_case(fields, sample.output)
        case = make(**{**fields, "actual_output": sample.output})
        if with_trace:
            case._trace_dict = _trace(sample)
        return case

    return build


def _same_but_output(one: Sample, other: Sample) -> bool:
    return (
        one.metadata is other.metadata
        and one.input is other.input
        and one.reference is other.reference
        and one.context is other.context
    )


def _fields(sample: Sample) -> dict[str, Any]:
    module = import_module("deepeval.test_case")
    fields = {name: value for name, value in _single(sample).items() if value is not None}
    for name in ("tools_called", "expected_tools"):
        if name in fields:
            fields[name] = [_tool(module, tool) for tool in fields[name]]
    if "mcp_servers" in fields:
        fields["mcp_servers"] = [_server(module, server) for server in fields["mcp_servers"]]
    return {"input": "", **fields}


def _trace(sample: Sample) -> dict[str, Any]:
    """Return the trace of an agent that answered with the judged text."""
    given = sample.metadata.get("trace")
    if isinstance(given, Mapping):
        return {"name": "agent", "type": "agent", **given, "output": sample.output}
    trace = {"name": "agent", "type": "agent", "output": sample.output, "children": []}
    return trace if sample.input is None else {**trace, "input": sample.input}


def _talk_fields(sample: Sample) -> dict[str, Any]:
    module = import_module("deepeval.test_case")
    fields = {name: value for name, value in _conversation(sample).items() if value is not None}
    last = fields["last"]
    if "tools_called" in last:
        last["tools_called"] = [_tool(module, tool) for tool in last["tools_called"]]
    if "mcp_servers" in fields:
        fields["mcp_servers"] = [_server(module, server) for server in fields["mcp_servers"]]
    return {**fields, "turns": [_turn(module, turn) for turn in fields["turns"]]}


def _conversation_case(fields: dict[str, Any], output: str) -> Any:
    """Return the ConversationalTestCase in which the judged text is the last assistant turn."""
    module = sys.modules["deepeval.test_case"]
    last = module.Turn(**{"role": "assistant", "content": output, **fields["last"]})
    # copies: DeepEval takes turns as they are, and a metric may write on them
    turns = [copy.copy(turn) for turn in fields["turns"]]
    given = {name: value for name, value in fields.items() if name != "last"}
    return module.ConversationalTestCase(**{**given, "turns": [*turns, last]})


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
        if traits.needs_image(metric) and not _MARK.search(sample.output):
            raise UsageError(
                f"{name} needs an image in the answer, which sample {_label(sample)} lacks:"
                " put str(MLLMImage(...)) into its Sample output"
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
    if "[DEEPEVAL:" not in text:
        return None
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
        "mcp_servers": _listed(own.get("mcp_servers")),
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
        "mcp_servers": _listed(own.get("mcp_servers")),
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


def _server(module: Any, server: Any) -> Any:
    return module.MCPServer(**server) if isinstance(server, Mapping) else server


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
