"""What an adapter costs per call: processor time against a bare loop over the same framework.

Run with the Python of an environment that holds the framework:
``python ci/bench/overhead.py inspect_ai|deepeval|weave [--check]``. The bare loop builds the
same state, test case or row for each text and makes the framework's own call, nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
os.environ.setdefault("WANDB_ERROR_REPORTING", "false")

from unbudged import Sample
from unbudged.core.samples import load_samples

LIMIT = 0.25
#: batches of calls, bare and adapter in turn; the median of the pairs' ratios is the figure
ROUNDS = 15
JUDGED = ("model_graded_qa", "BiasMetric", "a Scorer with a judge")

Call = Callable[[str], Awaitable[Any]]
SAMPLE = load_samples()[0][0]


def inspect_ai() -> dict[str, tuple[Any, Call]]:
    """Two scorers without a model and, behind a local server, one with."""
    from inspect_ai.model import (
        ChatMessageUser,
        GenerateConfig,
        ModelName,
        ModelOutput,
        get_model,
    )
    from inspect_ai.scorer import Target, f1, includes, model_graded_qa
    from inspect_ai.solver import TaskState

    def bare(scorer: Any) -> Call:
        async def call(text: str) -> Any:
            output = ModelOutput.from_content("none/none", text)
            target = Target(SAMPLE.reference or "")
            state = TaskState(
                model=ModelName("none/none"), sample_id=1, epoch=1, input=SAMPLE.input or "",
                messages=[ChatMessageUser(content=SAMPLE.input or ""), output.message],
                target=target, output=output, completed=True, metadata=dict(SAMPLE.metadata),
            )  # fmt: skip
            return await scorer(state, target)

        return call

    judge = get_model(
        "openai-api/judge/judge", base_url=server_url(), api_key="none",
        config=GenerateConfig(temperature=0.0, max_retries=0),
    )  # fmt: skip
    scorers = {"includes": includes(), "f1": f1(), "model_graded_qa": model_graded_qa(model=judge)}
    return {name: (scorer, bare(scorer)) for name, scorer in scorers.items()}


def deepeval() -> dict[str, tuple[Any, Call]]:
    """Two metrics without a model and, behind a local server, one with."""
    from deepeval.metrics import BiasMetric, ExactMatchMetric, PatternMatchMetric
    from deepeval.test_case import LLMTestCase, ToolCall

    from deepeval.models import LocalModel

    tools = {
        name: [ToolCall(**tool) for tool in SAMPLE.metadata[name]]
        for name in ("tools_called", "expected_tools")
    }

    def bare(metric: Any) -> Call:
        async def call(text: str) -> Any:
            case = LLMTestCase(
                input=SAMPLE.input or "", actual_output=text, expected_output=SAMPLE.reference,
                context=list(SAMPLE.context),
                retrieval_context=SAMPLE.metadata["retrieval_context"], **tools,
            )  # fmt: skip
            await metric.a_measure(case, _show_indicator=False)
            return metric.score

        return call

    model = LocalModel(model="judge", base_url=server_url(), api_key="none", temperature=0)
    metrics: dict[str, Any] = {
        "ExactMatchMetric": ExactMatchMetric(),
        "PatternMatchMetric": PatternMatchMetric(pattern=".*green.*"),
        "BiasMetric": BiasMetric(model=model, include_reason=False),
    }
    return {name: (metric, bare(metric)) for name, metric in metrics.items()}


def weave() -> dict[str, tuple[Any, Call]]:
    """An op, a Scorer without a model and, behind a local server, one with."""
    import json
    import urllib.request

    from weave.flow.casting import cast_to_scorer
    from weave.flow.scorer import apply_scorer_async
    from weave.trace.context.call_context import tracing_disabled

    import weave as framework

    @framework.op
    def words(output: str, reference: str) -> float:
        return float(len(set(output.split()) & set(reference.split())))

    class Length(framework.Scorer):
        @framework.op
        def score(self, output: str) -> dict[str, int]:
            return {"length": len(output)}

    url = server_url()

    class Graded(framework.Scorer):
        @framework.op
        def score(self, output: str, input: str) -> dict[str, bool]:
            body = {"messages": [{"role": "user", "content": f"{input}\n{output}"}]}
            request = urllib.request.Request(
                f"{url}/chat/completions", data=json.dumps(body).encode()
            )
            with urllib.request.urlopen(request) as reply:
                return {"good": "C" in json.load(reply)["choices"][0]["message"]["content"][-2:]}

    def bare(scorer: Any) -> Call:
        cast = cast_to_scorer(scorer)

        async def call(text: str) -> Any:
            row = {
                **SAMPLE.metadata, "input": SAMPLE.input, "reference": SAMPLE.reference,
                "context": list(SAMPLE.context),
            }  # fmt: skip
            with tracing_disabled():
                return (await apply_scorer_async(cast, row, text)).result

        return call

    scorers = {"an op": words, "a Scorer": Length(), "a Scorer with a judge": Graded()}
    return {name: (scorer, bare(scorer)) for name, scorer in scorers.items()}


def server_url() -> str:
    """Start the judge of the tests in a process of its own; return its address."""
    import subprocess

    folder = Path(__file__).resolve().parents[2] / "integrations"
    code = (
        "import sys, json\nfrom judge_server import JudgeServer\n"
        "def say(request, good):\n"
        "    if 'opinions' in request.prompt and 'JSON' in request.prompt:\n"
        "        both = {'opinions': ['x'], 'verdicts': [{'verdict': 'no', 'reason': 'x'}]}\n"
        "        return json.dumps(both)\n"
        "    return 'GRADE: C' if good else 'GRADE: I'\n"
        "server = JudgeServer(dialect=say)\nprint(server.url('fair'), flush=True)\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    _SERVERS.append(process)
    assert process.stdout is not None
    return process.stdout.readline().strip()


_SERVERS: list[Any] = []


async def measure(judge: Any, bare: Call, calls: int) -> tuple[float, float, float]:
    """Return processor seconds per call, bare and through the adapter, and their ratio."""
    texts = [f"{SAMPLE.output} Line {n}." for n in range(calls)]
    samples: list[Sample] = [SAMPLE.with_output(text) for text in texts]
    for text, sample in zip(texts[:5], samples[:5], strict=True):
        await bare(text)
        await judge.read(sample)
    pairs = []
    for turn in range(ROUNDS):
        spent = {}
        for who in ("bare", "adapter") if turn % 2 else ("adapter", "bare"):
            start = time.process_time()
            if who == "bare":
                for text in texts:
                    await bare(text)
            else:
                for sample in samples:
                    await judge.read(sample)
            spent[who] = (time.process_time() - start) / calls
        pairs.append((spent["bare"], spent["adapter"]))
    ratio = statistics.median(adapter / alone for alone, adapter in pairs)
    alone, adapter = (statistics.median(side) for side in zip(*pairs, strict=True))
    return alone, adapter, ratio


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what an adapter costs per call.")
    parser.add_argument("framework", choices=["deepeval", "inspect_ai", "weave"])
    parser.add_argument("--check", action="store_true", help=f"fail beyond {LIMIT:.0%}")
    given = parser.parse_args()
    adapter = import_module(f"unbudged.adapters.{given.framework}")
    beyond = []
    try:
        for name, (target, bare) in globals()[given.framework]().items():
            # a call over HTTP takes a hundred times as long
            calls = 6 if name in JUDGED else 60
            judge = adapter.make_judge(target)
            alone, through, ratio = asyncio.run(measure(judge, bare, calls))
            print(
                f"{given.framework} {name}: bare {alone * 1e6:.0f} µs,"
                f" adapter {through * 1e6:.0f} µs a call, overhead {ratio - 1:+.0%}"
            )
            if ratio - 1 > LIMIT:
                beyond.append(name)
    finally:
        for process in _SERVERS:
            process.stdin.close()
            process.wait(10)
    if beyond:
        print(f"beyond {LIMIT:.0%}: {', '.join(beyond)}", file=sys.stderr)
    return 1 if beyond and given.check else 0


if __name__ == "__main__":
    sys.exit(main())
