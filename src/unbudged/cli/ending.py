"""What becomes of an error in any command: one line, and the exit code that means it."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from ..errors import UnbudgedError, UsageError
from . import INTERNAL, INTERRUPTED
from .exits import watch_exits
from .output import ReportLost, ReportStream, complain
from .typed import typed


def finish(
    ctx: click.Context, work: Callable[[ReportStream], int], *, traceback: bool = False
) -> None:
    """Do a command's work with the report's own stream and exit with the code it returns.

    2 for what the user can put right, 70 for a lost report or a fault of unbudged, 130
    when interrupted; ``traceback`` prints where an error came from as well.
    """
    if ctx.obj["own_process"]:
        watch_exits()
    with ReportStream(forever=ctx.obj["own_process"]) as out:
        try:
            ctx.exit(work(out))
        except ReportLost as error:
            complain(str(error))
            ctx.exit(INTERNAL)
        except UnbudgedError as error:
            _trace(traceback)
            # a subclass speaks of a file or a target, whose words stay as they are
            said = str(error)
            complain(typed(said, ctx.command) if type(error) is UsageError else said)
            ctx.exit(2)
        except KeyboardInterrupt:
            complain("interrupted")
            ctx.exit(INTERRUPTED)
        except (click.exceptions.Exit, click.ClickException):
            raise
        except BaseException as error:  # noqa: BLE001 the last resort, said as what it is
            _trace(traceback)
            complain(
                f"internal error, not a result: {type(error).__name__}: {error}"
                " (unbudged run --traceback shows where)"
            )
            ctx.exit(INTERNAL)


def _trace(wanted: bool) -> None:
    if wanted:
        import traceback

        traceback.print_exc(file=sys.stderr)
