"""Scan one framework's scorer with a judge behind a URL and write what came out as JSON.

Run with the Python of an environment that holds the framework:
``python ci/real_judge/scan.py inspect_ai|deepeval|weave URL MODEL OUT.json``
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import unbudged
from unbudged.core.samples import load_samples

SECONDS = 120


def inspect_ai(url: str, model: str) -> Any:
    """Inspect's own model_graded_qa: the reference in its prompt, a grade C or I."""
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.scorer import model_graded_qa

    config = GenerateConfig(
        temperature=0.0, max_tokens=256, max_retries=1, timeout=SECONDS, max_connections=1
    )
    judge = get_model(f"openai-api/judge/{model}", base_url=url, api_key="none", config=config)
    return model_graded_qa(
        instructions="Does the submission state the same facts as the criterion? Reply GRADE: C"
        " for yes or GRADE: I for no, and nothing else.",
        model=judge,
    )


def deepeval(url: str, model: str) -> Any:
    """A DeepEval GEval without a reference, a score of 0 to 10 brought to 0 to 1."""
    from deepeval.metrics import GEval
    from deepeval.test_case import SingleTurnParams

    from deepeval.models import LocalModel

    return GEval(
        name="Quality",
        evaluation_steps=[
            "Rate from 0 to 10 how good the actual output is as an answer to the input. 10 is a"
            " full and correct answer, 5 a partly correct one, 0 a wrong one."
        ],
        evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
        model=LocalModel(model=model, base_url=url, api_key="none", temperature=0),
    )


def weave(url: str, model: str) -> Any:
    """A Weave scorer as people write them: facts in the prompt, a number from 1 to 10."""
    import weave as framework

    class Rating(framework.Scorer):
        @framework.op
        def score(self, output: str, input: str, context: list[str]) -> dict[str, int]:
            facts = "\n".join(f"- {fact}" for fact in context)
            prompt = (
                f"You rate answers to questions.\n\nQuestion: {input}\n\nFacts:\n{facts}\n\n"
                f"Answer: {output}\n\nHow well does the answer agree with the facts, from 1 (not at"
                " all) to 10 (fully)? Reply with the number only."
            )
            return {"rating": int(ask(url, model, prompt).strip())}

    return Rating()


def ask(url: str, model: str, prompt: str) -> str:
    """Return the reply of a chat model to one message, at temperature 0."""
    body = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
        "max_tokens": 8,
    }
    request = urllib.request.Request(
        f"{url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}",
        },
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as reply:
        text: str = json.load(reply)["choices"][0]["message"]["content"]
    return text


#: framework -> what it scans, in words, how to build it, options of the scan
SCANS: dict[str, tuple[str, Callable[[str, str], Any], dict[str, Any]]] = {
    "inspect_ai": ("`model_graded_qa`, reference in the prompt, grade C or I", inspect_ai, {}),
    # a small model tends to give every answer the GEval of its prompt's example: no contrast
    "deepeval": ("`GEval`, no reference, 0 to 10 brought to 0 to 1", deepeval, {"contrast": None}),
    "weave": ("a `Scorer` of one's own, facts in the prompt, 1 to 10", weave, {"scale": (1, 10)}),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Scan one framework's scorer with a real judge.")
    parser.add_argument("framework", choices=sorted(SCANS))
    parser.add_argument("url")
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--topic", action="append", required=True)
    parser.add_argument("--corpus", default="core")
    parser.add_argument("--attack", action="append", required=True)
    parser.add_argument("--max-calls", type=int, default=600)
    given = parser.parse_args()
    words, build, options = SCANS[given.framework]
    pairs = [pair for pair in load_samples() if pair[0].metadata["topic"] in given.topic]
    weak, strong = ([pair[side] for pair in pairs] for side in (0, 1))
    started = time.monotonic()
    report = unbudged.run(
        build(given.url, given.model), weak, attacks=given.attack, corpus=given.corpus,
        journal=given.out.with_suffix(".db"),  # what was paid for outlives a session
        **{"contrast": (strong, weak), "max_calls": given.max_calls, **options},
    )  # fmt: skip
    record = {
        "framework": given.framework,
        "scorer": words,
        "seconds": time.monotonic() - started,
        "text": report.to_text(quiet=True),
        "report": json.loads(report.to_json()),
    }
    given.out.write_text(json.dumps(record, indent=1), encoding="utf-8")
    print(f"{given.framework}: {report.verdict}, {report.calls} calls", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
