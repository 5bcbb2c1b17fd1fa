"""The command that repeats a scan, kept in its report."""

from __future__ import annotations

import os
from typing import Any

import click

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


def repeatable(options: dict[str, Any]) -> dict[str, Any]:
    """Return the command of the scan, kept with its settings: a saved one can be repeated."""
    told: dict[str, Any] = {"command": tuple(_repeat_command(options))}
    place, _, _ = options["target"].rpartition(":")
    for path in (options["target"], place):
        if path and os.path.isfile(path):
            told["target_file"] = path
            break
    return told


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
