"""Messages about arguments of Python, said to somebody who typed options."""

from __future__ import annotations

import re

import click


def typed(message: str, command: click.Command) -> str:
    """Return a message with the options of a command where it names their arguments.

    "budget=12 is too few" becomes "--budget 12 is too few", "pass_mark 5 lies outside"
    "--pass-mark 5 lies outside", "worst=True chooses" "--worst chooses".
    """
    for parameter in command.params:
        flag = max((opt for opt in parameter.opts if opt.startswith("--")), key=len, default="")
        if not flag or parameter.name is None:
            continue
        name = re.escape(parameter.name)
        alone = rf"(?<![\w'\"./-]){name}"
        message = re.sub(rf"{alone}=True\b", flag, message)
        message = re.sub(rf"{alone}=(?=[\w'\"])", f"{flag} ", message)
        message = re.sub(rf"^{name}(?= (?:must|needs)\b)", flag, message)
        if "_" in name:  # no word of the language
            message = re.sub(rf"{alone}(?= )", flag, message)
    return message
