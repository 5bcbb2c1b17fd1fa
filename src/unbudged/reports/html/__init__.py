"""The HTML report: one self-contained page, its data, styles and script inside it."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from ...core.report import Report
from ..inert import inert
from .data import page_data
from .families import ranked
from .figures import count, known, number, percent
from .verdict import headline

#: in the order in which one builds on another
_SCRIPTS = ("page", "texts", "dots", "lists", "findings", "others", "map", "start")
_UNSAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def render(report: Report) -> str:
    """Render the report as one HTML page that works from disk and asks for nothing anywhere.

    Every foreign text is shown inert: nothing in it is markup, script, template syntax or
    a steering character. The browser is told to load nothing and to run this page's own
    script alone.
    """
    style, script = _sources()
    page: str = _template().render(
        report=report,
        headline=headline(report),
        families=ranked(report),
        several=len(report.channels) > 1,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=_as_json(page_data(report)),
        settings=_settings(report),
    )
    return page


def _as_json(data: Any) -> Any:
    """Return the data as JSON that no HTML parser takes for a tag, ASCII throughout."""
    from markupsafe import Markup

    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_UNSAFE))


def _settings(report: Report) -> list[tuple[str, str]]:
    """Return every option of the scan as the reader would write it, those unset left out."""
    from ..plain import plain

    given = {
        "corpus": report.corpus,
        "direction": report.direction,
        "tolerance": report.tolerance,
        "alpha": report.alpha,
        "seed": report.seed,
        **report.settings,
    }
    return [
        (name, json.dumps(plain(value), ensure_ascii=False))
        for name, value in given.items()
        if value is not None
    ]


@cache
def _sources() -> tuple[Any, Any]:
    from markupsafe import Markup

    here = files(__package__)
    script = "\n".join(
        (here / "script" / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS
    )
    style = (here / "templates" / "style.css").read_text(encoding="utf-8")
    return Markup(style), Markup(script)


def _hash(source: str) -> str:
    return base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: object) -> object:
        return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(number=number, count=count, percent=percent, known=known)
    return environment.get_template("page.html.j2")
