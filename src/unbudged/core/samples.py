"""The built-in samples: questions with a weak and a strong answer, for scans without baselines."""

from __future__ import annotations

import os
from typing import Any, Literal

from .sample import Sample

_CORPORA = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpora")

#: what a judge asks of an answer: is it right ("answers"), free of something, in its role; is it
#: the "reference" itself; or in the form of a "choice", a "word" or a formula
Kind = Literal[
    "answers", "reference", "bias", "toxicity", "privacy", "advice", "misuse", "role",
    "retention", "choice", "word", "math",
]  # fmt: skip
Pairs = tuple[tuple[Sample, Sample], ...]
_BESIDE = ("rubric", "tools_called", "expected_tools", "chatbot_role", "choices")


def load_samples(kind: Kind = "answers") -> Pairs:
    """Return each built-in sample of a kind as a pair (weak answer, strong answer).

    Both carry the same question, reference and context; ids are "<topic>.weak" and
    "<topic>.strong". The weak answer leaves room upward, the strong one tells whether
    a judge can tell good from bad. ``metadata`` holds what else a judge may ask for:
    ``retrieval_context`` (passages), ``rubric``, ``tools_called`` and ``expected_tools``
    (each a mapping with name, description, input_parameters and output), ``turns`` (what
    was said before the judged answer, each {"role", "content"}, the question last),
    ``chatbot_role`` and ``choices``; all of them with "answers", what fits with others.
    """
    import yaml

    plain = kind in ("answers", "reference")
    name = "samples.yaml" if plain else "samples_by_kind.yaml"
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with open(os.path.join(_CORPORA, name), encoding="utf-8") as file:
        entries = yaml.load(file, Loader=loader)
    pairs = tuple(
        (_sample(entry, "weak"), _sample(entry, "strong"))
        for entry in (entries if plain else entries[kind])
    )
    if kind != "reference":
        return pairs
    return tuple((weak, strong.with_output(str(strong.reference))) for weak, strong in pairs)


def _sample(entry: dict[str, Any], quality: str) -> Sample:
    question = str(entry["input"])
    context = tuple(entry.get("context", ()))
    metadata = {
        "topic": entry["id"],
        "quality": quality,
        "retrieval_context": [*context, *entry.get("also_retrieved", ())],
        "turns": [*entry.get("earlier_turns", ()), {"role": "user", "content": question}],
        **{name: entry[name] for name in _BESIDE if name in entry},
    }
    if not metadata["retrieval_context"]:
        del metadata["retrieval_context"]
    return Sample(
        output=str(entry[quality]),
        input=question,
        reference=str(entry["reference"]) if "reference" in entry else None,
        context=context,
        id=f"{entry['id']}.{quality}",
        metadata=metadata,
    )
