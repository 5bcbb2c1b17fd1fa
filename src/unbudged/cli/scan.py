"""From the options of ``unbudged run`` to a scan, its report and an exit code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ..core.report import Report
from ..errors import UsageError
from .dry_run import foreseen
from .exit_code import exit_code
from .folder import back_in, here
from .loaded import load
from .output import ReportLost, ReportStream
from .outputs import Outputs
from .repeat import repeatable
from .report import show_text, target_file
from .running import calling
from .settings import origin
from .values import PAYLOAD, separator, with_columns
from .watching import watch

if TYPE_CHECKING:
    from ..core.corpus import Corpus


def scan(options: dict[str, Any], out: ReportStream) -> int:
    """Load, scan, write the report; return the exit code. Raises UsageError."""
    try:
        return _scan(options, out)
    except UsageError as error:
        where = origin(click.get_current_context(), str(error))
        if not where:
            raise
        raise type(error)(f"{error}{where}") from error


def _scan(options: dict[str, Any], out: ReportStream) -> int:
    from .. import api
    from ..core.corpus import read_corpus
    from ..loading import located
    from ..saved import read_saved

    _name_column(options)
    corpus = read_corpus(list(options["corpus"]) or "core")
    _check_choice(options, corpus)
    spec = options["target"]
    used = (spec, spec.rpartition(":")[0], options["samples"], options["journal"])
    outputs = Outputs(options, keep=used)
    if options["journal"]:
        options["journal"] = os.path.abspath(options["journal"])  # a target may change the folder
    known = None if options["fail_on_new"] is None else read_saved(options["fail_on_new"])
    # a target may change the folder: what is named from here is looked up before it is loaded
    started, source, told = here(), located(spec), repeatable(options)
    target, baselines, positions, contrast = load(options)
    arguments: dict[str, Any] = {
        "families": list(options["family"]) or None,
        "attacks": list(options["attack"]) or None,
        "corpus": corpus,
    }
    for name in (
        "tolerance",
        "alpha",
        "trials",
        "max_calls",
        "compose",
        "budget",
        "worst",
        "seed",
        "direction",
        "scale",
        "pass_mark",
        "placement",
        "goal",
        "key",
    ):
        arguments[name] = options[name]
    if options["contrast"] or contrast is not None:
        arguments["contrast"] = options["contrast"] or contrast
    if options["separator"] is not None:
        arguments["separator"] = separator(options["separator"])
    if options["dry_run"]:
        planned = api.plan_scan(target, baselines, **arguments)
        out.write(foreseen(planned, out, as_json=options["as_json"]))
        return 0
    interrupted = False
    if options["only_baseline"]:
        told["positions"] = tuple(positions)
    with calling(options, source) as how, watch(options["quiet"]) as progress:
        try:
            report = api.run(
                target, baselines, progress=progress, _told=told,
                **arguments, **how,
            )
        except api.Interrupted as stop:
            report, interrupted = stop.report, True
            if not (report.channels or report.unscorable):  # nothing is known yet
                raise
    if known is not None:
        from ..compare import marked

        report = marked(report, known)
    if interrupted:
        _print(report, options, out)
        raise Cut(", no file was written" if outputs else "")
    lost = None
    try:
        with back_in(started):
            outputs.write(report, target_file(report))
    except ReportLost as error:  # standard output still gets what is left
        lost = error
    _print(report, options, out)
    if lost is not None:
        raise lost
    return exit_code(report, options["max_findings"], known)


class Cut(KeyboardInterrupt):
    """The scan was interrupted; what it knows is printed, files are left as they were."""


def _print(report: Report, options: dict[str, Any], out: ReportStream) -> None:
    if options["as_json"]:
        out.write(report.to_json())
    else:
        out.report(show_text(report, out, quiet=options["quiet"], full=options["everything"]))


def _name_column(options: dict[str, Any]) -> None:
    """Move a column without a field from --column to the names of the corpora it is in."""
    column = options["column"].pop(PAYLOAD, None)
    if column is None:
        return
    options["corpus"] = with_columns(
        options["corpus"], column, "; a column of --samples goes by --column FIELD=NAME"
    )


def _check_choice(options: dict[str, Any], corpus: Corpus) -> None:
    """Refuse a family given as a glob, and attacks that the families given leave out."""
    families, attacks = options["family"], options["attack"]
    for name in families:
        if set(name) & set("*?["):
            raise UsageError(
                f"--family {name!r}: a family goes by its full name; --attack takes globs"
                " such as 'role.*'"
            )
    if not (families and attacks):
        return
    from fnmatch import fnmatchcase

    for pattern in attacks:
        homes = sorted({a.family for a in corpus.attacks if fnmatchcase(a.id, pattern)})
        if homes and not set(homes) & set(families):
            raise UsageError(
                f"--attack {pattern!r} is of the family {', '.join(homes)},"
                f" which --family {', '.join(families)} leaves out"
            )
