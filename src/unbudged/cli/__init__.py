"""The command ``unbudged``, the same as ``python -m unbudged.cli``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

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
    import click

    from .command import cli
    from .output import complain

    try:
        code = cli.main(
            args=None if arguments is None else list(arguments),
            standalone_mode=False,
            obj={"own_process": arguments is None},
        )
    except (click.exceptions.Abort, KeyboardInterrupt):
        complain("interrupted")
        code = INTERRUPTED
    except click.ClickException as error:
        if getattr(error, "ctx", None) and type(error).__name__ == "NoArgsIsHelpError":
            error.show()
        else:
            complain(error.format_message())
        code = 2
    sys.exit(code)
