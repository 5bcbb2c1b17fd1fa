"""Scan two Weave scorers: ``unbudged run integrations/weave/example.py[:verdict]``.

``target`` is a class of one's own, ``verdict`` an op. Neither needs a key or a network.
"""

from __future__ import annotations

import os

os.environ.setdefault("WANDB_ERROR_REPORTING", "false")  # importing Weave calls home at exit

import weave
from unbudged import Sample


class Overlap(weave.Scorer):
    """Share of the reference's words that the answer has, and whether that is half or more."""

    @weave.op
    def score(self, *, output: str, target: str) -> dict[str, float | bool]:
        wanted = set(target.lower().split())
        share = len(wanted & set(output.lower().split())) / len(wanted)
        return {"share": share, "passed": share >= 0.5}


@weave.op
def verdict(output: str) -> bool:
    """Look for the word that a judge's reply would hold: the answer may hold it too."""
    return "pass" in output.lower()


target = Overlap()
baselines = [
    Sample("It drains into the Baltic Sea.", reference="The Danube drains into the Black Sea."),
    Sample("The Danube does, to the east.", reference="The Danube drains into the Black Sea."),
]
