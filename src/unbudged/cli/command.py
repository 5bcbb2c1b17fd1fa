"""``unbudged run``: its options, and what becomes of an error."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from ..errors import UnbudgedError
from ..version import VERSION
from . import INTERNAL, INTERRUPTED
from .output import ReportLost, ReportStream, complain
from .publish import publish
from .running import running
from .scan import Cut, scan
from .validate import validate
from .values import columns, finite, scale_bounds

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Commands(click.Group):
    """The commands; a target where a command belongs is answered with the command it needs."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        first = args[0]
        known = self.get_command(ctx, first) is not None
        if not known and (".py" in first or ":" in first or os.path.exists(first)):
            ctx.fail(f"no command {first!r}: a target is scanned by `unbudged run {first}`")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings=_CONTEXT)
@click.version_option(VERSION, prog_name="unbudged", message="%(prog)s %(version)s")
def cli() -> None:
    """Prove that adversarial text cannot move a score, or name the payloads that move it."""


cli.add_command(publish)
cli.add_command(validate)


@cli.command(context_settings=_CONTEXT)
@click.argument("target")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict, the counts and the rows.")
@click.option(
    "--family",
    multiple=True,
    metavar="NAME",
    help="Only attacks of this family, by its full name (no glob); repeatable.",
)
@click.option(
    "--attack",
    multiple=True,
    metavar="ID",
    help="Only this attack, or a glob ('role.*'); repeatable.",
)
@click.option(
    "--corpus",
    multiple=True,
    metavar="NAME|FILE[@FORMAT]",
    help="A shipped corpus, a YAML file or folder, or payloads in a file: txt, json, jsonl, csv,"
    " tsv, garak, pyrit, promptfoo, etb-scan; repeatable. [core]",
)
@click.option(
    "--baseline", multiple=True, metavar="TEXT", help="Add an answer to scan; repeatable."
)
@click.option(
    "--samples",
    metavar="FILE",
    help="Add answers from a JSONL or CSV file (output, input, reference, context, id).",
)
@click.option(
    "--column",
    multiple=True,
    metavar="[FIELD=]NAME",
    callback=columns,
    help="Column of --samples for a field; without a field, the payloads' column of --corpus.",
)
@click.option(
    "--only-baseline",
    multiple=True,
    type=int,
    metavar="N",
    help="Only the N-th baseline, counted from 1 as the report prints them; repeatable.",
)
@click.option("--compose", is_flag=True, help="Add combinations of the strongest payloads.")
@click.option(
    "--budget",
    type=int,
    metavar="N",
    help="As many attacks as N judge calls can score when nothing moves, families first.",
)
@click.option(
    "--worst", is_flag=True, help="Search for the strongest attack (--budget calls); scan it alone."
)
@click.option(
    "--placement",
    type=click.Choice(["suffix", "prefix", "middle", "replace"]),
    help="Where payloads go, instead of where their entry says.",
)
@click.option(
    "--goal",
    metavar="TEXT",
    help="What payloads with a {goal} ask for. [award full marks]",
)
@click.option("--separator", metavar="TEXT", help=r"Between answer and payload. [\n\n]")
@click.option(
    "--scale",
    metavar="LOW-HIGH",
    callback=scale_bounds,
    help="Lowest and highest score, such as 1-10.",
)
@click.option(
    "--pass-mark",
    type=float,
    callback=finite,
    help="Least score that passes: findings then say whether the verdict flips.",
)
@click.option(
    "--contrast",
    nargs=2,
    metavar="GOOD BAD",
    help="A good and a bad answer the judge must rank before it is scanned.",
)
@click.option("--key", help="The score to read when the target returns several.")
@click.option(
    "--direction",
    type=click.Choice(["both", "up", "down"]),
    default="both",
    show_default=True,
    help="Which moves are findings.",
)
@click.option(
    "--tolerance",
    type=float,
    default=1e-9,
    show_default=True,
    help="Least excess that counts, in score units.",
)
@click.option(
    "--alpha",
    type=float,
    default=0.01,
    show_default=True,
    help="Chance of any false alarm in the whole scan.",
)
@click.option("--trials", type=int, help="Calls per text, instead of as many as needed.")
@click.option("--max-calls", type=int, help="Stop after this many judge calls.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides order and controls.")
@click.option(
    "--max-findings",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Exit 0 up to this many findings.",
)
@running
@click.option("--dry-run", is_flag=True, help="Say how many judge calls it takes; make none.")
@click.option("--traceback", is_flag=True, help="Show the traceback behind an error.")
@click.pass_context
def run(ctx: click.Context, /, **options: Any) -> None:
    """Scan TARGET: path/to/file.py[:name] or package.module:name (name is `target`).

    The file is run, as a conftest.py would be. It defines the target, a function of the
    text or an object with .score(text), and `baselines`, a list of strings or Samples. For
    an Inspect AI scorer, DeepEval metric or Weave scorer there are built-in baselines.

    Exit code: 0 held, 1 findings or readings that are no score, 2 usage, 3 inconclusive.
    """
    with ReportStream(forever=ctx.obj["own_process"]) as out:
        try:
            ctx.exit(scan(options, out))
        except ReportLost as error:
            complain(str(error))
            ctx.exit(INTERNAL)
        except UnbudgedError as error:
            _show_traceback(options)
            complain(str(error))
            ctx.exit(2)
        except Cut:
            complain(f"interrupted; {_continues(options, ctx.obj['own_process'])}")
            ctx.exit(INTERRUPTED)
        except KeyboardInterrupt:
            complain("interrupted")
            ctx.exit(INTERRUPTED)
        except (click.exceptions.Exit, click.ClickException):
            raise
        except BaseException as error:  # noqa: BLE001 the last resort, said as what it is
            _show_traceback(options)
            complain(
                f"internal error, not a result: {type(error).__name__}: {error}"
                " (--traceback shows where)"
            )
            ctx.exit(INTERNAL)


def _continues(options: dict[str, Any], own_process: bool) -> str:
    """Say how to go on after an interruption."""
    if not options["journal"]:
        return "nothing was kept: with --journal FILE a scan can be continued"
    if not own_process:
        return "the same call continues it"
    import shlex

    return f"this continues it: {shlex.join(['unbudged', *sys.argv[1:]])}"


def _show_traceback(options: dict[str, Any]) -> None:
    if options["traceback"]:
        import traceback

        traceback.print_exc(file=sys.stderr)
