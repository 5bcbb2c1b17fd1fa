"""From the options of ``unbudged run`` to a scan, its report and an exit code."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..core.report import Report
from ..core.sample import Sample
from ..errors import UsageError
from .dry_run import foreseen
from .folder import back_in, here
from .output import ReportLost, ReportStream, complain
from .outputs import Outputs
from .report import show_text, target_file
from .running import calling
from .settings import origin
from .values import PAYLOAD, separator, with_columns
from .watching import watch

if TYPE_CHECKING:
    from ..core.corpus import Corpus

#: what a scan imports late, taken in before a target's folder (an inspect.py in it) is on the path;
#: asyncio and traceback bring most of the standard library a folder may have a namesake of
_LATE = (
    "asyncio",
    "concurrent.futures.thread",
    "difflib",
    "fnmatch",
    "hashlib",
    "importlib.metadata",
    "inspect",
    "json",
    "random",
    "statistics",
    "traceback",
    "yaml",
)
#: options a finding may depend on, in the order the repeat line gives them
_REPEATED = (
    "corpus",
    "compose",
    "baseline",
    "samples",
    "column",
    "placement",
    "goal",
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


def scan(options: dict[str, Any], out: ReportStream) -> int:
    """Load, scan, write the report; return the exit code. Raises UsageError."""
    try:
        return _scan(options, out)
    except UsageError as error:
        where = origin(click.get_current_context(), str(error))
        if not where:
            raise
        raise UsageError(f"{error}{where}") from error


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
    started, source, told = here(), located(spec), _told(options)
    target, baselines, positions, contrast = _load(options)
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
    return _exit_code(report, options["max_findings"], known)


class Cut(KeyboardInterrupt):
    """The scan was interrupted; what it knows is printed, files are left as they were."""


def _print(report: Report, options: dict[str, Any], out: ReportStream) -> None:
    if options["as_json"]:
        out.write(report.to_json())
    else:
        out.report(show_text(report, out, quiet=options["quiet"], full=options["everything"]))


def _told(options: dict[str, Any]) -> dict[str, Any]:
    """Return the command of the scan, kept with its settings: a saved one can be repeated."""
    told: dict[str, Any] = {"command": tuple(_repeat_command(options))}
    place, _, _ = options["target"].rpartition(":")
    for path in (options["target"], place):
        if path and os.path.isfile(path):
            told["target_file"] = path
            break
    return told


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


class _Loaded(NamedTuple):
    """What to scan: ``positions`` number the baselines for ``--only-baseline``."""

    target: Any
    baselines: list[Sample]
    positions: list[int]
    #: (strong, weak) answers the judge must rank, None unless the built-in samples are used
    contrast: tuple[list[Sample], list[Sample]] | None = None


def _load(options: dict[str, Any]) -> _Loaded:
    from .. import api
    from ..adapters.extras import keep_quiet
    from ..loading import load_target, read_baselines
    from .samples import read_samples

    path, mapping = options["samples"], options["column"]
    if mapping and path is None:
        raise UsageError("--column says how to read --samples, which is not given")
    samples = () if path is None else read_samples(path, mapping)
    extra = read_baselines(list(options["baseline"]), "--baseline")
    for name in _LATE:
        import_module(name)
    keep_quiet()
    loaded = load_target(options["target"])
    given = [*(loaded.baselines or ()), *extra, *samples]
    pairs = None
    if not given and api.find_adapter(loaded.target) is not None:
        # a framework's object knows its fields, so the built-in samples fit it
        pairs = api.built_in_samples(loaded.target)
        given = [weak for weak, _ in pairs]
    if not given:
        missing = "defines no" if loaded.baselines is None else "has an empty list of"
        raise UsageError(
            f"{loaded.place} {missing} baselines: add some, or give --baseline or --samples"
        )
    baselines = api.read_baselines(given)  # a duplicate counts once
    positions = sorted(set(options["only_baseline"])) or list(range(1, len(baselines) + 1))
    for position in positions:
        if not 1 <= position <= len(baselines):
            raise UsageError(
                f"--only-baseline {position}: the baselines are numbered 1 to {len(baselines)}"
            )
    kept = [baselines[position - 1] for position in positions]
    if pairs is None:
        return _Loaded(loaded.target, kept, positions)
    strong = [pairs[position - 1][1] for position in positions]
    return _Loaded(loaded.target, kept, positions, (strong, kept))


def _repeat_command(options: dict[str, Any]) -> list[str]:
    ctx = click.get_current_context()
    target = options["target"]  # one that starts with a dash would be taken for an option
    command = ["unbudged", "run", f"./{target}" if target.startswith("-") else target]
    for parameter in ctx.command.params:
        name = parameter.name or ""
        value = options.get(name)
        if name not in _REPEATED or value is False or value in (None, (), {}):
            continue
        # the usual value may override a setting
        if value == parameter.default and name not in (ctx.default_map or {}):
            continue
        if value is True:
            command.append(parameter.opts[-1])
            continue
        for item in _typed(name, value):
            command += [parameter.opts[-1], item]
    return command


def _typed(name: str, value: Any) -> list[str]:
    """Return an option's value as a person types it, once per use of the option."""
    if name == "scale":
        return [f"{_figure(value[0])}-{_figure(value[1])}"]
    if name == "column":
        return [f"{field}={column}" for field, column in value.items()]
    if isinstance(value, float):
        return [_figure(value)]
    return [str(item) for item in value] if isinstance(value, tuple) else [str(value)]


def _figure(value: float) -> str:
    """Return a number that reads back as the same bits: up to 17 digits, none in vain."""
    return repr(value).removesuffix(".0")


def _exit_code(report: Report, max_findings: int, known: Report | None = None) -> int:
    """Return the code and say on standard error which of its meanings applies.

    With ``known``, a report from before, only findings marked as new count.
    """
    found, unscorable = len(report.findings), len(report.unscorable)
    new = ""
    if known is not None:
        from ..compare import strangers

        fresh = sum(bool(f.new) for f in report.findings)
        for remark in strangers(report, known):
            complain(f"--fail-on-new: {remark}")
        if found > fresh:
            complain(f"{_counted(found - fresh, 'known finding')} tolerated")
        found, new = fresh, "new "
    if found > max_findings:
        complain(f"{_counted(found, f'{new}finding')}, {max_findings} allowed")
    if unscorable:
        complain(f"{_counted(unscorable, 'reading')} could not be scored")
    if found > max_findings or unscorable:
        return 1
    if report.verdict == "inconclusive" or any(u.attack_id != "*" for u in report.undecided):
        whys = {u.why for u in report.undecided if u.attack_id != "*"}
        why = f": {whys.pop()}" if len(whys) == 1 else ""
        complain(f"inconclusive: not everything could be measured{why}")
        return 3
    return 0


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"
