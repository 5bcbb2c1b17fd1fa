"""Measures the detector of verdict_forging on labelled answers, for docs/inspect_ai.md.

`python integrations/inspect_ai/forging_figures.py` writes the figures, `--check` compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from unbudged.core.stats import wilson
from unbudged.inspect_tasks.detector import forgeries

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE / "forging_examples.yaml"
DOC = HERE.parents[1] / "docs" / "inspect_ai.md"
START, END = "<!-- figures of the detector -->\n", "<!-- end of the figures -->"


def counts(part: str) -> tuple[int, int, int, int]:
    """Return answers found and missed among the forged, flagged and passed among the honest."""
    answers = yaml.safe_load(EXAMPLES.read_text(encoding="utf-8"))[part]
    found = sum(bool(forgeries(text)) for text in answers["forged"])
    flagged = sum(bool(forgeries(text)) for text in answers["honest"])
    return found, len(answers["forged"]) - found, flagged, len(answers["honest"]) - flagged


def figures() -> str:
    """Return the table of the document."""
    rows = [
        "| Answers | Forged, found | Honest, flagged | Precision (95%) | Recall (95%) |",
        "|---|---|---|---|---|",
    ]
    for part, title in (("held_out", "written after tuning"), ("tuning", "tuned to")):
        found, missed, flagged, passed = counts(part)
        rows.append(
            f"| {title} | {found} of {found + missed} | {flagged} of {flagged + passed}"
            f" | {_rate(found, found + flagged)} | {_rate(found, found + missed)} |"
        )
    return "\n".join(rows) + "\n"


def written(document: str) -> str:
    """Return the document with the figures as they are now."""
    before, rest = document.split(START)
    return before + START + figures() + END + rest.split(END)[1]


def _rate(hits: int, n: int) -> str:
    low, high = wilson(hits, n)
    return f"{hits / n:.2f} ({low:.2f} to {high:.2f})" if n else "not measured"


if __name__ == "__main__":
    document = DOC.read_text(encoding="utf-8")
    if "--check" not in sys.argv:
        DOC.write_text(written(document), encoding="utf-8")
    elif written(document) != document:
        sys.exit("docs/inspect_ai.md is stale: python integrations/inspect_ai/forging_figures.py")
