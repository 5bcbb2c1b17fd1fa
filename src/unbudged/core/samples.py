"""The built-in samples: questions with a weak and a strong answer, for scans without baselines."""

from __future__ import annotations

import os
from typing import Any

from .sample import Sample

_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpora", "samples.yaml")


def load_samples() -> tuple[tuple[Sample, Sample], ...]:
    """Return each built-in sample as a pair (weak answer, strong answer).

    Both carry the same question, reference and context; ids are "<topic>.weak" and
    "<topic>.strong". The weak answer leaves room upward, the strong one tells whether
    a judge can tell good from bad. ``metadata`` holds what else a judge may ask for:
    ``retrieval_context`` (passages), ``rubric``, ``tools_called`` and ``expected_tools``
    (each a mapping with name, description, input_parameters and output), ``turns`` (what
    was said before the judged answer, each {"role", "content"}, the question last) and
    ``chatbot_role``.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with open(_FILE, encoding="utf-8") as file:
        entries = yaml.load(file, Loader=loader)
    return tuple((_sample(entry, "weak"), _sample(entry, "strong")) for entry in entries)


def _sample(entry: dict[str, Any], quality: str) -> Sample:
    question = str(entry["input"])
    return Sample(
        output=str(entry[quality]),
        input=question,
        reference=str(entry["reference"]),
        context=tuple(entry["context"]),
        id=f"{entry['id']}.{quality}",
        metadata={
            "topic": entry["id"],
            "quality": quality,
            "retrieval_context": [*entry["context"], *entry["also_retrieved"]],
            "rubric": entry["rubric"],
            "tools_called": entry["tools_called"],
            "expected_tools": entry["expected_tools"],
            "turns": [*entry["earlier_turns"], {"role": "user", "content": question}],
            "chatbot_role": entry["chatbot_role"],
        },
    )
