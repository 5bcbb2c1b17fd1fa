"""A judged answer with what belongs to it: the unit every scan starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Sample:
    """Hold one answer to be judged and what a judge may want to see beside it.

    ``output`` is the judged text, the only part a scan ever changes. The rest
    reaches adapters as the user gave it.
    """

    output: str
    input: str | None = None
    reference: str | None = None
    context: tuple[str, ...] = ()
    id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def with_output(self, text: str) -> Sample:
        """Return the same sample with another judged text, byte for byte."""
        # spelled out: dataclasses.replace costs more than many a scorer
        return Sample(text, self.input, self.reference, self.context, self.id, self.metadata)
