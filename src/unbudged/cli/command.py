"""The commands, and ``unbudged run`` with its options."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from ..core.attack import PLACEMENTS
from ..version import VERSION
from . import INTERRUPTED, completion
from .ending import finish
from .help import RunCommand, show_all
from .output import ReportStream, complain
from .outputs import output_options
from .running import running
from .scan import Cut, scan
from .values import columns, finite, not_negative, once, scale_bounds

#: commands beside ``run``, each in a module of its name that is loaded when it is used
_OTHERS = ("compare", "corpus", "doctor", "publish", "report", "show", "validate")
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Commands(click.Group):
    """The commands; a target where a command belongs is answered with the command it needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*self.commands, *_OTHERS))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _OTHERS:
            return super().get_command(ctx, cmd_name)
        found: click.Command = getattr(import_module(f"{__package__}.{cmd_name}"), cmd_name)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        first = args[0]
        known = self.get_command(ctx, first) is not None
        if not known and (".py" in first or ":" in first or os.path.exists(first)):
            ctx.fail(f"no command {first!r}: a target is scanned by `unbudged run {first}`")
        if not known:
            from ..core.fields import closest

            ctx.fail(f"no command {first!r}{closest(first, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write_text("Example: unbudged run judge.py:grade --scale 0-10")
        formatter.write_text(
            'Completion in bash: eval "$(_UNBUDGED_COMPLETE=bash_source unbudged)"'
            " (zsh_source, fish_source)"
        )


@click.group(cls=_Commands, context_settings=_CONTEXT)
@click.version_option(VERSION, prog_name="unbudged", message="%(prog)s %(version)s")
def cli() -> None:
    """Prove that adversarial text cannot move a score, or name the payloads that move it."""


@cli.command(
    cls=RunCommand, context_settings=_CONTEXT, short_help="Scan a target: where to start."
)
@click.argument("target", shell_complete=completion.files)
@click.option(
    "--baseline", multiple=True, metavar="TEXT", help="Add an answer to scan; repeatable."
)
@click.option(
    "--samples",
    multiple=True,
    callback=once,
    metavar="FILE",
    shell_complete=completion.files,
    help="Add answers from JSONL or CSV.",
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
@click.option(
    "--compose",
    is_flag=True,
    help="Add combinations of the payloads strongest as published, and of your own;"
    " none is chosen by how it moves this judge.",
)
@click.option(
    "--budget",
    type=int,
    metavar="N",
    help="As many attacks as N judge calls can score when nothing moves, families first;"
    " what moves takes more (--max-calls is a hard cap).",
)
@click.option(
    "--worst",
    is_flag=True,
    help="Search for the strongest attack and scan it alone, in --budget calls"
    " [what the scan of all takes]; for noisy judges and many baselines.",
)
@click.option(
    "--family",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.families,
    help="Only attacks of this family; repeatable.",
)
@click.option(
    "--attack",
    multiple=True,
    metavar="ID",
    shell_complete=completion.attacks,
    help="Only this attack, or a glob ('role.*'); repeatable.",
)
@click.option(
    "--corpus",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.corpora,
    help="core, extended, or FILE[@FORMAT]; repeatable.",
)
@click.option(
    "--placement",
    type=click.Choice(PLACEMENTS),
    metavar="WHERE",
    help="suffix, prefix, middle, replace, repeat, weave or inlay.",
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
@click.option("--key", metavar="NAME", help="The score to read when the target returns several.")
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
@click.option("--trials", type=int, metavar="N", help="Calls per text, instead of as needed.")
@click.option("--max-calls", type=int, metavar="N", help="Stop after this many judge calls.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides order and controls.")
@click.option(
    "--max-findings",
    type=int,
    callback=not_negative,
    metavar="N",
    default=0,
    help="Exit 0 up to this many findings. [0]",
)
@click.option(
    "--fail-on-new",
    multiple=True,
    callback=once,
    metavar="FILE",
    shell_complete=completion.files,
    help="Exit 1 only for findings FILE does not have.",
)
@running
@click.option("--dry-run", is_flag=True, help="Say how many judge calls it takes; make none.")
@output_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict, the counts and the rows.")
@click.option("--all", "everything", is_flag=True, help="Print long lists to their end.")
@click.option("--traceback", is_flag=True, help="Show the traceback behind an error.")
@click.option(
    "--no-settings",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    help="Take nothing from [tool.unbudged] in pyproject.toml.",
)
@click.option(
    "--help-all",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_all,
    help="Show every option.",
)
@click.pass_context
def run(ctx: click.Context, /, **options: Any) -> None:
    """Scan TARGET, file.py[:name] or package.module:name. The file is run; it defines
    `target` and `baselines`, a list of answers (built in for framework scorers).
    """

    def work(out: ReportStream) -> int:
        try:
            return scan(options, out)
        except Cut as cut:
            complain(f"interrupted{cut}; {_continues(options, ctx.obj['own_process'])}")
            return INTERRUPTED

    finish(ctx, work, traceback=options["traceback"])


def _continues(options: dict[str, Any], own_process: bool) -> str:
    """Say how to go on after an interruption."""
    if not options["journal"]:
        return "nothing was kept: with --journal FILE a scan can be continued"
    if not own_process:
        return "the same call continues it"
    import shlex

    return f"this continues it: {shlex.join(['unbudged', *sys.argv[1:]])}"
