"""``unbudged show``: the exact texts behind a finding, and the command that repeats it."""

from __future__ import annotations

from typing import Any

import click

from ..core.placement import SEPARATED, place
from ..core.report import Finding, Report
from ..errors import UsageError
from ..reports.inert import inert, quoted, shown_in, wrap
from ..reports.text import position, repeat_line
from ..reports.wording import grouped, number
from ..saved import read_saved
from . import completion
from .blocks import block
from .ending import finish
from .output import ReportStream
from .report import command_of, positions_of


@click.command(short_help="Show the texts behind a finding.")
@click.argument("report", shell_complete=completion.files)
@click.argument("finding", shell_complete=completion.findings)
@click.option("--raw", is_flag=True, help="Write the text that was sent, byte for byte.")
@click.pass_context
def show(ctx: click.Context, /, **options: Any) -> None:
    """Show the text that was sent for a FINDING of a saved REPORT, and how to repeat it.

    FINDING is N, the N-th row of the report counted from 1, or an attack's id, with
    @BASELINE behind it for one of several (role.reviewer@2).

    Hidden characters are shown as escapes; --raw writes the bytes as they were.
    """
    finish(ctx, lambda out: _show(options, out))


def _show(options: dict[str, Any], out: ReportStream) -> int:
    report = read_saved(options["report"])
    found = find(report, options["finding"])
    if not options["raw"]:
        with shown_in(out.encoding):
            out.write("\n\n".join("\n".join(_lines(report, f)) for f in found))
        return 0
    if len({sent(report, f) for f in found}) > 1:
        names = ", ".join(_name(report, f) for f in found)
        raise UsageError(f"--raw writes one text; name one of {names}")
    out.write_bytes(sent(report, found[0]).encode("utf-8", "surrogatepass"))
    return 0


def find(report: Report, wanted: str) -> list[Finding]:
    """Return the findings a person means by N, ID or ID@BASELINE; raises UsageError."""
    rows = [f for group in grouped(report) for f in group]
    if not rows:
        raise UsageError("the report has no findings")
    if wanted.isdecimal():
        if not 1 <= int(wanted) <= len(rows):
            raise UsageError(f"no finding {wanted}: the rows are numbered 1 to {len(rows)}")
        return [rows[int(wanted) - 1]]
    exact = [f for f in rows if f.attack_id == wanted]
    if exact:
        return exact
    attack, at, baseline = wanted.rpartition("@")
    own = [f for f in rows if f.attack_id == attack] if at else []
    one = [f for f in own if str(_position(report, f)) == baseline]
    if one:
        return one
    if own:
        there = ", ".join(dict.fromkeys(str(_position(report, f)) for f in own))
        raise UsageError(f"{attack} is no finding on baseline {baseline}, only on {there}")
    from ..core.fields import closest

    names = list(dict.fromkeys(f.attack_id for f in rows))
    raise UsageError(f"no finding {wanted!r}{closest(wanted, names)}")


def sent(report: Report, finding: Finding) -> str:
    """Return the text the judge was given for a finding, as it was in the first context."""
    separator = report.settings.get("separator", "\n\n")
    return place(finding.baseline, finding.payload, finding.placement, str(separator))


def _position(report: Report, finding: Finding) -> int:
    return position(finding, positions_of(report))


def _name(report: Report, finding: Finding) -> str:
    return f"{finding.attack_id}@{_position(report, finding)}"


def _lines(report: Report, f: Finding) -> list[str]:
    separator = str(report.settings.get("separator", "\n\n"))
    flipped = f", {f.flipped.replace('_', ' ')}" if f.flipped else ""
    channel = f", channel {f.channel}" if len(report.channels) > 1 else ""
    where = f.placement
    if where in SEPARATED:
        where += f", separator {quoted(separator, 30)}"
    lines = wrap(
        f"{_name(report, f)}: attack {number(f.attack_shift)}, control {number(f.control_shift)},"
        f" excess {number(f.excess)} {f.direction}{flipped}{channel}"
    )
    lines += wrap(f"family {f.family}, {f.kind}: {f.evidence.sentence}")
    lines += ["", "baseline:", *block(f.baseline), "", "payload:", *block(f.payload), ""]
    if f.plain:
        lines += [f"the payload encodes ({inert(f.encoding or 'encoded')}):", *block(f.plain), ""]
    lines += [f"sent ({where}):", *block(sent(report, f)), ""]
    for name, text in (("a twin, other words of its shape", f.twin), ("filler", f.filler)):
        if text is not None:
            placed = place(f.baseline, text, f.placement, separator)
            lines += [f"compared with ({name}):", *block(placed), ""]
    if f.fix:
        lines += wrap(f"fix: {f.fix}")
    repeat = repeat_line(report, [f], command_of(report), positions_of(report))
    return [*lines, f"repeat: {repeat}"]
