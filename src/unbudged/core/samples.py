"""The built-in samples: questions with a weak and a strong answer, for scans without baselines."""

from __future__ import annotations

import os

from .sample import Sample

_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpora", "samples.yaml")


def load_samples() -> tuple[tuple[Sample, Sample], ...]:
    """Return each built-in sample as a pair (weak answer, strong answer).

    Both carry the same question, reference and context; ids are "<topic>.weak" and
    "<topic>.strong". The weak answer leaves room upward, the strong one tells whether
    a judge can tell good from bad.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with open(_FILE, encoding="utf-8") as file:
        entries = yaml.load(file, Loader=loader)
    return tuple((_sample(entry, "weak"), _sample(entry, "strong")) for entry in entries)


def _sample(entry: dict[str, object], quality: str) -> Sample:
    context = entry["context"]
    assert isinstance(context, list)
    return Sample(
        output=str(entry[quality]),
        input=str(entry["input"]),
        reference=str(entry["reference"]),
        context=tuple(str(passage) for passage in context),
        id=f"{entry['id']}.{quality}",
        metadata={"topic": entry["id"], "quality": quality},
    )
