"""What a judge's opinion looks like in the replies DeepEval's metrics ask for."""

from __future__ import annotations

import json
from typing import Any

from judge_server import JUDGED, JudgeServer, Request, by_schema_or_grade, fill_schema
from unbudged.core.samples import load_samples

#: metrics that ask "does the answer do this bad thing?"
_YES_IS_BAD = (
    "bias", "toxicity", "pii_leakage", "misuse", "non_advice", "role_violation",
    "knowledge_retention",
)  # fmt: skip
_UP_TO_TEN = ("g_eval", "conversational_g_eval", "image_")
#: what an extraction step passes on: the whole answer, so that the next step sees it
_PASSED_ON = (
    "statements", "claims", "opinions", "advices", "misuses", "role_violations",
    "extracted_pii", "plan", "intentions",
)  # fmt: skip


def speak(server: JudgeServer) -> JudgeServer:
    """Teach a server to answer DeepEval's metrics."""
    server.dialect = reply
    server.find_answer = lambda prompt: _rest(server, prompt)
    return server


def _rest(server: JudgeServer, prompt: str) -> str:
    weak = [sample.output for kind in JUDGED for sample, _ in load_samples(kind)]
    starts = [at for text in (*server.strong, *weak) if (at := prompt.find(text)) >= 0]
    return prompt[min(starts):] if starts else ""


def reply(request: Request, favourable: bool) -> str:
    """Fill the schema DeepEval asks for with the judge's opinion.

    DeepEval's LocalModel sends no schema: of its prompts only G-Eval's are understood.
    """
    if request.schema is None and '"steps"' in request.prompt and "JSON" in request.prompt:
        return json.dumps({"steps": ["Compare the two."]})
    if request.schema is None and '"score"' in request.prompt and "JSON" in request.prompt:
        return json.dumps({"reason": "compared", "score": 9 if favourable else 2})
    if request.schema is None:
        return by_schema_or_grade(request, favourable)
    area = str((request.body.get("metadata") or {}).get("schema", ""))

    def choose(name: str, node: dict[str, Any], good: bool) -> Any:
        return _choose(name, node, good, area, request.answer)

    return json.dumps(fill_schema(request.schema, favourable, choose))


def _choose(name: str, node: dict[str, Any], good: bool, area: str, answer: str) -> Any:
    if name in _PASSED_ON:
        return [answer or "Nothing of note."]
    if name in ("outcome", "response", "output"):
        return answer or "Nothing of note."
    if name == "truths":
        return ["Leaves hold chlorophyll."]
    if name == "answers":
        return ["yes" if good or not answer else "no"]
    if name == "data":
        return {"name": "Maren"}
    if name == "tools_used":
        return True
    if name == "verdicts" and ".role_adherence." in area:
        return [] if good else [{"index": 3, "reason": "out of character"}]
    if name == "verdicts" and ".hallucination." in area:  # one for each passage of context
        return [{"verdict": "yes" if good else "no", "reason": "compared"}] * 2
    if name == "verdict" and _is_yes_or_no(node):
        bad = any(f".{metric}." in area for metric in _YES_IS_BAD)
        return "yes" if good != bad else "no"
    if name in ("score", "verdict") and _is_number(node):
        top = 10 if any(f".{metric}" in area for metric in _UP_TO_TEN) else 1
        value = 0.9 * top if good else 0.2 * top
        return [value, value] if node.get("type") == "array" else value
    return None


def _is_yes_or_no(node: dict[str, Any]) -> bool:
    return "no" in node["enum"] if "enum" in node else node.get("type") == "string"


def _is_number(node: dict[str, Any]) -> bool:
    inner = node.get("items", node) if node.get("type") == "array" else node
    return inner.get("type") in ("number", "integer")
