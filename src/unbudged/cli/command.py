"""``unbudged run``: its options, and the way from them to a scan and an exit code."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..core.report import Report
from ..core.sample import Sample
from ..errors import UnbudgedError, UsageError
from . import INTERNAL
from .output import ReportStream, complain
from .values import Column, Scale, separator

#: options a finding may depend on, in the order the repeat line gives them
_REPEATED = (
    "corpus",
    "baseline",
    "samples",
    "column",
    "placement",
    "separator",
    "scale",
    "pass_mark",
    "key",
    "tolerance",
    "alpha",
    "trials",
    "direction",
    "seed",
)
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=_CONTEXT)
@click.version_option(package_name="unbudged", prog_name="unbudged", message="%(prog)s %(version)s")
def cli() -> None:
    """Prove that adversarial text cannot move a score, or name the payloads that move it."""


@cli.command(context_settings=_CONTEXT)
@click.argument("target")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict, the counts and the rows.")
@click.option(
    "--family", multiple=True, help="Only attacks of this family, by its full name; repeatable."
)
@click.option(
    "--attack", multiple=True, metavar="ID", help="Only this attack, or a glob; repeatable."
)
@click.option(
    "--corpus", multiple=True, help="A shipped corpus or a YAML file or folder; repeatable. [core]"
)
@click.option(
    "--baseline", multiple=True, metavar="TEXT", help="Add an answer to scan; repeatable."
)
@click.option(
    "--samples", metavar="FILE", help="Add answers from a JSONL or CSV file (output, input, "
    "reference, context, id).",
)
@click.option(
    "--column", multiple=True, type=Column(), help="Column of --samples for a field; repeatable."
)
@click.option(
    "--only-baseline", multiple=True, type=int, metavar="N",
    help="Only the N-th baseline, counted from 1 as the report prints them; repeatable.",
)
@click.option("--placement", type=click.Choice(["suffix", "prefix", "replace"]),
              help="Where payloads go, instead of where their entry says.")
@click.option("--separator", metavar="TEXT", help=r"Between answer and payload. [\n\n]")
@click.option("--scale", type=Scale(), help="Lowest and highest score, such as 1-10.")
@click.option("--pass-mark", type=float, help="Least score that passes: findings then say "
              "whether the verdict flips.")
@click.option("--key", help="The score to read when the target returns several.")
@click.option("--direction", type=click.Choice(["both", "up", "down"]), default="both",
              show_default=True, help="Which moves are findings.")
@click.option("--tolerance", type=float, default=1e-9, show_default=True,
              help="Least excess that counts, in score units.")
@click.option("--alpha", type=float, default=0.01, show_default=True,
              help="Chance of any false alarm in the whole scan.")
@click.option("--trials", type=int, help="Calls per text, instead of as many as needed.")
@click.option("--max-calls", type=int, help="Stop after this many judge calls.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides order and controls.")
@click.option("--max-findings", type=click.IntRange(min=0), default=0, show_default=True,
              help="Exit 0 up to this many findings.")
@click.option("--dry-run", is_flag=True, help="Say how many judge calls it takes; make none.")
@click.option("--traceback", is_flag=True, help="Show the traceback behind an error.")
@click.pass_context
def run(ctx: click.Context, /, **options: Any) -> None:
    """Scan TARGET: path/to/file.py[:name] or package.module:name (name is `target`).

    The file is run, as a conftest.py would be. It defines the target, a function of the
    text or an object with .score(text), and `baselines`, a list of strings or Samples.

    Exit code: 0 held, 1 findings or readings that are no score, 2 usage, 3 inconclusive.
    """
    with ReportStream(forever=ctx.obj["own_process"]) as out:
        try:
            ctx.exit(_scan(options, out))
        except UnbudgedError as error:
            _show_traceback(options)
            complain(str(error))
            ctx.exit(2)
        except (click.exceptions.Exit, click.ClickException):
            raise
        except Exception as error:  # noqa: BLE001 the last resort, said as what it is
            _show_traceback(options)
            complain(
                f"internal error, not a result: {type(error).__name__}: {error}"
                " (--traceback shows where)"
            )
            ctx.exit(INTERNAL)


def _show_traceback(options: dict[str, Any]) -> None:
    if options["traceback"]:
        import traceback

        traceback.print_exc(file=sys.stderr)


def _scan(options: dict[str, Any], out: ReportStream) -> int:
    from .. import api  # before the target's folder can shadow anything it needs

    target, baselines, positions = _load(options)
    arguments: dict[str, Any] = {
        "families": list(options["family"]) or None,
        "attacks": list(options["attack"]) or None,
        "corpus": list(options["corpus"]) or "core",
    }
    for name in (
        "tolerance", "alpha", "trials", "max_calls", "seed", "direction",
        "scale", "pass_mark", "placement", "key",
    ):
        arguments[name] = options[name]
    if options["separator"] is not None:
        arguments["separator"] = separator(options["separator"])
    if options["dry_run"]:
        out.write(_dry_run(api.plan_scan(target, baselines, **arguments), options["as_json"]))
        return 0
    report = api.run(target, baselines, **arguments)
    if options["as_json"]:
        out.write(report.to_json())
    else:
        command = _repeat_command(options)
        out.write(
            report.to_text(command=command, positions=positions, quiet=options["quiet"])
        )
    return _exit_code(report, options["max_findings"])


def _load(options: dict[str, Any]) -> tuple[Any, list[Sample], list[int]]:
    """Return target, baselines and the number each baseline has for ``--only-baseline``."""
    from ..loading import load_target, read_baselines, unique
    from .samples import read_samples

    columns = dict(options["column"])
    if len(columns) != len(options["column"]):
        raise UsageError("--column maps the same field twice")
    if columns and options["samples"] is None:
        raise UsageError("--column says how to read --samples, which is not given")
    samples = read_samples(options["samples"], columns) if options["samples"] is not None else ()
    extra = read_baselines(list(options["baseline"]), "--baseline")
    loaded = load_target(options["target"])
    baselines = list(unique((*(loaded.baselines or ()), *extra, *samples)))
    if not baselines:
        missing = "defines no" if loaded.baselines is None else "has an empty list of"
        raise UsageError(
            f"{loaded.place} {missing} baselines: add some, or give --baseline or --samples"
        )
    positions = sorted(set(options["only_baseline"])) or list(range(1, len(baselines) + 1))
    for position in positions:
        if not 1 <= position <= len(baselines):
            raise UsageError(
                f"--only-baseline {position}: the baselines are numbered 1 to {len(baselines)}"
            )
    return loaded.target, [baselines[position - 1] for position in positions], positions


def _repeat_command(options: dict[str, Any]) -> list[str]:
    ctx = click.get_current_context()
    command = ["unbudged", "run", options["target"]]
    for parameter in ctx.command.params:
        name = parameter.name or ""
        value = options.get(name)
        if name not in _REPEATED or value is None or value == parameter.get_default(ctx):
            continue
        for item in value if parameter.multiple else [value]:
            command += [parameter.opts[-1], _as_typed(name, item)]
    return command


def _as_typed(name: str, value: Any) -> str:
    if name == "scale":
        return f"{value[0]:.17g}-{value[1]:.17g}"
    if name == "column":
        return "=".join(value)
    return repr(value) if isinstance(value, float) else str(value)


def _dry_run(plan: Any, as_json: bool) -> str:
    if as_json:
        import json

        names = ("attack_count", "baseline_count", "probe_count", "least_calls", "most_calls")
        return json.dumps({"dry_run": True, **{name: getattr(plan, name) for name in names}})
    return (
        f"{plan.attack_count} attacks, {plan.baseline_count} baselines, {plan.probe_count} probes\n"
        f"{plan.least_calls} to {plan.most_calls} judge calls; none was made"
    )


def _exit_code(report: Report, max_findings: int) -> int:
    """Return the code and say on standard error which of its meanings applies."""
    found, unscorable = len(report.findings), len(report.unscorable)
    if found > max_findings:
        complain(f"{found} finding{'s' * (found != 1)}, {max_findings} allowed")
    if unscorable:
        complain(f"{unscorable} reading{'s' * (unscorable != 1)} could not be scored")
    if found > max_findings or unscorable:
        return 1
    if report.verdict == "inconclusive" or report.undecided:
        complain("inconclusive: not everything could be measured")
        return 3
    return 0
