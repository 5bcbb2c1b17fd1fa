"""Every exit code of a finished scan has one meaning, and 0 is never one for the unmeasured."""

from __future__ import annotations

import pytest

from reports_made import finding, report
from unbudged.cli.exit_code import exit_code
from unbudged.core.report import Undecided, UnscorableProbe

FOUND = (finding(), finding(baseline_index=1))
LOST = (UnscorableProbe("role.admin", "role_reversal", "answer", 0, "attack", "error", "boom"),)
OPEN = (Undecided("role.admin", "role_reversal", None, None, "score", "up", "calls used up"),)
#: a baseline without room downward leaves a scan held: the other baselines had room
FULL = (Undecided("*", "*", "answer", 0, "score", "down", "at 0, the end of the scale"),)


@pytest.mark.parametrize(
    ("made", "allowed", "code", "says"),
    [
        (report(), 0, 0, ""),
        (report(findings=FOUND), 0, 1, "2 findings, 0 allowed"),
        (report(findings=FOUND[:1]), 0, 1, "1 finding, 0 allowed"),
        (report(findings=FOUND), 1, 1, "2 findings, 1 allowed"),
        (report(findings=FOUND), 2, 0, ""),
        (report(findings=FOUND, unscorable=LOST), 2, 1, "1 reading could not be scored"),
        (report(unscorable=LOST, verdict="inconclusive"), 0, 1, "1 reading could not be scored"),
        (report(findings=FOUND, undecided=OPEN), 2, 3, "inconclusive"),
        (report(findings=FOUND, undecided=FULL), 2, 0, ""),
        (report(undecided=FULL), 0, 0, ""),
        (report(findings=FOUND, undecided=OPEN), 0, 1, "2 findings, 0 allowed"),
        (report(undecided=OPEN, verdict="inconclusive"), 0, 3, "inconclusive"),
        (report(verdict="inconclusive"), 99, 3, "inconclusive"),
    ],
)
def test_the_exit_code_and_its_reason(made, allowed, code, says, capsys):
    assert exit_code(made, allowed) == code
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == (1 if says else 0)


def test_findings_and_lost_readings_are_both_named(capsys):
    assert exit_code(report(findings=FOUND, unscorable=LOST), 0) == 1
    assert capsys.readouterr().err == (
        "unbudged: 2 findings, 0 allowed\nunbudged: 1 reading could not be scored\n"
    )
