"""What is known of the scorers that Inspect AI ships: scale, pass mark, fields they need."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from ...core.sample import Sample
from ...core.samples import Kind
from ...errors import TargetError, UsageError

PACKAGE = "inspect_ai/"


@dataclass(frozen=True, slots=True)
class Shipped:
    """One shipped scorer: ``needs`` names fields of Sample, ``cannot`` says why it cannot
    be scanned, ``template`` is the default grading template of a model-graded one, ``kind``
    which built-in samples fit it."""

    scale: tuple[float, float] | None = (0.0, 1.0)
    pass_mark: float | None = 1.0
    needs: tuple[str, ...] = ("reference",)
    cannot: str | None = None
    template: bool = False
    labels: tuple[str, ...] = ()
    kind: Kind = "answers"


_LOGPROBS = "reads the model's own token probabilities, not the text of the answer"

SHIPPED: dict[str, Shipped] = {
    "answer": Shipped(kind="word"),
    "cascade": Shipped(needs=()),
    "choice": Shipped(needs=("reference", "metadata['choices']"), kind="choice"),
    "exact": Shipped(kind="reference"),
    "f1": Shipped(pass_mark=None, kind="reference"),
    "includes": Shipped(kind="reference"),
    "match": Shipped(kind="reference"),
    "math": Shipped(kind="math"),
    "model_graded_fact": Shipped(needs=("input", "reference"), template=True),
    "model_graded_qa": Shipped(needs=("input", "reference"), template=True),
    "multi_scorer": Shipped(scale=None, pass_mark=None, needs=()),
    "pattern": Shipped(),
    "perplexity": Shipped(cannot=_LOGPROBS),
    "precomputed_scores": Shipped(cannot="looks scores up in a file by sample id, reads no answer"),
    "target_perplexity": Shipped(cannot=_LOGPROBS),
}

_UNKNOWN = Shipped(scale=None, pass_mark=None, needs=())
# of the framework's template variables those that come from the sample
_FIELDS = {"question": "input", "criterion": "reference"}
_FILLED = ("answer", "instructions")


def facts_of(name: str, params: dict[str, Any]) -> Shipped:
    """Return what is known of a scorer by its registry name; raises TargetError for one
    that cannot be scanned."""
    if not name.startswith(PACKAGE):
        return _UNKNOWN
    short = name[len(PACKAGE):]
    found = SHIPPED.get(short, _UNKNOWN)
    if found.cannot:
        raise TargetError(f"{short} cannot be scanned: it {found.cannot}")
    if short == "answer" and params.get("pattern") == "letter":
        return replace(found, kind="choice")
    if not found.template:
        return found
    if isinstance(template := params.get("template"), str):
        found = replace(found, needs=_asked(template))
    if params.get("grade_pattern"):  # grades of the user's own
        return replace(found, scale=None, pass_mark=None)
    if params.get("instructions"):
        return found
    return replace(found, labels=("I", "P", "C") if params.get("partial_credit") else ("I", "C"))


def check_fields(name: str, needs: tuple[str, ...], samples: tuple[Sample, ...]) -> None:
    """Raise UsageError for the first sample that lacks what a scorer needs."""
    for sample in samples:
        for field in needs:
            if not _has(sample, field):
                who = f"sample {sample.id}" if sample.id else f'the answer "{_cut(sample.output)}"'
                theirs = _THEIRS.get(field, "a variable of its template")
                raise UsageError(
                    f"{name.removeprefix(PACKAGE)} needs {theirs}: {who} has no Sample.{field}"
                )


_THEIRS = {
    "input": "the question (state.input)",
    "metadata['choices']": "the options to choose from (state.choices)",
    "reference": "the target",
}


def _has(sample: Sample, field: str) -> bool:
    if field.startswith("metadata["):
        key = field[len("metadata['"):-2]
        return bool(sample.metadata.get(key)) or (key == "context" and bool(sample.context))
    if field == "reference":
        return bool(sample.reference) or bool(sample.metadata.get("target"))
    return bool(getattr(sample, field))


def _asked(template: str) -> tuple[str, ...]:
    """Return the sample fields a grading template (its text, or a file with it) asks for."""
    from inspect_ai.util import resource

    names = dict.fromkeys(re.findall(r"(?<!\{)\{(\w+)\}(?!\})", str(resource(template))))
    return tuple(
        _FIELDS.get(name, f"metadata['{name}']") for name in names if name not in _FILLED
    )


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat[:40] + ("…" if len(flat) > 40 else "")
