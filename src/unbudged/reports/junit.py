"""The report as JUnit XML, as CI servers read it: a suite per family, a case per attack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.report import Confounded, Finding, Report, Undecided, UnscorableProbe
from .inert import inert_line, quoted
from .place import place_of
from .wording import (
    FLIPS,
    count,
    encodes,
    grouped,
    name,
    number,
    open_attacks,
    shown,
    sizes,
    verdict,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

#: lines of one kind told of one attack
ROWS = 50
#: the suite of what is asked of the scan itself
SCAN = "unbudged"


def render(report: Report, *, path: str | None = None) -> str:
    """Render one JUnit document in XML 1.0, ASCII, with every foreign text inert.

    Each attack is one test case in the suite of its family: it fails with a finding, is an
    error when any reading of it was no score or when it stayed undecided, and passes when
    it held. One more case, in the suite ``unbudged``, is an error when the scan as a whole
    could not tell: its baselines were no scores, or it was inconclusive. ``path`` is the
    target as the command takes it (``file.py`` or ``file.py:name``), given as the file of
    each case. A report saved before reports named their attacks has one case for all those
    that held.
    """
    from xml.etree import ElementTree

    file = None if path is None else place_of(path).file
    root = ElementTree.Element("testsuites", name=name(file or report.target))
    suites: dict[str, Element] = {}
    for family, case in _cases(report):
        suite = suites.get(family)
        if suite is None:
            suite = suites[family] = ElementTree.SubElement(root, "testsuite", name=family)
        case.set("classname", family)
        if file is not None:
            case.set("file", shown(file, 500))
        suite.append(case)
    for suite in suites.values():
        _count(suite, suite.findall("testcase"))
    _count(root, root.findall("testsuite/testcase"))
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True)
    return written.decode("ascii")


def _count(element: Element, cases: Sequence[Element]) -> None:
    element.set("tests", str(len(cases)))
    for outcome in ("failure", "error"):
        plural = "failures" if outcome == "failure" else "errors"
        element.set(plural, str(sum(case.find(outcome) is not None for case in cases)))
    element.set("skipped", "0")


def _cases(report: Report) -> Iterator[tuple[str, Element]]:
    """Yield (suite, case) for the scan itself, then for each attack in the scan's order."""
    yield SCAN, _scan(report)
    findings = {group[0].attack_id: group for group in grouped(report)}
    unscorable: dict[str, list[UnscorableProbe]] = {}
    for probe in report.unscorable:
        if probe.attack_id is not None:
            unscorable.setdefault(probe.attack_id, []).append(probe)
    undecided = open_attacks(report)
    families = dict(report.attacks)
    rows: tuple[Finding | Confounded | UnscorableProbe | Undecided, ...] = (
        *report.findings,
        *report.confounded,
        *report.unscorable,
        *report.undecided,
    )
    for row in rows:
        if row.attack_id is not None and row.attack_id != "*":
            families.setdefault(row.attack_id, row.family or "")
    for attack, family in families.items():
        outcome = _outcome(
            findings.get(attack, ()), unscorable.get(attack, ()), undecided.get(attack, ())
        )
        yield name(family) or "no family", _case(name(attack), outcome)
    if left := report.attack_count - len(families):
        yield SCAN, _case(f"{count(left, 'attack')} more, not named in the report", None)


#: kind, message, lines
_Outcome = tuple[str, str, str, list[str]]


def _case(title: str, outcome: _Outcome | None) -> Element:
    from xml.etree import ElementTree

    case = ElementTree.Element("testcase", name=title)
    if outcome is not None:
        element, kind, message, lines = outcome
        said = ElementTree.SubElement(case, element, type=kind, message=message)
        said.text = "\n".join(inert_line(line) for line in lines)
    return case


def _scan(report: Report) -> Element:
    failed = [p for p in report.unscorable if p.attack_id is None]
    lines = [sizes(report), *(shown(note, 1_000) for note in report.notes)]
    outcome: _Outcome | None = None
    if failed:
        read = "baseline" if any(p.stage == "baseline" for p in failed) else "contrast"
        message = f"{count(len(failed), f'{read} reading was', f'{read} readings were')} no score"
        outcome = ("error", "unscorable", message, [*_unscorable(failed), *lines])
    elif report.verdict == "inconclusive":
        outcome = ("error", "inconclusive", ": ".join(verdict(report)), lines)
    return _case("the scan can tell whether the score holds", outcome)


def _outcome(
    findings: Sequence[Finding],
    unscorable: Sequence[UnscorableProbe],
    undecided: Sequence[Undecided],
) -> _Outcome | None:
    """Return the gravest that happened to an attack, with the lines of all of it."""
    lines = [*_findings(findings), *_unscorable(unscorable), *_undecided(undecided)]
    if findings:
        worst = max(findings, key=lambda f: f.excess)
        message = (
            f"score {number(worst.attack_shift)}, controls {number(worst.control_shift)},"
            f" in {count(len(findings), 'probe')}"
        )
        return "failure", "moved", message, lines
    if unscorable:
        said = count(len(unscorable), "reading was", "readings were")
        disables = ": the payload disables the judge" if any(p.disables for p in unscorable) else ""
        return "error", "unscorable", f"{said} no score{disables}", lines
    if undecided:
        return "error", "undecided", shown(undecided[0].why, 300), lines
    return None


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    for f in findings[:ROWS]:
        flip = f", {FLIPS[f.flipped]}" if f.flipped else ""
        yield (
            f"baseline {f.baseline_index + 1} {quoted(f.baseline, 60)}: attack"
            f" {number(f.attack_shift)}, control {number(f.control_shift)}, excess"
            f" {number(f.excess)} {f.direction} on {name(f.channel)}{flip}"
        )
    yield from _more(len(findings))
    if findings:
        first = findings[0]
        yield f"{first.kind}: {shown(first.evidence.sentence, 500)}"
        yield f"payload: {quoted(first.payload, 1_000)}"
        if said := encodes(first, 1_000):
            yield f"encodes: {said}"
        if first.fix:
            yield f"fix: {shown(first.fix, 1_000)}"


def _unscorable(probes: Sequence[UnscorableProbe]) -> Iterator[str]:
    for p in probes[:ROWS]:
        which = "" if p.baseline_index is None else f"baseline {p.baseline_index + 1} "
        yield (
            f"{p.stage} on {which}{quoted(p.baseline, 60)}:"
            f" {name(p.reason)}: {shown(p.detail, 300)}"
        )
    yield from _more(len(probes))


def _undecided(rows: Sequence[Undecided]) -> Iterator[str]:
    for row in rows[:ROWS]:
        on = "" if row.baseline is None else f" on {quoted(row.baseline, 60)}"
        yield f"undecided ({row.direction}){on}: {shown(row.why, 300)}"
    yield from _more(len(rows))


def _more(n: int) -> Iterator[str]:
    if n > ROWS:
        yield f"... and {n - ROWS} more"
