"""The command ``unbudged``, the same as ``python -m unbudged.cli``."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # nothing is imported before an interrupt is looked after
if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

#: a fault of unbudged itself, which no result of a scan may be mistaken for
INTERNAL = 70
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code.

    0 held, 1 findings or unscorable readings, 2 usage, 3 inconclusive; 130 when
    interrupted, 70 for a fault of unbudged itself. Without ``arguments`` the process is
    taken to be unbudged's own: its standard output is then kept for the report up to
    its very end, whatever the target still prints.
    """
    own = False
    try:
        if arguments is None:
            from . import interrupts

            own = interrupts.looked_after()
            if own:
                interrupts.end_at_once()
        code = _command(arguments, own)
    except KeyboardInterrupt:
        from .output import complain

        complain("interrupted")
        code = INTERRUPTED
    if own:
        interrupts.end_with(code)
    if arguments is None:
        from . import exits

        exits.end_with(code)
    sys.exit(code)


def _command(arguments: Sequence[str] | None, own_interrupts: bool) -> int:
    """Run the command and return the exit code; only KeyboardInterrupt escapes."""
    from .output import OwnStreams, ReportLost, complain

    streams = OwnStreams() if arguments is None else None
    import click

    from .command import cli

    try:
        if own_interrupts:
            from .interrupts import raise_once

            raise_once()
        code = cli.main(
            args=None if arguments is None else list(arguments),
            standalone_mode=False,
            obj={"own_process": arguments is None},
        )
        if streams is not None:
            streams.check()
        return int(code or 0)
    except click.exceptions.Abort:
        complain("interrupted")
        return INTERRUPTED
    except click.ClickException as error:
        if getattr(error, "ctx", None) and type(error).__name__ == "NoArgsIsHelpError":
            error.show()
        else:
            complain(_said(error))
        return 2
    except ReportLost as error:
        complain(str(error))
        return INTERNAL
    except KeyboardInterrupt:
        raise
    except SystemExit as error:  # click's shell completion ends so
        return error.code if isinstance(error.code, int) else 0
    except BaseException as error:  # noqa: BLE001 the last resort, said as what it is
        complain(f"internal error, not a result: {type(error).__name__}: {error}")
        return INTERNAL


def _said(error: click.ClickException) -> str:
    """Return a usage error's message, and where to look when an argument is missing or unknown."""
    from click import MissingParameter, NoSuchOption

    message = error.format_message()
    ctx = getattr(error, "ctx", None)
    if ctx is None or not isinstance(error, (MissingParameter, NoSuchOption)):
        return message
    every = ctx.info_name == "run" and isinstance(error, NoSuchOption)
    return f"{message} See `{ctx.command_path} {'--help-all' if every else '--help'}`."
