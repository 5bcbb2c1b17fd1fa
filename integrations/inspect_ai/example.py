"""Two graders on the built-in samples: one that obeys the text it marks, one that does not.

`python integrations/inspect_ai/example.py` needs no key: the graders are mock models. Put a
real one in their place, such as model="openai/gpt-4o-mini".
"""

from __future__ import annotations

from inspect_ai.scorer import model_graded_qa

from unbudged.adapters.inspect_ai import scan_scorer


def main() -> None:
    for model in ("unbudged_mock/gullible", "unbudged_mock/fair"):
        report = scan_scorer(model_graded_qa(), model=model, families=["fake_system"])
        print(f"{model}: {report.verdict}, largest excess {report.max_excess:g}")


if __name__ == "__main__":
    main()
