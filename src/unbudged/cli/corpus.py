"""``unbudged corpus``: what payloads there are, what one holds, whether a file is right."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from ..core.corpus import Corpus, read_corpus
from ..core.fields import closest
from ..core.paths import shipped_corpora
from ..errors import UsageError
from ..reports.inert import inert, shown_in, wrap
from ..reports.text import count
from . import completion
from .blocks import block
from .ending import finish
from .output import ReportStream

_CORPUS = click.option(
    "--corpus",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.corpora,
    help="A shipped corpus or a YAML file or folder; repeatable.",
)


@click.group()
def corpus() -> None:
    """List payloads, show one, or check a file of your own."""


@corpus.command("list")
@_CORPUS
@click.pass_context
def list_families(ctx: click.Context, /, corpus: tuple[str, ...]) -> None:
    """List the families of a corpus (core without --corpus) and how many payloads each has."""
    finish(ctx, lambda out: _list(corpus or ("core",), out))


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
        others = [name for name in shipped_corpora() if name not in read.names]
        if others:
            lines.append(f"shipped too: {', '.join(others)} (--corpus {others[0]})")
        out.write("\n".join(lines))
    return 0


def _counted(name: str, read: Corpus) -> str:
    families = count(len({a.family for a in read.attacks}), "family", "families")
    return f"{name}: {count(len(read.attacks), 'payload')} in {families}"


@corpus.command("show")
@click.argument("id", shell_complete=completion.attacks)
@_CORPUS
@click.pass_context
def show_attack(ctx: click.Context, /, id: str, corpus: tuple[str, ...]) -> None:
    """Show a payload by its ID, from all shipped corpora or those of --corpus."""
    finish(ctx, lambda out: _show(id, corpus or shipped_corpora(), out))


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
@click.pass_context
def check(ctx: click.Context, /, file: tuple[str, ...]) -> None:
    """Check a corpus of your own (YAML FILEs or folders) without scanning anything.

    Exit code: 0 with what it holds, 2 with the one thing that is wrong.
    """
    finish(ctx, lambda out: _check(file, out))


def _check(files: tuple[str, ...], out: ReportStream) -> int:
    read = read_corpus(list(files))
    bare = sorted({a.family for a in read.attacks if not read.families[a.family].fix})
    out.write(_counted(", ".join(map(inert, files)), read) + ": as it should be")
    if bare:
        out.write(f"without a fix to print: {', '.join(map(inert, bare))}")
    return 0
