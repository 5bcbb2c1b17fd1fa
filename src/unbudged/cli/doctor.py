"""``unbudged doctor``: what is installed, what is too old, and what a target would be read as."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from ..adapters.extras import EXTRAS, check_extra, keep_quiet
from ..errors import MissingExtra
from ..reports.inert import inert, wrap
from ..version import VERSION
from . import completion
from .ending import finish
from .output import ReportStream
from .settings import find_settings, shown_path


@click.command(short_help="Say what is installed and what a target is read as.")
@click.argument("target", required=False, shell_complete=completion.files)
@click.pass_context
def doctor(ctx: click.Context, /, target: str | None) -> None:
    """Say what is installed and what is too old; with TARGET, what it would be read as.

    TARGET is loaded, as a scan would, and never called.

    Exit code: 0, 1 when a framework is older than unbudged needs, 2 when TARGET cannot
    be used.
    """
    finish(ctx, lambda out: _doctor(target, out))


def _doctor(target: str | None, out: ReportStream) -> int:
    code = 0
    place = os.path.dirname(os.path.dirname(__file__))
    rows = [
        ("python", f"{sys.version.split()[0]} on {sys.platform}, {sys.executable}"),
        ("unbudged", f"{VERSION}, {place}"),
    ]
    for name, extra in EXTRAS.items():
        said, old = _framework(name)
        rows.append((extra.distribution, said))
        code = 1 if old else code
    found = find_settings()
    said = "none" if found is None else f"{shown_path(found[0])}: {', '.join(found[1]) or 'empty'}"
    rows.append(("settings", said))
    lines = [part for name, said in rows for part in wrap(said, f"{name:<11} ", " " * 12)]
    if target is not None:
        lines += ["", *_target(target)]
    out.write("\n".join(lines))
    return code


def _framework(name: str) -> tuple[str, bool]:
    """Return what is to be said of a framework, and whether it is too old."""
    try:
        return f"{check_extra(name)}, needs {EXTRAS[name].floor} or newer", False
    except MissingExtra as error:
        missing = "is not installed" in str(error)
        pip = f'pip install "unbudged[{name}]"'
        return (f"not installed: {pip}", False) if missing else (str(error), True)


def _target(spec: str) -> Iterator[str]:
    from .. import api
    from ..loading import load_target

    keep_quiet()
    loaded = load_target(spec)
    samples = list(loaded.baselines or ())
    module = api.find_adapter(loaded.target)
    scan = api.plan_scan(loaded.target, samples or (None if module else ["an answer"]))
    info = scan.judge.info
    yield from wrap(f"{spec} is read as {_kind(loaded.target, module)}, called {info.name}")
    own = "built-in ones are used" if module else "none: give --baseline or --samples"
    rows: dict[str, Any] = {
        "baselines": str(len(samples)) if samples else own,
        "scale": "unknown" if info.scale is None else f"{info.scale[0]:g} to {info.scale[1]:g}",
        "pass mark": "unknown" if info.pass_mark is None else f"{info.pass_mark:g}",
        "better": "higher" if info.higher_is_better else "lower",
        "async": "yes" if info.is_async else "no",
        "marks": ", ".join(info.labels),
        "settings": ", ".join(f"{k}={v}" for k, v in info.settings.items()),
    }
    for name, said in rows.items():
        if said:
            yield from wrap(str(said), f"  {name:<9} ", " " * 12)


def _kind(target: Any, module: str | None) -> str:
    from ..core.judge import JudgeInfo

    own = inert(type(target).__name__)
    if isinstance(getattr(target, "info", None), JudgeInfo):
        return f"a judge of your own ({own})"
    if module is not None:
        last = module.rpartition(".")[2]
        titles = {extra.module: extra.title for extra in EXTRAS.values()}
        return f"a {titles.get(last, last)} scorer ({own})"
    return f"an object with .score(text) ({own})" if hasattr(target, "score") else "a function"
