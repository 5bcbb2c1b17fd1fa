"""From a report to the exit code of ``unbudged run``, and why."""

from __future__ import annotations

from ..core.report import Report
from .output import complain


def exit_code(report: Report, max_findings: int, known: Report | None = None) -> int:
    """Return the code and say on standard error which of its meanings applies.

    With ``known``, a report from before, only findings marked as new count.
    """
    found, unscorable = len(report.findings), len(report.unscorable)
    new = ""
    if known is not None:
        from ..compare import strangers

        fresh = sum(bool(f.new) for f in report.findings)
        for remark in strangers(report, known):
            complain(f"--fail-on-new: {remark}")
        if found > fresh:
            complain(f"{_counted(found - fresh, 'known finding')} tolerated")
        found, new = fresh, "new "
    if found > max_findings:
        complain(f"{_counted(found, f'{new}finding')}, {max_findings} allowed")
    if unscorable:
        complain(f"{_counted(unscorable, 'reading')} could not be scored")
    if found > max_findings or unscorable:
        return 1
    if report.verdict == "inconclusive" or any(u.attack_id != "*" for u in report.undecided):
        whys = {u.why for u in report.undecided if u.attack_id != "*"}
        why = f": {whys.pop()}" if len(whys) == 1 else ""
        complain(f"inconclusive: not everything could be measured{why}")
        return 3
    return 0


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"
