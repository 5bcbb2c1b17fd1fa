"""``unbudged corpus``: what payloads there are, what one holds, whether a file is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from ..core.corpus import Corpus, read_corpus
from ..core.fields import closest
from ..core.foreign.names import with_column
from ..core.paths import shipped_corpora
from ..errors import CorpusError, UsageError
from ..reports.inert import inert, shown_in, wrap
from ..reports.wording import count
from . import completion
from .blocks import block
from .ending import finish
from .output import ReportStream, complain
from .values import with_columns

_CORPUS = click.option(
    "--corpus",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.corpora,
    help="core, extended, or FILE[@FORMAT]; repeatable.",
)
_COLUMN = click.option(
    "--column", metavar="NAME", help="The column of FILE that holds the payloads."
)


@click.group()
def corpus() -> None:
    """List payloads, show one, or check a file of your own."""


@corpus.command("list")
@_CORPUS
@_COLUMN
@click.pass_context
def list_families(
    ctx: click.Context, /, corpus: tuple[str, ...], column: str | None
) -> None:
    """List the families of a corpus (core without --corpus) and how many payloads each has."""
    finish(ctx, lambda out: _list(with_columns(corpus or ("core",), column), out))


def _list(names: tuple[str, ...], out: ReportStream) -> int:
    read = read_corpus(list(names))
    counts = Counter(attack.family for attack in read.attacks)
    width = max(len(inert(name)) for name in counts)
    with shown_in(out.encoding):
        lines = [_counted(", ".join(map(inert, read.names)), read)]
        for name, number in counts.items():
            family = read.families[name]
            lead = f"  {inert(name):<{width}} {number:>4}  "
            lines += wrap(family.what_it_tries or "-", lead, " " * len(lead))
        lines += _noted(read)
        others = [name for name in shipped_corpora() if name not in read.names]
        if others:
            lines.append(f"shipped too: {', '.join(others)} (--corpus {others[0]})")
        out.write("\n".join(lines))
    return 0


def _counted(name: str, read: Corpus) -> str:
    families = count(len({a.family for a in read.attacks}), "family", "families")
    return f"{name}: {count(len(read.attacks), 'payload')} in {families}"


def _noted(read: Corpus) -> list[str]:
    """Return what was merged or left out, as the report of a scan notes it."""
    return [line for note in read.notes for line in wrap(f"note: {note}")]


@corpus.command("show")
@click.argument("id", shell_complete=completion.attacks)
@_CORPUS
@_COLUMN
@click.pass_context
def show_attack(
    ctx: click.Context, /, id: str, corpus: tuple[str, ...], column: str | None
) -> None:
    """Show a payload by its ID, from all shipped corpora or those of --corpus."""
    finish(ctx, lambda out: _show(id, with_columns(corpus or shipped_corpora(), column), out))


def _show(wanted: str, names: tuple[str, ...], out: ReportStream) -> int:
    read = read_corpus(list(names))
    by_id = {attack.id: attack for attack in read.attacks}
    if wanted not in by_id:
        raise UsageError(f"no payload {wanted!r} in {', '.join(names)}{_near(wanted, by_id)}")
    attack = by_id[wanted]
    family = read.families[attack.family]
    with shown_in(out.encoding):
        lines = wrap(f"{attack.id}, family {attack.family}, placed as {attack.placement}")
        about = {
            "note": attack.note,
            "tries": family.what_it_tries,
            "source": attack.source or family.source,
            "figures": family.figures,
            "lang": "" if attack.lang == "en" else attack.lang,
            "encodes": attack.encoding and f"{attack.plain} ({attack.encoding})",
            "fix": family.fix,
        }
        for name, said in about.items():
            if said:
                lines += wrap(f"{name}: {said}")
        lines += ["payload:", *block(attack.text)]
        out.write("\n".join(lines))
    return 0


def _near(wanted: str, by_id: dict[str, Any]) -> str:
    shown = closest(wanted, by_id)
    return shown if "did you mean" in shown else ": `unbudged corpus list` shows the families"


@corpus.command()
@click.argument("file", nargs=-1, required=True, shell_complete=completion.corpora)
@_COLUMN
@click.pass_context
def check(ctx: click.Context, /, file: tuple[str, ...], column: str | None) -> None:
    """Check payloads of your own without scanning anything: each FILE as --corpus takes it.

    FILE is a YAML file or folder, or what another tool wrote: txt, JSON, JSONL, CSV, TSV,
    garak, PyRIT, promptfoo, etb-scan. FILE@FORMAT names a format that is not seen from the
    file, FILE@csv:NAME its column of payloads as well.

    Every line of txt is a payload, one that starts with # too. Several files are checked one by
    one, then as the one corpus they make.

    Exit code: 0 with what they hold, 2 when something is wrong with any of them.
    """
    finish(ctx, lambda out: _check(tuple(dict.fromkeys(file)), column, out))


def _check(files: tuple[str, ...], column: str | None, out: ReportStream) -> int:
    if len(files) == 1:
        _check_one(with_columns(files, column), files, out)
        return 0
    right, named = True, dict[str, str]()
    for file in files:
        try:
            named[file] = file if column is None else with_column(file, column)
        except CorpusError:  # said when its turn comes
            named[file] = file
    if tuple(named.values()) == files:
        with_columns(files, column)
    for file, name in named.items():
        try:
            _check_one([name], [file], out)
        except CorpusError as error:
            right = False
            complain(str(error))
    if right:
        _check_one(list(named.values()), files, out)
    return 0 if right else 2


def _check_one(named: Sequence[str], shown: Sequence[str], out: ReportStream) -> None:
    """Say what the files hold as one corpus; raises CorpusError."""
    read = read_corpus(list(named))
    bare = sorted({a.family for a in read.attacks if not read.families[a.family].fix})
    with shown_in(out.encoding):
        lines = [_counted(", ".join(map(inert, shown)), read) + ": as it should be"]
        lines += _noted(read)
        if bare:
            lines.append(f"without a fix to print: {', '.join(map(inert, bare))}")
        out.write("\n".join(lines))
