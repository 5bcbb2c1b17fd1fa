"""``unbudged publish``: a report that was saved, sent to a framework's own tracker."""

from __future__ import annotations

from typing import Any

import click

from ..errors import UnbudgedError
from .output import ReportStream, complain


@click.group(short_help="Send a saved report to a framework's tracker.")
def publish() -> None:
    """Send a report written by `unbudged run --json` to where others look."""


@publish.command()
@click.argument("report")
@click.option(
    "--project", required=True, metavar="[ENTITY/]NAME", help="The Weave project to log to."
)
@click.option("--name", help="What to call the evaluation. [unbudged TARGET]")
@click.pass_context
def weave(ctx: click.Context, /, **options: Any) -> None:
    """Log REPORT (a JSON file, or - for standard input) as a Weave evaluation.

    One row per attack; what could not be scored carries no score and stays out of the
    denominators. Prints the evaluation's address.
    """
    with ReportStream(forever=ctx.obj["own_process"]) as out:
        try:
            from ..adapters.weave.publish import publish_file

            address = publish_file(options["report"], options["project"], options["name"])
        except UnbudgedError as error:
            complain(str(error))
            ctx.exit(2)
        out.write(address or "published")
