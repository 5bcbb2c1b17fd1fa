"""A report as an evaluation in Weave, logged through Weave's own EvaluationLogger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.corpus import Attack, read_corpus
from ...core.leaks import leaks
from ...core.report import Finding, Report
from ...core.sample import Sample
from ...errors import UsageError
from ..extras import check_extra
from .quiet import import_quietly

SCORER = "unbudged"


def publish_file(path: str, project: str, name: str | None = None) -> str | None:
    """Log the report in a JSON file (``-`` is standard input) to a Weave project.

    Returns the evaluation's address. Raises MissingExtra without Weave, UsageError when the
    file is no report or the project cannot be opened.
    """
    from ...reports.json import report_from_json

    check_extra("weave")
    report = report_from_json(_text(path))
    rows = tuple(_rows(report))  # before anything is sent
    import_quietly()
    import weave

    try:
        weave.init(project)
    except (Exception, SystemExit) as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise UsageError(f"weave.init({project!r}) failed: {said}") from error
    return _log(report, rows, name)


def log_report(
    report: Report, name: str | None = None, samples: Sequence[Sample] = ()
) -> str | None:
    """Log a report to the project ``weave.init`` opened; return the evaluation's address.

    One row per attack. Its score says whether any of its probes moved, by how much
    beyond neutral text, and the largest shifts. An attack with probes that could not be
    scored or decided, and none that moved, scores None, which Weave leaves out of its
    denominators. ``samples`` are the scan's baselines where they are at hand: their
    references tell which attacks were left out. Raises UsageError when no project is open.
    """
    need_client()
    return _log(report, tuple(_rows(report, samples)), name)


def need_client() -> Any:
    """Return Weave's client; raises UsageError when no project is open or tracing is off."""
    check_extra("weave")
    import_quietly()
    from weave.trace.context.weave_client_context import get_weave_client
    from weave.trace.settings import should_disable_weave

    client = get_weave_client()
    if client is None:
        raise UsageError('publishing to Weave needs an open project: call weave.init("project")')
    if should_disable_weave():
        raise UsageError("publishing to Weave is not possible while WEAVE_DISABLED is set")
    return client


Row = tuple[dict[str, Any], dict[str, Any], "dict[str, Any] | None"]


def _log(report: Report, rows: tuple[Row, ...], name: str | None) -> str | None:
    client = need_client()
    import weave

    logger = weave.EvaluationLogger(
        name=name or f"unbudged {report.target}",
        model=_class_name(report.target),
        dataset=f"unbudged-{'-'.join(report.corpus)}",
        eval_attributes={"unbudged": _attributes(report)},
    )
    for inputs, output, score in rows:
        row = logger.log_prediction(inputs=inputs, output=output)
        row.log_score(SCORER, score)
        row.finish()
    logger.log_summary(_summary(report))
    client.flush()
    address: str | None = getattr(logger, "ui_url", None)
    return address


def _class_name(name: str) -> str:
    """Return a name as Weave wants a model's: that of a Python class."""
    from keyword import iskeyword

    plain = "".join(c for c in name if c == "_" or (c.isascii() and c.isalnum()))
    return plain if plain.isidentifier() and not iskeyword(plain) else f"target_{plain}"


def _rows(report: Report, samples: Sequence[Sample] = ()) -> Iterator[Row]:
    """Yield inputs, output and score of every attack of the scan, in the corpus's order."""
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        found.setdefault(finding.attack_id, []).append(finding)
    open_for = _open(report)
    attacks = _attacks(report)
    open_for.update(_left_out(report, attacks, samples))
    for attack in attacks:
        inputs = {"attack": attack.id, "family": attack.family, "payload": attack.text}
        why = open_for.get(attack.id) or open_for.get(None)
        if attack.id in found:
            worst = max(found[attack.id], key=lambda f: f.excess)
            output = {"outcome": "moved", "findings": [_finding(f) for f in found[attack.id]]}
            yield inputs, output, {
                "moved": True, "excess": worst.excess, "attack_shift": worst.attack_shift,
                "control_shift": worst.control_shift,
            }  # fmt: skip
        elif why is not None:
            yield inputs, {"outcome": "not measured", "why": why}, None
        else:
            yield inputs, {"outcome": "held"}, {"moved": False, "excess": 0.0}


def _open(report: Report) -> dict[str | None, str]:
    """Return why an attack without findings has no score; under None what holds for all."""
    why: dict[str | None, str] = {}
    for probe in report.unscorable:
        said = f"{probe.stage} unscorable, {probe.reason}: {probe.detail}"
        why.setdefault(probe.attack_id, said)
    for row in report.undecided:
        if row.attack_id != "*":
            why.setdefault(row.attack_id, row.why)
    if report.verdict == "inconclusive" and not why:
        why[None] = "; ".join(report.notes) or "the scan as a whole is inconclusive"
    return why


def _left_out(
    report: Report, attacks: Sequence[Attack], samples: Sequence[Sample]
) -> dict[str | None, str]:
    """Return the attacks that no baseline was scored with, as they hold every reference."""
    left_out = report.attack_count * report.baseline_count - report.probe_count
    if left_out < report.baseline_count:
        return {}
    if not samples:
        return {None: "held, or left out on every baseline: the report does not say which"}
    why = "left out: the payload contains the reference answer of every baseline"
    return {a.id: why for a in attacks if all(leaks(a, s.reference) for s in samples)}


def _attacks(report: Report) -> tuple[Attack, ...]:
    """Return the attacks of the scan; raises UsageError when the corpus is another by now."""
    from fnmatch import fnmatchcase

    wanted = report.settings.get("attacks")
    families = report.settings.get("families")
    attacks = read_corpus(list(report.corpus), list(families) if families else None).attacks
    if wanted:
        attacks = tuple(a for a in attacks if any(fnmatchcase(a.id, p) for p in wanted))
    if len(attacks) != report.attack_count:
        raise UsageError(
            f"the report is of {report.attack_count} attacks, its corpus"
            f" {', '.join(report.corpus)} has {len(attacks)} of them here: it has changed"
        )
    return attacks


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "baseline": finding.baseline, "channel": finding.channel, "direction": finding.direction,
        "excess": finding.excess, "attack_shift": finding.attack_shift,
        "control_shift": finding.control_shift, "flipped": finding.flipped, "kind": finding.kind,
        "evidence": finding.evidence.sentence, "fix": finding.fix,
    }  # fmt: skip


def _attributes(report: Report) -> dict[str, Any]:
    return {
        "target": report.target, "corpus": list(report.corpus), "seed": report.seed,
        "tolerance": report.tolerance, "alpha": report.alpha, "direction": report.direction,
        "versions": dict(report.versions), "settings": dict(report.settings),
    }  # fmt: skip


def _summary(report: Report) -> dict[str, Any]:
    return {
        "verdict": report.verdict, "attacks": report.attack_count, "probes": report.probe_count,
        "findings": len(report.findings), "confounded": len(report.confounded),
        "undecided": len(report.undecided), "unscorable": len(report.unscorable),
        "max_excess": report.max_excess, "families_hit": list(report.families_hit()),
        "smallest_detectable": dict(report.smallest_detectable), "calls": report.calls,
        "costs": dict(report.costs), "notes": list(report.notes),
    }  # fmt: skip


def _text(path: str) -> str:
    import sys

    try:
        if path == "-":
            return sys.stdin.read()
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"the report {path} cannot be read: {said}") from error
