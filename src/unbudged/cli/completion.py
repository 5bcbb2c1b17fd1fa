"""What a shell offers for a word of the command line that names something of ours."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem


def families(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """Offer the families of the corpora given."""
    from ..core.corpus import load_families

    return _starting(begun, load_families(_corpus(ctx)))


def attacks(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """Offer the attack ids of the corpora given."""
    from ..core.corpus import load_corpus

    return _starting(begun, (attack.id for attack in load_corpus(corpus=_corpus(ctx))))


def corpora(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the shipped corpora, and files."""
    from ..core.paths import shipped_corpora

    named = [CompletionItem(name) for name in _starting(begun, shipped_corpora())]
    return named or [CompletionItem(begun, type="file")]


def files(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer files."""
    return [CompletionItem(begun, type="file")]


def findings(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """Offer the attacks that are findings of the report already named."""
    from ..errors import UnbudgedError
    from ..saved import read_saved

    try:
        report = read_saved(ctx.params["report"])
    except (KeyError, TypeError, UnbudgedError):
        return []
    return _starting(begun, dict.fromkeys(f.attack_id for f in report.findings))


def _corpus(ctx: click.Context) -> list[str] | str:
    return list(ctx.params.get("corpus") or ()) or "core"


def _starting(begun: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(begun)]
