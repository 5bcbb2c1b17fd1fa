"""``unbudged report``: a saved report in any other format."""

from __future__ import annotations

from typing import Any

import click

from ..core.report import Report
from ..errors import UsageError
from ..saved import read_saved
from . import completion
from .ending import finish
from .output import ReportStream
from .outputs import Outputs, output_options


@click.command(short_help="Show a saved report, or write it in other formats.")
@click.argument("report", shell_complete=completion.files)
@output_options
@click.option("--text", is_flag=True, help="Print the text, as it is without any option.")
@click.option("--json", "as_json", is_flag=True, help="Print the JSON document.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict, the counts and the rows.")
@click.option("--all", "everything", is_flag=True, help="Print long lists to their end.")
@click.pass_context
def report(ctx: click.Context, /, **options: Any) -> None:
    """Show a saved REPORT (`unbudged run --save REPORT`), or write it in other formats.

    Exit code: 0 whatever the report says, 2 when it cannot be read.
    """
    finish(ctx, lambda out: _report(options, out))


def _report(options: dict[str, Any], out: ReportStream) -> int:
    if options["as_json"] and options["text"]:
        raise UsageError("--text and --json both print: ask for one, --save FILE writes JSON")
    made = read_saved(options["report"])
    outputs = Outputs(options, keep=(options["report"],))
    outputs.write(made, target_file(made))
    if options["as_json"]:
        out.write(made.to_json())
    elif options["text"] or options["quiet"] or options["everything"] or not outputs:
        out.report(show_text(made, out, quiet=options["quiet"], full=options["everything"]))
    return 0


def show_text(made: Report, out: ReportStream, *, quiet: bool, full: bool) -> str:
    """Return the text of a report as the command that made it would print it."""
    return made.to_text(
        command=command_of(made),
        positions=positions_of(made),
        quiet=quiet,
        by_family=True,
        full=full,
        encoding=out.encoding,
    )


def command_of(made: Report) -> tuple[str, ...] | None:
    """Return the command line that made a report, None for one made from Python."""
    given = made.settings.get("command")
    if isinstance(given, (list, tuple)) and all(isinstance(word, str) for word in given):
        return tuple(given)
    return None


def positions_of(made: Report) -> tuple[int, ...] | None:
    """Return the numbers of the baselines where a scan took some of them only."""
    given = made.settings.get("positions")
    if isinstance(given, (list, tuple)) and all(isinstance(place, int) for place in given):
        return tuple(given)
    return None


def target_file(made: Report) -> str | None:
    """Return the target as the command takes it, None where it was in no file."""
    given = made.settings.get("target_file")
    return given if isinstance(given, str) else None
