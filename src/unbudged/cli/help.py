"""``--help`` on one screen: the usual options and an example; ``--help-all`` has every option."""

from __future__ import annotations

from typing import Any

import click

from ..errors import UsageError
from .settings import read_settings

#: options of ``unbudged run`` that ``--help`` shows
COMMON = frozenset({
    "baseline", "samples", "family", "corpus", "scale", "max_calls", "fail_on_new", "dry_run",
    "html", "save", "as_json", "quiet", "help", "help_all",
})  # fmt: skip
#: headings of ``--help-all`` and what stands under each; what stands under none comes last
SECTIONS = {
    "What is scanned": (
        "baseline", "samples", "column", "only_baseline", "key", "scale", "pass_mark", "contrast",
    ),
    "What is sent": (
        "family", "attack", "corpus", "placement", "separator", "goal", "compose", "budget",
        "worst",
    ),
    "How it is measured": (
        "direction", "tolerance", "alpha", "trials", "max_calls", "seed", "dry_run",
    ),
    "How calls are made": (
        "concurrency", "timeout", "retries", "rate", "isolate", "journal", "explanations", "dask",
    ),
    "What comes out": (
        "as_json", "quiet", "everything", "html", "sarif", "junit", "markdown", "save",
        "max_findings", "fail_on_new",
    ),
}  # fmt: skip
_EXAMPLE = "unbudged run judge.py:grade --scale 0-10 --html report.html"


class RunCommand(click.Command):
    """A command with settings from pyproject.toml and a help that fits a screen."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        asked = {"-h", "--help", "--help-all", "--no-settings"} & set(args)
        if not (asked or ctx.resilient_parsing):
            try:
                ctx.default_map = read_settings(ctx)
            except UsageError as error:
                raise click.UsageError(str(error), ctx) from error
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown = _records(self, ctx)
        everything = ctx.meta.get("unbudged.help_all", False)
        rows = [r for name, r in shown.items() if name in COMMON]
        if not everything:
            with formatter.section("Options"):
                formatter.write_dl(rows)
            return
        listed = {name for names in SECTIONS.values() for name in names}
        rest = tuple(name for name in shown if name not in listed)
        for title, names in {**SECTIONS, "More": rest}.items():
            with formatter.section(title):
                formatter.write_dl([shown[name] for name in names if name in shown])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write_text(f"Example: {_EXAMPLE}")
        formatter.write_text(
            "Exit code: 0 held, 1 findings or unscorable, 2 usage, 3 inconclusive."
        )
        if ctx.meta.get("unbudged.help_all", False):
            formatter.write_paragraph()
            formatter.write_text(
                "Corpora: a shipped name, a YAML file or folder, or payloads of other tools:"
                " FILE@FORMAT with FORMAT one of txt, json, jsonl, csv, tsv, garak, pyrit,"
                " promptfoo, etb-scan; most are told by their names."
            )
            formatter.write_paragraph()
            formatter.write_text(
                "Settings: every option can be set in the nearest pyproject.toml that has a table"
                " [tool.unbudged], by its long name (scale = \"0-10\"); paths there are seen from"
                " that file, and the command line wins."
            )


def _records(command: click.Command, ctx: click.Context) -> dict[str, tuple[str, str]]:
    found = {}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None and parameter.name and isinstance(parameter, click.Option):
            found[parameter.name] = record
    return found


def show_all(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Print the help with every option and end."""
    if value and not ctx.resilient_parsing:
        ctx.meta["unbudged.help_all"] = True
        click.echo(ctx.get_help())
        ctx.exit()
