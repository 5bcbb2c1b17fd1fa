"""Judge models for DeepEval's metrics that ask the judge server over HTTP."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import Any

from deepeval.models import DeepEvalBaseLLM


def ask(base_url: str, prompt: str, schema: type | None = None) -> str:
    """Return the server's reply to one prompt; raises what urllib raises."""
    body: dict[str, Any] = {
        "model": "judge", "messages": [{"role": "user", "content": prompt}]
    }  # fmt: skip
    if schema is not None:
        form = {"name": schema.__name__, "schema": schema.model_json_schema()}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
        # which metric asks: the server's dialect needs to know what "yes" means there
        body["metadata"] = {"schema": f"{schema.__module__}.{schema.__name__}"}
    request = urllib.request.Request(
        f"{base_url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=2.0) as reply:
        return str(json.load(reply)["choices"][0]["message"]["content"])


class HttpModel(DeepEvalBaseLLM):
    """A model of the user's own, as DeepEval's documentation shows: text in, text out.

    With ``fills_schema`` it returns an instance of the schema it was asked for.
    """

    def __init__(self, base_url: str, fills_schema: bool = False) -> None:
        self.base_url, self.fills_schema = base_url, fills_schema
        super().__init__("judge")

    def load_model(self) -> HttpModel:
        return self

    def generate(self, prompt: str, schema: Any = None) -> Any:
        text = ask(self.base_url, prompt, schema)
        return schema.model_validate_json(text) if schema and self.fills_schema else text

    async def a_generate(self, prompt: str, schema: Any = None) -> Any:
        return await asyncio.to_thread(self.generate, prompt, schema)

    def get_model_name(self) -> str:
        return "judge over HTTP"

    def supports_multimodal(self) -> bool:
        return True


def decider(base_url: str) -> Any:
    """Return a System One model that asks the judge server; DeepEval has them since 4.3."""
    from deepeval.models.base_model import DeepEvalBaseSystemOneModel
    from deepeval.models.system_one import schema as answers

    class HttpDecider(DeepEvalBaseSystemOneModel):
        def load_model(self) -> Any:
            return self

        def get_model_name(self) -> str:
            return "decider over HTTP"

        def decide(self, state: Any, questions: dict[str, Any]) -> tuple[Any, None]:
            said = ask(base_url, json.dumps(state, ensure_ascii=False))
            likely = 0.9 if "GRADE: C" in said else 0.1
            if "GRADE: " not in said:
                raise ValueError(f"no grade in {said!r}")
            nouls = {name: answers.NoulAnswer(probability=likely) for name in questions}
            return answers.SystemOneAnswers(nouls=nouls), None

        async def a_decide(self, state: Any, questions: dict[str, Any]) -> tuple[Any, None]:
            return await asyncio.to_thread(self.decide, state, questions)

    return HttpDecider("decider")
