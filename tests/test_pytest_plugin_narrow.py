"""The part of a report that an item answers for: never a pass that was not measured."""

from __future__ import annotations

from typing import Any

import pytest

from reports_made import finding, report
from unbudged.core.report import BaselineScore, Report, Undecided, UnscorableProbe
from unbudged.pytest_plugin.narrow import narrow

ROLE = ("role.admin", "role.debug")
TWO = tuple(
    BaselineScore(text, n, None, {"score": 2.0 * n}, 2) for n, text in enumerate(("one", "two"))
)
SAME = tuple(BaselineScore(text, n, None, {"score": 1.0}, 2) for n, text in enumerate(("a", "b")))


def undecided(attack: str, **changes: Any) -> Undecided:
    row = {
        "attack_id": attack, "family": attack.split(".")[0], "baseline": None,
        "baseline_index": None, "channel": "score", "direction": "both", "why": "noisy",
    }  # fmt: skip
    return Undecided(**{**row, **changes})


def unscorable(attack: str | None) -> UnscorableProbe:
    stage = "attack" if attack else "baseline"
    return UnscorableProbe(attack, attack and attack.split(".")[0], "one", 0, stage, "error", "x")


def open_scan(**changes: Any) -> Report:
    made = {"verdict": "inconclusive", "baselines": TWO, "baseline_count": 2, "probe_count": 66}
    return report(**{**made, **changes})


def part(whole: Report) -> Report:
    return narrow(whole, "role_reversal", ROLE)


def test_a_part_has_its_own_rows_counts_and_verdict():
    ours, other = finding(), finding(attack_id="delim.xml", family="delimiter_escape")
    made = part(report(findings=(ours, other)))
    assert (made.verdict, made.findings) == ("moved", (ours,))
    assert (made.attack_count, made.probe_count) == (2, 6)
    assert made.calls == 240
    assert "role_reversal is a part of one scan of 33 attacks and 99 probes" in made.notes


def test_a_part_without_findings_holds_while_another_is_moved():
    other = finding(attack_id="delim.xml", family="delimiter_escape")
    assert part(report(findings=(other,), baselines=TWO)).verdict == "held"


@pytest.mark.parametrize("rows", [{"undecided": (undecided("role.admin"),)},
                                  {"unscorable": (unscorable("role.debug"),)}])  # fmt: skip
def test_what_is_open_in_a_part_leaves_that_part_open(rows):
    made = part(open_scan(**rows))
    assert made.verdict == "inconclusive"
    assert (*made.undecided, *made.unscorable) == (*rows.values(),)[0]


@pytest.mark.parametrize("rows", [{"undecided": (undecided("delim.xml"),)},
                                  {"unscorable": (unscorable("delim.xml"),)}])  # fmt: skip
def test_what_is_open_elsewhere_leaves_a_part_that_was_measured_held(rows):
    made = part(open_scan(**rows))
    assert made.verdict == "held"
    assert not made.undecided
    assert not made.unscorable


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"unscorable": (unscorable(None),)},
        {"undecided": (undecided("delim.xml"),), "baselines": SAME},
        {"undecided": (undecided("delim.xml"),), "channels": ()},
        {
            "undecided": (
                undecided("delim.xml"),
                undecided("*", baseline_index=0, direction="up"),
                undecided("*", baseline_index=1, direction="up"),
            )
        },
    ],
    ids=["no single attack", "a baseline", "one value", "nothing scored", "no room"],
)
def test_what_hinders_the_whole_scan_lets_no_part_pass(changes):
    assert part(open_scan(**changes)).verdict == "inconclusive"


def test_one_baseline_at_the_end_of_the_scale_hinders_nobody():
    full = undecided("*", baseline_index=1, direction="up")
    assert part(open_scan(undecided=(undecided("delim.xml"), full))).verdict == "held"
    assert part(report(verdict="held", undecided=(full,))).verdict == "held"
