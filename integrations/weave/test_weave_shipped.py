"""Every scorer Weave ships is in the tables: a new one upstream fails here."""

from __future__ import annotations

import pytest
import table
from shipped_scorers import CASES, shipped

from unbudged.adapters.weave.shipped import SHIPPED


@pytest.fixture(scope="module")
def rows() -> dict[str, str]:
    return {name: row for name, _, row in table.rows()}


def test_every_shipped_scorer_has_a_case() -> None:
    assert set(shipped()) <= set(CASES), sorted(set(shipped()) - set(CASES))


def test_every_shipped_scorer_with_a_score_is_known_to_the_adapter() -> None:
    assert set(shipped()) - set(SHIPPED) == {"LLMScorer"}


def test_coverage_says_of_every_scorer_what_running_it_says(rows: dict[str, str]) -> None:
    """Rows only: versions differ in which scorers they ship, not in what becomes of one."""
    written = table.COVERAGE.read_text(encoding="utf-8").splitlines()
    wrong = [row for row in rows.values() if row not in written]
    assert not wrong, "run integrations/weave/table.py: " + "\n".join(wrong)


def test_coverage_has_no_scorer_that_is_gone() -> None:
    from importlib.metadata import version

    written = table.COVERAGE.read_text(encoding="utf-8")
    if version("weave") not in written:
        pytest.skip("COVERAGE.md is written with another version of Weave")
    named = {line.split(" | ")[0].strip("| ") for line in written.splitlines() if "| " in line}
    assert named - {"Scorer"} == set(shipped())
