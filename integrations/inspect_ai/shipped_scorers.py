"""Every scorer Inspect AI ships: how to build it, on what sample, and what becomes of it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.util import registry_info

from inspect_ai import scorer as shipped
from unbudged import Sample
from unbudged.core.samples import load_samples

#: asks a judge about the text, reads the text itself, or never reads it
Way = Literal["judge", "rule", "no"]

WEAK, STRONG = load_samples()[0]
CONFIG = GenerateConfig(max_retries=0, timeout=2, attempt_timeout=2)


@dataclass(frozen=True)
class Case:
    """One scorer: ``build`` takes the address of a judge server; ``weak`` and ``strong`` are
    answers it marks lowest and highest."""

    name: str
    way: Way
    build: Callable[[str], Any]
    weak: Sample = WEAK
    strong: Sample = STRONG


def grader(url: str) -> Model:
    return get_model(
        "openai/judge", base_url=url, api_key="none", config=CONFIG, memoize=False,
        responses_api=False,
    )  # fmt: skip


def _pair(weak: str, strong: str, reference: str, **metadata: Any) -> dict[str, Sample]:
    sample = Sample(weak, input="Which river?", reference=reference, metadata=metadata)
    return {"weak": sample, "strong": replace(sample, output=strong)}


_RIVER = _pair("It is the Rhine.", "It is the Danube.", "Danube")
_CHOICE = _pair("ANSWER: A", "ANSWER: B", "B", choices=["the Rhine", "the Danube"])


def _precomputed() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scores.jsonl")
        file.write_text('{"id": "1", "value": 1}\n')
        return shipped.precomputed_scores(str(file))


CASES = {
    case.name: case
    for case in (
        Case("answer", "rule", lambda url: shipped.answer("line"),
             **_pair("ANSWER: Rhine", "ANSWER: Danube", "Danube")),
        Case("cascade", "judge", lambda url: shipped.cascade(
            words=shipped.exact(), judge=shipped.model_graded_qa(model=grader(url)))),
        Case("choice", "rule", lambda url: shipped.choice(), **_CHOICE),
        Case("exact", "rule", lambda url: shipped.exact(),
             **_pair("the Rhine", "the Danube", "the Danube")),
        Case("f1", "rule", lambda url: shipped.f1(),
             **_pair("Rhine", "the Danube", "the Danube")),
        Case("includes", "rule", lambda url: shipped.includes(), **_RIVER),
        Case("match", "rule", lambda url: shipped.match(location="any"), **_RIVER),
        Case("math", "rule", lambda url: shipped.math(),
             **_pair("\\boxed{7}", "\\boxed{42}", "42")),
        Case("model_graded_fact", "judge",
             lambda url: shipped.model_graded_fact(model=grader(url))),
        Case("model_graded_qa", "judge", lambda url: shipped.model_graded_qa(model=grader(url))),
        Case("multi_scorer", "judge", lambda url: shipped.multi_scorer(
            [shipped.model_graded_qa(model=grader(url)),
             shipped.model_graded_fact(model=grader(url))], "mean")),
        Case("pattern", "rule", lambda url: shipped.pattern(r"river: (\w+)"),
             **_pair("river: Rhine", "river: Danube", "Danube")),
        Case("perplexity", "no", lambda url: shipped.perplexity()),
        Case("precomputed_scores", "no", lambda url: _precomputed()),
        Case("target_perplexity", "no", lambda url: shipped.target_perplexity()),
    )
}  # fmt: skip


def found() -> set[str]:
    """Return the names of all scorers in Inspect AI's public module, old and new."""
    names = set()
    for name in shipped.__all__:
        thing = getattr(shipped, name)
        try:
            info = registry_info(thing)
        except ValueError:
            continue
        if info.type == "scorer":
            names.add(name)
    return names
