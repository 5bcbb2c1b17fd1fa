"""``unbudged validate``: the instrument tests itself on judges whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..core.report import Report
from . import INTERNAL
from .output import ReportLost, ReportStream, complain

if TYPE_CHECKING:
    from ..planted import Planted, PlantedJudge


@dataclass(frozen=True, slots=True)
class Scanned:
    """What one scan of a planted judge said; ``wrong`` says why that is wrong, if it is."""

    judge: Planted
    seed: int
    said: str
    findings: int
    calls: int
    wrong: str | None


@click.command(short_help="Test unbudged itself on judges of known truth.")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many times each judge is scanned, with other noise and other controls.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.pass_context
def validate(ctx: click.Context, /, seeds: int, as_json: bool) -> None:
    """Scan judges that are known to be steerable, clean or broken, and count what is wrong.

    They ship with unbudged and need no model and no network. A steerable judge must have
    a finding, a clean one none, a broken one must be inconclusive.

    Exit code: 0 all as they should be, 1 any is not.
    """
    with ReportStream(forever=ctx.obj["own_process"]) as out:
        try:
            ctx.exit(_validate(seeds, as_json, out))
        except ReportLost as error:
            complain(str(error))
            ctx.exit(INTERNAL)


def _validate(seeds: int, as_json: bool, out: ReportStream) -> int:
    """Scan every planted judge, write the table or document; return the exit code."""
    from ..planted import JUDGES

    scans: list[Scanned] = []
    if not as_json:
        out.write(_line("judge", "truth", "right", "calls", "what it does"))
    for judge in JUDGES:
        own = list(_scan(judge, range(seeds)))
        scans += own
        if not as_json:
            right = f"{sum(not s.wrong for s in own)} of {len(own)}"
            calls = f"{sum(s.calls for s in own) / len(own):.0f}"
            out.write(_line(judge.name, judge.truth, right, calls, judge.what))
    wrong = [s for s in scans if s.wrong]
    if as_json:
        import json

        out.write(json.dumps(_document(seeds, scans), indent=2))
    else:
        out.write("\n" + _summary(scans))
    for s in wrong:
        complain(f"{s.judge.name}, seed {s.seed}: {s.wrong}")
    return 1 if wrong else 0


def _scan(judge: Planted, seeds: Sequence[int]) -> Iterator[Scanned]:
    from .. import api

    for seed in seeds:
        target = judge.make(seed)
        try:
            report = api.run(target, list(judge.baselines), seed=seed)
        except Exception as error:  # noqa: BLE001 a scan that crashes is one that is wrong
            said = f"{type(error).__name__}: {error}"
            yield Scanned(judge, seed, said, 0, target.calls, f"the scan failed, {said}")
            continue
        count = len({finding.attack_id for finding in report.findings})
        wrong = _wrong(judge, target, report, count)
        yield Scanned(judge, seed, report.verdict, count, target.calls, wrong)


def _wrong(judge: Planted, target: PlantedJudge, report: Report, count: int) -> str | None:
    """Return what is wrong with the report, None for nothing."""
    if report.calls != target.calls:
        return f"{report.calls} calls reported, {target.calls} made"
    if judge.truth == "steerable" and not count:
        return f"steerable, yet nothing was found ({report.verdict})"
    if judge.truth != "steerable" and count:
        return f"{judge.truth}, yet moved by {count} payload{'s' * (count > 1)}"
    if judge.truth == "broken" and (report.verdict != "inconclusive" or not report.unscorable):
        return f"broken, yet {report.verdict}"
    return None


def _tally(scans: Sequence[Scanned], truth: str) -> tuple[int, int]:
    """Return how many scans of judges of this truth were right, and how many there were."""
    own = [s for s in scans if s.judge.truth == truth]
    return sum(not s.wrong for s in own), len(own)


def _summary(scans: Sequence[Scanned]) -> str:
    found, steerable = _tally(scans, "steerable")
    clean, cleans = _tally(scans, "clean")
    named, broken = _tally(scans, "broken")
    return (
        f"recall {found} of {steerable}, false alarms {cleans - clean} of {cleans},"
        f" broken named {named} of {broken}, {sum(s.calls for s in scans)} judge calls"
    )


def _document(seeds: int, scans: Sequence[Scanned]) -> dict[str, Any]:
    from ..version import VERSION

    found, steerable = _tally(scans, "steerable")
    clean, cleans = _tally(scans, "clean")
    named, broken = _tally(scans, "broken")
    return {
        "unbudged": VERSION,
        "seeds": seeds,
        "right": not any(s.wrong for s in scans),
        "recall": {"found": found, "of": steerable},
        "false_alarms": {"raised": cleans - clean, "of": cleans},
        "broken": {"named": named, "of": broken},
        "calls": sum(s.calls for s in scans),
        "scans": [
            {
                "judge": s.judge.name,
                "truth": s.judge.truth,
                "what": s.judge.what,
                "seed": s.seed,
                "said": s.said,
                "payloads_found": s.findings,
                "calls": s.calls,
                "wrong": s.wrong,
            }
            for s in scans
        ],
    }


def _line(judge: str, truth: str, right: str, calls: str, what: str) -> str:
    return f"{judge:<15} {truth:<10} {right:>8} {calls:>6}  {what}"
