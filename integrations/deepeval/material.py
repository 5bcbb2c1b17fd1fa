"""What the metrics under test need: samples with images, sound or tool servers, decision graphs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from deepeval.test_case import MCPServer, MLLMImage, MultiTurnParams, SingleTurnParams

from unbudged import Sample
from unbudged.core.samples import load_samples

WEAK, STRONG = load_samples()[0]
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# held here: before DeepEval 4 an image is forgotten with its last reference
_IMAGE = MLLMImage(dataBase64=_PIXEL, mimeType="image/png", _id="0" * 32)

def dag() -> Any:
    from deepeval.metrics.dag import BinaryJudgementNode, DeepAcyclicGraph, VerdictNode

    node = BinaryJudgementNode(
        criteria="Is the answer right?",
        evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
        children=[VerdictNode(verdict=False, score=0), VerdictNode(verdict=True, score=10)],
    )
    return DeepAcyclicGraph(root_nodes=[node])


def talk_dag() -> Any:
    from deepeval.metrics.conversational_dag import (
        ConversationalBinaryJudgementNode,
        ConversationalVerdictNode,
    )
    from deepeval.metrics.dag import DeepAcyclicGraph

    node = ConversationalBinaryJudgementNode(
        criteria="Is the last answer right?",
        evaluation_params=[MultiTurnParams.ROLE, MultiTurnParams.CONTENT],
        children=[
            ConversationalVerdictNode(verdict=False, score=0),
            ConversationalVerdictNode(verdict=True, score=10),
        ],
    )
    return DeepAcyclicGraph(root_nodes=[node])


def schema() -> Any:
    from pydantic import BaseModel

    class Anything(BaseModel):
        answer: str

    return Anything


def tool_call() -> Any:
    from deepeval.test_case import ToolCall

    return ToolCall(name="search_textbook", description="Search a textbook")


def _with(**fields: Any) -> Callable[[Sample], Sample]:
    return lambda sample: replace(sample, metadata={**sample.metadata, **fields})


def json_text(sample: Sample) -> Sample:
    return sample.with_output('{"answer": "green"}') if sample.output == STRONG.output else sample


def exact(sample: Sample) -> Sample:
    return sample.with_output(str(sample.reference)) if sample.output == STRONG.output else sample


def image(sample: Sample) -> Sample:
    return sample.with_output(f"{sample.output} {_IMAGE}")


def only_image(sample: Sample) -> Sample:
    return sample.with_output(str(_IMAGE))


def edited(sample: Sample) -> Sample:
    shown = only_image(sample)
    return replace(shown, input=f"Make it greener. {shown.output}")


def spoken(sample: Sample) -> Sample:
    from deepeval.test_case import Audio, Turn

    audio = Audio.from_bytes(_wave(), "audio/wav")
    said = [
        Turn(role=turn["role"], content=turn["content"], audio=audio,
             provider_transcript=turn["content"])
        for turn in sample.metadata["turns"]
    ]  # fmt: skip
    return replace(sample, metadata={**sample.metadata, "turns": said})


def _wave() -> bytes:
    import io
    import wave

    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * 8000)
    return data.getvalue()


def mcp(sample: Sample) -> Sample:
    from mcp.types import Tool

    tool = Tool(name="search_textbook", inputSchema={"type": "object"})
    return _with(mcp_servers=[MCPServer("textbooks", available_tools=[tool])])(sample)


def long_mcp(sample: Sample) -> Sample:
    turns = [*sample.metadata["turns"], {"role": "assistant", "content": "Let me look it up."}]
    return _with(turns=turns)(mcp(sample))


