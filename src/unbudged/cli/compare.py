"""``unbudged compare``: what changed between two saved reports."""

from __future__ import annotations

from typing import Any

import click

from . import completion
from .ending import finish
from .output import ReportStream, complain


@click.command(short_help="Say what changed between two saved reports.")
@click.argument("before", shell_complete=completion.files)
@click.argument("after", shell_complete=completion.files)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("--all", "everything", is_flag=True, help="Print long lists to their end.")
@click.pass_context
def compare(ctx: click.Context, /, **options: Any) -> None:
    """Say what moved in AFTER, what no longer does, and what harmless text scored.

    BEFORE and AFTER are reports saved by `unbudged run --save FILE`, of the same
    baselines and payloads.

    Exit code: 0 nothing new moved, 1 something did, 2 not comparable or not readable,
    3 nothing new moved but AFTER did not measure everything.
    """
    finish(ctx, lambda out: _compare(options, out))


def _compare(options: dict[str, Any], out: ReportStream) -> int:
    from ..compare import compare as compared
    from ..compare.text import document, render
    from ..saved import read_saved

    made = compared(read_saved(options["before"]), read_saved(options["after"]))
    if options["as_json"]:
        import json

        out.write(json.dumps(document(made), indent=2, allow_nan=False))
    else:
        out.report(render(made, full=options["everything"], encoding=out.encoding))
    if made.new:
        complain(f"{len(made.new)} finding{'s' * (len(made.new) != 1)} not in BEFORE")
        return 1
    if not made.measured:
        complain("inconclusive: AFTER did not measure everything")
        return 3
    return 0
