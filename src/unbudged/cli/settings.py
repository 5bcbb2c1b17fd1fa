"""Settings of ``unbudged run`` from ``[tool.unbudged]`` in a pyproject.toml."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from ..errors import UsageError

FILE = "pyproject.toml"
TABLE = "[tool.unbudged]"


def find_settings() -> tuple[str, dict[str, Any]] | None:
    """Return the nearest pyproject.toml with our table, from the current folder up, and it.

    Raises UsageError naming a file on the way that cannot be read.
    """
    folder = os.getcwd()
    while True:
        path = os.path.join(folder, FILE)
        if os.path.isfile(path):
            table = _table(path)
            if table is not None:
                return path, table
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _table(path: str) -> dict[str, Any] | None:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        with open(path, "rb") as file:
            document = tomllib.load(file)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    tools = document.get("tool")
    table = tools.get("unbudged") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{path}: tool.unbudged must be a table of settings")
    return table


def read_settings(ctx: click.Context) -> dict[str, Any]:
    """Return the settings as defaults of the command's parameters, each checked.

    A key is a long flag without its dashes. Paths are taken from the file's own folder.
    Raises UsageError naming file and key.
    """
    found = find_settings()
    if found is None:
        return {}
    path, table = found
    shown = shown_path(path)
    known = {flag: p for p in ctx.command.params for flag in _flags(p)}
    defaults: dict[str, Any] = {}
    for key, value in table.items():
        place = f"{shown}: {TABLE} {key}"
        parameter = known.get(key)
        if parameter is None or parameter.name is None:
            from ..core.fields import closest

            names = sorted(known)
            raise UsageError(f"{place}: no such setting{closest(key, names)}")
        defaults[parameter.name] = _checked(ctx, parameter, value, place, os.path.dirname(path))
    ctx.meta["unbudged.settings"] = (shown, dict.fromkeys(defaults))
    return defaults


def origin(ctx: click.Context, message: str) -> str:
    """Return where a setting that an error names came from, as the end of a message."""
    shown, names = ctx.meta.get("unbudged.settings", ("", {}))
    from click.core import ParameterSource

    for name in names:
        given = ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
        if given and (name in message or name.replace("_", "-") in message):
            return f" (set in {shown}, {TABLE})"
    return ""


def _flags(parameter: click.Parameter) -> list[str]:
    if not isinstance(parameter, click.Option) or parameter.is_eager or parameter.hidden:
        return []
    return [flag[2:] for flag in parameter.opts if flag.startswith("--")]


def _checked(
    ctx: click.Context, parameter: click.Parameter, value: Any, place: str, folder: str
) -> Any:
    listed = parameter.multiple or parameter.nargs != 1
    items = value if listed and isinstance(value, list) else [value]
    if isinstance(value, list) and not listed:
        raise UsageError(f"{place}: one value is needed, not a list")
    if parameter.nargs != 1 and len(items) != parameter.nargs:
        raise UsageError(f"{place}: a list of {parameter.nargs} is needed")
    for item in items:
        wanted = _wrong(parameter, item)
        if wanted:
            raise UsageError(f"{place}: {wanted} is needed, not {item!r}")
    if parameter.name == "corpus" or getattr(parameter, "metavar", None) == "FILE":
        items = [_located(parameter, item, folder) for item in items]
    checked = items if listed else items[0]
    try:
        parameter.process_value(ctx, checked)
    except click.BadParameter as error:
        raise UsageError(f"{place}: {error.message}") from error
    return checked


def _wrong(parameter: click.Parameter, item: Any) -> str:
    """Return what a setting must be where it is not, "" where it is."""
    flag = getattr(parameter, "is_flag", False)
    if flag and isinstance(parameter.type, click.types.BoolParamType):
        return "" if isinstance(item, bool) else "true or false"
    if isinstance(parameter.type, click.types.IntParamType):
        whole = isinstance(item, int) and not isinstance(item, bool)
        return "" if whole else "a whole number"
    if isinstance(parameter.type, click.types.FloatParamType):
        number = isinstance(item, (int, float)) and not isinstance(item, bool)
        return "" if number else "a number"
    return "" if isinstance(item, str) else "a text in quotes"


def _located(parameter: click.Parameter, item: str, folder: str) -> str:
    """Return a path as seen from here; a shipped corpus goes by its name."""
    if parameter.name == "corpus":
        from ..core.paths import shipped_corpora

        if item in shipped_corpora():
            return item
    if item == "-" or os.path.isabs(item) or folder == os.getcwd():
        return item
    return os.path.relpath(os.path.join(folder, item))


def shown_path(path: str) -> str:
    """Return a path as seen from the current folder."""
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return path
